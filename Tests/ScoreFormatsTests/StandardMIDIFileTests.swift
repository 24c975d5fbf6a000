import Testing

@testable import ScoreFormats

/// The example of a file of format 0 in the standard (RP-001): tempo, meter, three notes with
/// running status, 96 ticks a quarter.
let standardExample: [UInt8] = [
  0x4D, 0x54, 0x68, 0x64, 0x00, 0x00, 0x00, 0x06, 0x00, 0x00, 0x00, 0x01, 0x00, 0x60,
  0x4D, 0x54, 0x72, 0x6B, 0x00, 0x00, 0x00, 0x3B,
  0x00, 0xFF, 0x58, 0x04, 0x04, 0x02, 0x18, 0x08,
  0x00, 0xFF, 0x51, 0x03, 0x07, 0xA1, 0x20,
  0x00, 0xC0, 0x05, 0x00, 0xC1, 0x2E, 0x00, 0xC2, 0x46,
  0x00, 0x92, 0x30, 0x60, 0x00, 0x3C, 0x60,
  0x60, 0x91, 0x43, 0x40, 0x60, 0x90, 0x4C, 0x20,
  0x81, 0x40, 0x82, 0x30, 0x40, 0x00, 0x3C, 0x40,
  0x00, 0x81, 0x43, 0x40, 0x00, 0x80, 0x4C, 0x40,
  0x00, 0xFF, 0x2F, 0x00,
]

/// A head and one track of the given events.
func midiFile(
  format: UInt8 = 0, division: [UInt8] = [0x00, 0x60], _ events: [UInt8], tracks: UInt8 = 1
) -> [UInt8] {
  var bytes: [UInt8] = Array("MThd".utf8) + [0, 0, 0, 6, 0, format, 0, tracks] + division
  bytes += Array("MTrk".utf8)
  bytes += [0, 0, UInt8(events.count >> 8), UInt8(events.count & 255)]
  return bytes + events
}

@Suite("Standard MIDI Files")
struct StandardMIDIFileTests {
  @Test("lengths of variable size are those of the standard's table")
  func variableLength() {
    let table: [(Int64, [UInt8])] = [
      (0x0000_0000, [0x00]), (0x0000_0040, [0x40]), (0x0000_007F, [0x7F]),
      (0x0000_0080, [0x81, 0x00]), (0x0000_2000, [0xC0, 0x00]), (0x0000_3FFF, [0xFF, 0x7F]),
      (0x0000_4000, [0x81, 0x80, 0x00]), (0x0010_0000, [0xC0, 0x80, 0x00]),
      (0x001F_FFFF, [0xFF, 0xFF, 0x7F]), (0x0020_0000, [0x81, 0x80, 0x80, 0x00]),
      (0x0800_0000, [0xC0, 0x80, 0x80, 0x00]), (0x0FFF_FFFF, [0xFF, 0xFF, 0xFF, 0x7F]),
    ]
    for (value, expected) in table {
      var bytes: [UInt8] = []
      MIDIFileWriter.variableLength(value, &bytes)
      #expect(bytes == expected)
    }
  }

