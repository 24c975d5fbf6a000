extension StandardMIDIFile {
  /// The bytes of the file.
  ///
  /// At one tick: meter, tempo, marker; notes end before others begin.
  public func encoded() -> [UInt8] {
    var bytes = Array("MThd".utf8)
    MIDIFileWriter.word(6, 4, &bytes)
    MIDIFileWriter.word(format.rawValue, 2, &bytes)
    MIDIFileWriter.word(format == .single ? 1 : 2, 2, &bytes)
    MIDIFileWriter.word(ticksPerQuarter, 2, &bytes)
    switch format {
    case .single:
      bytes += MIDIFileWriter.track(metaEvents + noteEvents, end: endTick)
    case .parallel:
      bytes += MIDIFileWriter.track(
        [.name("Tempo")] + metaEvents, end: endTick)
      bytes += MIDIFileWriter.track([.name("Clicks")] + noteEvents, end: endTick)
    }
    return bytes
  }

  private var metaEvents: [MIDIFileWriter.Event] {
    var events: [MIDIFileWriter.Event] = []
    for meter in meters {
      let power = UInt8(truncatingIfNeeded: meter.denominator.trailingZeroBitCount)
      events.append(
        .init(
          tick: meter.tick, order: 0,
          bytes: [
            0xFF, 0x58, 4, UInt8(clamping: meter.numerator), power,
            UInt8(clamping: meter.pulsesPerClick), 8,
          ]))
    }
    for tempo in tempos {
      let value = min(max(tempo.microsecondsPerQuarter, 1), 0xFF_FFFF)
      var bytes: [UInt8] = [0xFF, 0x51, 3]
      MIDIFileWriter.word(value, 3, &bytes)
      events.append(.init(tick: tempo.tick, order: 1, bytes: bytes))
    }
    for marker in markers {
      events.append(
        .init(tick: marker.tick, order: 2, bytes: MIDIFileWriter.text(6, marker.text)))
    }
    return events
  }

  private var noteEvents: [MIDIFileWriter.Event] {
    var events: [MIDIFileWriter.Event] = []
    for note in notes {
      let channel = note.channel & 15
      events.append(
        .init(
          tick: note.tick, order: 1, bytes: [0x90 | channel, note.key & 127, note.velocity & 127]))
      events.append(
        .init(
          tick: note.tick + max(1, note.length), order: 0,
          bytes: [0x80 | channel, note.key & 127, 64]))
    }
    return events
  }
}

/// The bytes of tracks.
enum MIDIFileWriter {
  struct Event {
    var tick: Int64
    /// Among events of one tick.
    var order: Int
    var bytes: [UInt8]

    /// FF 03, before everything else.
    static func name(_ text: String) -> Event {
      Event(tick: 0, order: -1, bytes: MIDIFileWriter.text(3, text))
    }
  }

  static func track(_ events: [Event], end: Int64) -> [UInt8] {
    // Sorting by place as well keeps the order of equals.
    let sorted = events.enumerated().sorted {
      ($0.element.tick, $0.element.order, $0.offset) < (
        $1.element.tick, $1.element.order, $1.offset
      )
    }
    var body: [UInt8] = []
    var tick: Int64 = 0
    for (_, event) in sorted {
      wait(event.tick - tick, &body)
      body += event.bytes
      tick = event.tick
    }
    wait(max(0, end - tick), &body)
    body += [0xFF, 0x2F, 0]
    var bytes = Array("MTrk".utf8)
    word(body.count, 4, &bytes)
    return bytes + body
  }

  /// A text event of at most 127 bytes, so that its length is one byte.
  static func text(_ type: UInt8, _ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    for character in text {
      let next = Array(String(character).utf8)
      guard bytes.count + next.count <= 127 else { break }
      bytes += next
    }
    return [0xFF, type, UInt8(bytes.count)] + bytes
  }

  /// Most significant byte first.
  static func word(_ value: Int, _ count: Int, _ bytes: inout [UInt8]) {
    for shift in stride(from: 8 * (count - 1), through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }

  /// What the standard can say of one event's distance from the last.
  static let longestDelta: Int64 = 0x0FFF_FFFF

  /// The time to the next event; what is longer than one event can say is passed on by texts
  /// without a letter.
  private static func wait(_ ticks: Int64, _ bytes: inout [UInt8]) {
    var rest = ticks
    while rest > longestDelta {
      variableLength(longestDelta, &bytes)
      bytes += [0xFF, 0x01, 0]
      rest -= longestDelta
    }
    variableLength(rest, &bytes)
  }

  /// Seven bits a byte, the most significant first, bit 7 set on all but the last; the greatest
  /// value that the standard allows is 0FFFFFFF.
  static func variableLength(_ value: Int64, _ bytes: inout [UInt8]) {
    let value = min(max(value, 0), longestDelta)
    var shift: Int64 = 21
    while shift > 0, value >> shift == 0 { shift -= 7 }
    while shift > 0 {
      bytes.append(UInt8(truncatingIfNeeded: (value >> shift) & 0x7F | 0x80))
      shift -= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: value & 0x7F))
  }
}
