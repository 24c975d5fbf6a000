import MetronomeModel
import MusicalTime
import Testing

@testable import ScoreFormats

@Suite("Tempos of MIDI files")
struct MIDITempoTests {
  /// Where each beat of a song of sections without repeats lies, in 1/256 us times ticks of a
  /// quarter, from the lengths of its tempos.
  static func beats(_ map: TempoMap) -> [Int128] {
    var beats: [Int128] = []
    var time: Int128 = 0
    for section in map.sections {
      for index in 0..<(section.bars * Int(section.meter.beatCount)) {
        let tempo: Tempo
        switch section.tempo {
        case .steady(let steady): tempo = steady
        case .perBeat(let tempos): tempo = tempos[index]
        default: preconditionFailure()
        }
        beats.append(time)
        let length = tempo.microsecondsPerQuarter
        let exact = Int128(length.numerator) * 256 * Int128(section.meter.beatLength.ticks)
        precondition(exact % Int128(length.denominator) == 0)
        time += exact / Int128(length.denominator)
      }
    }
    return beats
  }

  @Test("every beat keeps the file's own instant to the end", arguments: 1...20)
  func instants(seed: Int) throws {
    var state = UInt64(seed)
    func random(_ range: ClosedRange<Int64>) -> Int64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return range.lowerBound + Int64(state >> 33) % (range.upperBound - range.lowerBound + 1)
    }
    var file = StandardMIDIFile(
      format: .parallel, ticksPerQuarter: [96, 480, 960, 192][Int(random(0...3))])
    let quarters: Int64 = 400
    var tick: Int64 = 0
    while tick < quarters * Int64(file.ticksPerQuarter) {
      file.tempos.append(
        .init(tick: tick, microsecondsPerQuarter: Int(random(100_000...2_000_000))))
      // On beats at even seeds, anywhere at odd ones.
      tick +=
        seed % 2 == 0
        ? random(1...12) * Int64(file.ticksPerQuarter) : random(1...3_000)
    }
    file.endTick = quarters * Int64(file.ticksPerQuarter)
    let map = try TempoMap(midi: file, name: "x")
    var time: Int128 = 0
    var mark = 0
    for (beat, given) in Self.beats(map).prefix(Int(quarters)).enumerated() {
      let end = Int64(beat) * Int64(file.ticksPerQuarter)
      time = 0
      mark = 0
      while mark < file.tempos.count, file.tempos[mark].tick < end {
        let next = mark + 1 < file.tempos.count ? min(file.tempos[mark + 1].tick, end) : end
        time +=
          Int128(next - file.tempos[mark].tick)
          * Int128(file.tempos[mark].microsecondsPerQuarter)
        mark += 1
      }
      // us times file ticks a quarter, into 1/256 us times score ticks a quarter.
      let exact = time * 256 * Int128(ScorePosition.ticksPerQuarter / Int64(file.ticksPerQuarter))
      // Half a frame at 192 kHz is 2.6 us; a 256th is what rounding may cost.
      #expect(abs(given - exact) <= Int128(ScorePosition.ticksPerQuarter), "beat \(beat)")
    }
  }

  @Test("a tempo written to a file and read again is what it was", arguments: 5...999)
  func comesBack(value: Int) throws {
    let map = TempoMap(sections: [.init(bars: 4, tempo: .steady(tempo(Double(value))))])
    let file = try StandardMIDIFile(map)
    let again = try TempoMap(midi: file, name: "x")
    guard case .steady(let read) = again.sections[0].tempo else {
      Issue.record("not steady")
      return
    }
    #expect(read.description == "\(value)" && read.thousandths == Int32(value * 1000))
    // And what is written of it is the same file.
    #expect(try StandardMIDIFile(again).tempos == file.tempos)
    let text = TempoMapFormat.write(again)
    #expect(text.contains("\"tempo\": \(value)"))
    #expect(try TempoMapFormat.read(Array(text.utf8), file: "x") == again)
  }

  @Test("a preset keeps the exact length of a tempo")
  func preset() throws {
    var preset = Preset()
    preset.tempo = Tempo(QuarterLength(microseconds: 461_538)!)
    let text = PresetFormat.write(preset)
    #expect(text.contains("\"value\": 130, \"microseconds\": 461538"))
    #expect(try PresetFormat.read(Array(text.utf8), file: "x") == preset)
    for (text, reason) in [
      ("{\"tempo\": {\"microseconds\": 10000}}", "60060 to 12000000"),
      ("{\"tempo\": {\"value\": 120, \"microseconds\": 461538}}", "remove one"),
      ("{\"tempo\": {\"microseconds\": 461538.3}}", "whole microseconds"),
      ("{\"tempo\": {\"unit\": \"1/8\"}}", "is missing"),
    ] {
      #expect(throws: FormatError.self) { try PresetFormat.read(Array(text.utf8), file: "x") }
      do { _ = try PresetFormat.read(Array(text.utf8), file: "x") } catch {
        #expect(error.description.contains(reason), "\(error)")
      }
    }
  }
}

@Suite("MIDI files with faults")
struct MIDIFaultTests {
  static let end: [UInt8] = [0, 0xFF, 0x2F, 0]

  static func notes(_ bytes: [UInt8]) throws -> [String] {
    try SongFile.read(bytes, file: "x.mid").notes
  }