  @Test("the standard's example is read")
  func example() throws {
    let file = try StandardMIDIFile(bytes: standardExample)
    #expect(file.ticksPerQuarter == 96 && file.format == .single)
    // 07A120 is 500000 us; 58 04 04 02 18 08 is 4/4 with 24 pulses a click.
    #expect(file.tempos == [.init(tick: 0, microsecondsPerQuarter: 500_000)])
    #expect(
      file.meters == [.init(tick: 0, numerator: 4, denominator: 4, pulsesPerClick: 24)])
    // 96 + 96 + 192 ticks.
    #expect(file.endTick == 384)
  }

  @Test("meter, tempo, marker and notes are written as the standard's bytes")
  func bytes() {
    var file = StandardMIDIFile(format: .single, ticksPerQuarter: 96)
    file.meters = [.init(tick: 0, numerator: 6, denominator: 8, pulsesPerClick: 36)]
    file.tempos = [.init(tick: 0, microsecondsPerQuarter: 500_000)]
    file.markers = [.init(tick: 96, text: "Hi")]
    file.notes = [.init(tick: 0, length: 96, channel: 9, key: 76, velocity: 127)]
    file.endTick = 224
    let events: [UInt8] = [
      0x00, 0xFF, 0x58, 0x04, 0x06, 0x03, 0x24, 0x08,
      0x00, 0xFF, 0x51, 0x03, 0x07, 0xA1, 0x20,
      0x00, 0x99, 76, 127,
      0x60, 0x89, 76, 64,
      0x00, 0xFF, 0x06, 0x02, 0x48, 0x69,
      0x81, 0x00, 0xFF, 0x2F, 0x00,
    ]
    #expect(file.encoded() == midiFile(events))
  }

  @Test("a distance longer than an event can say is passed on by empty texts")
  func longDelta() throws {
    var file = StandardMIDIFile(format: .single, ticksPerQuarter: 96)
    // 0FFFFFFF and one tick more.
    file.endTick = 0x1000_0000
    let events: [UInt8] = [
      0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0x01, 0x00, 0x01, 0xFF, 0x2F, 0x00,
    ]
    #expect(file.encoded() == midiFile(events))
    #expect(try StandardMIDIFile(bytes: file.encoded()) == file)
  }

  @Test("a file of two tracks comes back as it was", arguments: [true, false])
  func roundTrip(parallel: Bool) throws {
    var file = StandardMIDIFile(format: parallel ? .parallel : .single, ticksPerQuarter: 480)
    file.meters = [
      .init(tick: 0, numerator: 7, denominator: 8, pulsesPerClick: 12),
      .init(tick: 1_680, numerator: 64, denominator: 32, pulsesPerClick: 3),
    ]
    file.tempos = [
      .init(tick: 0, microsecondsPerQuarter: 12_000_000),
      .init(tick: 1_680, microsecondsPerQuarter: 60_060),
    ]
    file.markers = [.init(tick: 0, text: "intro"), .init(tick: 1_680, text: "Stra\u{DF}e")]
    file.endTick = 1_680 + 64 * 60
    #expect(try StandardMIDIFile(bytes: file.encoded()) == file)
  }

  @Test("marks of several tracks are merged in the order of time")
  func merged() throws {
    var bytes: [UInt8] = Array("MThd".utf8) + [0, 0, 0, 6, 0, 1, 0, 2, 0, 96]
    let first: [UInt8] = [0x60, 0xFF, 0x51, 3, 0x0F, 0x42, 0x40, 0, 0xFF, 0x2F, 0]
    let second: [UInt8] = [0x00, 0xFF, 0x51, 3, 0x07, 0xA1, 0x20, 0, 0xFF, 0x2F, 0]
    for track in [first, second] {
      bytes += Array("MTrk".utf8) + [0, 0, 0, UInt8(track.count)] + track
    }
    let file = try StandardMIDIFile(bytes: bytes)
    #expect(file.tempos.map(\.tick) == [0, 96])
    #expect(file.tempos.map(\.microsecondsPerQuarter) == [500_000, 1_000_000])
  }

  @Test("running status goes on after meta events and system exclusive")
  func runningStatus() throws {
    // A note on, a tempo of 600 000, its note off as running status, F0 and the same again.
    let track: [UInt8] = [
      0, 0x90, 60, 64, 0, 0xFF, 0x51, 3, 0x09, 0x27, 0xC0, 0x60, 60, 0, 0, 0xF0, 1, 0xF7, 0, 60, 64,
      0x60, 60, 0, 0, 0xFF, 0x2F, 0,
    ]
    let file = try StandardMIDIFile(bytes: midiFile(track))
    #expect(file.tempos.map(\.microsecondsPerQuarter) == [600_000])
    #expect(file.endTick == 192)
  }

  static func failure(_ bytes: [UInt8]) -> MIDIFileError? {
    do {
      _ = try StandardMIDIFile(bytes: bytes)
      return nil
    } catch { return error }
  }

  @Test("what is not a readable file is named")
  func errors() {
    let end: [UInt8] = [0, 0xFF, 0x2F, 0]
    #expect(Self.failure([]) == .notMIDI)
    #expect(Self.failure(Array("RIFF....".utf8)) == .notRMID)
    #expect(Self.failure(Array("MThd".utf8)) == .truncated(offset: 4))
    #expect(Self.failure(midiFile(format: 2, end)) == .format(2))
    // E7 28: -25 frames a second, 40 ticks each.
    #expect(Self.failure(midiFile(division: [0xE7, 0x28], end)) == .timeCode)
    #expect(Self.failure(midiFile(division: [0, 0], end)) == .division)
    #expect(Self.failure(midiFile(end, tracks: 0)) == .noTrack)
    // Data without a status before it; the track begins at byte 22.
    #expect(
      Self.failure(midiFile([0, 0x40, 0x40])) == .damagedTrack(track: 1, bar: 1, offset: 23))
    #expect(Self.failure(midiFile([0, 0xF4])) == .damagedTrack(track: 1, bar: 1, offset: 23))
    #expect(
      Self.failure(midiFile([0xFF, 0xFF, 0xFF, 0xFF, 0x7F])) == .badLength(offset: 22))
    #expect(
      Self.failure([UInt8](repeating: 0, count: (16 << 20) + 1)) == .tooLarge(bytes: 16_777_217))
    // Text that begins in one chunk and would end in the next.
    let across = midiFile([0, 0xFF, 0x06, 10]) + [UInt8](repeating: 0x41, count: 20)
    #expect(Self.failure(across) == .truncated(offset: 26))
    // A track chunk that announces 4 GiB.
    let huge =
      Array("MThd".utf8) + [0, 0, 0, 6, 0, 0, 0, 1, 0, 96] + Array("MTrk".utf8)
      + [0xFF, 0xFF, 0xFF, 0xFF] as [UInt8]
    #expect(Self.failure(huge) == .truncated(offset: 22))
  }

  @Test("every truncation and ten thousand mutations end in a file or an error")
  func hostile() {
    for length in 0..<standardExample.count {
      #expect(Self.failure(Array(standardExample.prefix(length))) != nil, "\(length)")
    }
    var state: UInt64 = 5
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    for _ in 0..<10_000 {
      var bytes = standardExample
      for _ in 0..<(1 + random(6)) { bytes[random(bytes.count)] = UInt8(random(256)) }
      _ = Self.failure(bytes)
    }
  }

  @Test("a marker cannot steer a terminal")
  func markerText() throws {
    // ESC [ 2 J, and a letter of Latin-1.
    let events: [UInt8] = [0, 0xFF, 6, 5, 0x1B, 0x5B, 0x32, 0x4A, 0xE9, 0, 0xFF, 0x2F, 0]
    let file = try StandardMIDIFile(bytes: midiFile(events))
    #expect(file.markers == [.init(tick: 0, text: "[2J\u{E9}")])
  }
}