  @Test("a meter of 0/4 and a tempo of 0 are skipped with a note that names the bar")
  func skipped() throws {
    // Bar 2 begins at 384 = 83 00 ticks of 96.
    let meter: [UInt8] = [0x83, 0x00, 0xFF, 0x58, 4, 0, 2, 24, 8]
    let zero: [UInt8] = [0, 0xFF, 0x51, 3, 0, 0, 0]
    let short: [UInt8] = [0, 0xFF, 0x51, 2, 7, 0xA1]
    let rest: [UInt8] = [0x83, 0x00, 0xFF, 0x2F, 0]
    #expect(
      try Self.notes(midiFile(meter + zero + short + rest)) == [
        "bar 2: a meter of 0/4 is skipped: the meter before it goes on",
        "bar 2: a tempo of 0 us a quarter is skipped: the tempo before it goes on",
        "bar 2: a tempo of 2 bytes (3 are right) is skipped: the tempo before it goes on",
      ])
  }

  @Test("a damaged track of notes is skipped, one of tempos is refused with its bar")
  func damaged() throws {
    let tempo: [UInt8] = [0, 0xFF, 0x51, 3, 0x07, 0xA1, 0x20]
    // A note in bar 2 whose velocity is C0.
    let note: [UInt8] = [0x83, 0x00, 0x90, 60, 0xC0, 0x60, 60, 0]
    var bytes: [UInt8] = Array("MThd".utf8) + [0, 0, 0, 6, 0, 1, 0, 2, 0, 96]
    for track in [tempo + Self.end, note + Self.end] {
      bytes += Array("MTrk".utf8) + [0, 0, 0, UInt8(track.count)] + track
    }
    // Head 14, track 8 + 11, head 8, delta 2: the note is at byte 43.
    #expect(
      try Self.notes(bytes) == ["bar 1: track 2 is damaged at byte 43: the rest of it is skipped"]
        || Self.notes(bytes) == ["bar 2: track 2 is damaged at byte 43: the rest of it is skipped"])
    #expect(
      StandardMIDIFileTests.failure(midiFile(tempo + note + Self.end))
        == .damagedTrack(track: 1, bar: 2, offset: 31))
  }

  @Test("a MIDI file inside a RIFF file is read")
  func riff() throws {
    let data = standardExample
    let size = UInt8(data.count)
    let list: [UInt8] = Array("LIST".utf8) + [3, 0, 0, 0, 1, 2, 3, 0]
    let bytes: [UInt8] =
      Array("RIFF".utf8) + [100, 0, 0, 0] + Array("RMID".utf8) + list + Array("data".utf8)
      + [size, 0, 0, 0] + data
    #expect(try StandardMIDIFile(bytes: bytes) == StandardMIDIFile(bytes: standardExample))
    #expect(SongFile.kind(of: bytes) == .midi)
    #expect(StandardMIDIFileTests.failure(Array(bytes.prefix(28))) == .notRMID)
  }

  @Test(
    "a meter a few ticks off its bar line is taken as on it, and no beat moves",
    arguments: [
      -1, 1, 10, -10,
    ] as [Int64])
  func nearTheLine(shift: Int64) throws {
    var file = StandardMIDIFile(format: .parallel, ticksPerQuarter: 480)
    file.tempos = [.init(tick: 0, microsecondsPerQuarter: 500_000)]
    file.meters = [
      .init(tick: 0, numerator: 4, denominator: 4, pulsesPerClick: 24),
      .init(tick: 2 * 1_920 + shift, numerator: 3, denominator: 4, pulsesPerClick: 24),
    ]
    file.endTick = 2 * 1_920 + shift + 3 * 1_440
    let imported = try TempoMap.imported(file, name: "x")
    #expect(imported.notes.count == 1 && imported.notes[0].bar == 2)
    #expect(imported.notes[0].text.contains("\(abs(shift)) tick"))
    let meters = imported.map.sections.flatMap { section in
      Array(repeating: section.meter.description, count: section.bars)
    }
    #expect(meters == ["4/4", "4/4", "3/4", "3/4", "3/4"])
    // The first beat of 3/4 lies where the file has it: (3840 + shift) x 500 000 / 480 us.
    let beat = MIDITempoTests.beats(imported.map)[8]
    let exact =
      Int128(3_840 + shift) * 500_000 * 256 * Int128(ScorePosition.ticksPerQuarter) / 480
    #expect(abs(beat - exact) <= Int128(ScorePosition.ticksPerQuarter))
  }

  @Test("a meter where no note value ends is refused with its bar and the way out")
  func nowhere() {
    var file = StandardMIDIFile(format: .parallel, ticksPerQuarter: 480)
    file.meters = [
      .init(tick: 0, numerator: 4, denominator: 4, pulsesPerClick: 24),
      .init(tick: 1_920 + 31, numerator: 3, denominator: 4, pulsesPerClick: 24),
    ]
    file.endTick = 10_000
    do {
      _ = try TempoMap(midi: file, name: "x")
      Issue.record("accepted")
    } catch {
      #expect(error.description.contains("bar 2: the meter changes 31 ticks after its line"))
      #expect(error.description.contains("move the change to a bar line"))
    }
  }
}
