extension StandardMIDIFile {
  /// Reads tempo, meter and markers of a file of format 0 or 1.
  ///
  /// The bytes are not trusted: whatever they are, the answer is a file or an error, in memory and
  /// time in proportion to their number.
  public init(bytes: [UInt8]) throws(MIDIFileError) {
    guard bytes.count <= MIDIFileReader.largestFile else { throw .tooLarge(bytes: bytes.count) }
    var reader = MIDIFileReader(bytes: try MIDIFileReader.unwrapped(bytes))
    self = try reader.read()
  }
}

/// Walks through the chunks and events of a file.
struct MIDIFileReader {
  /// Bytes.
  static let largestFile = 16 << 20
  static let mostTracks = 1_024
  /// Tempo, meter and marker events.
  static let mostEvents = 200_000
  /// 2^40 ticks are 9 months at the finest division and 300 beats a minute.
  static let longestTicks: Int64 = 1 << 40
  private static let longestText = 256

  private let bytes: [UInt8]
  private var offset = 0
  private var eventCount = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  /// The MIDI file inside a RIFF file of form RMID; any other file as it is.
  ///
  /// Source: MIDI Manufacturers Association RP-029. Lengths are least significant byte first, and
  /// chunks begin on even offsets.
  static func unwrapped(_ bytes: [UInt8]) throws(MIDIFileError) -> [UInt8] {
    guard bytes.starts(with: "RIFF".utf8) else { return bytes }
    guard bytes.count >= 12, bytes[8..<12].elementsEqual("RMID".utf8) else { throw .notRMID }
    var offset = 12
    while bytes.count - offset >= 8 {
      let length = (0..<4).reduce(0) { $0 | Int(bytes[offset + 4 + $1]) << (8 * $1) }
      let start = offset + 8
      if bytes[offset..<(offset + 4)].elementsEqual("data".utf8) {
        return Array(bytes[start..<min(bytes.count, start + length)])
      }
      guard length < bytes.count - start else { break }
      offset = start + length + length % 2
    }
    throw .notRMID
  }

  mutating func read() throws(MIDIFileError) -> StandardMIDIFile {
    guard bytes.starts(with: "MThd".utf8) else { throw .notMIDI }
    offset = 4
    let headLength = try word(4)
    guard headLength >= 6, headLength <= bytes.count else { throw .truncated(offset: offset) }
    let headEnd = offset + headLength
    let formatNumber = try word(2)
    guard let format = StandardMIDIFile.Format(rawValue: formatNumber) else {
      throw .format(formatNumber)
    }
    let announcedTracks = try word(2)
    guard announcedTracks <= MIDIFileReader.mostTracks else {
      throw .tooManyTracks(announcedTracks)
    }
    let division = try word(2)
    if division & 0x8000 != 0 { throw .timeCode }
    guard division > 0 else { throw .division }
    // A longer head belongs to a later standard: what is beyond six bytes is skipped.
    guard headEnd <= bytes.count else { throw .truncated(offset: bytes.count) }
    offset = headEnd

    var file = StandardMIDIFile(format: format, ticksPerQuarter: division)
    var tracks = 0
    while offset < bytes.count, tracks < announcedTracks {
      let isTrack = bytes[offset...].starts(with: "MTrk".utf8)
      offset = min(offset + 4, bytes.count)
      let length = try word(4)
      guard length <= bytes.count - offset else { throw .truncated(offset: bytes.count) }
      let end = offset + length
      if isTrack {
        tracks += 1
        try readTrack(tracks, end: end, into: &file)
      }
      offset = end
    }
    guard tracks > 0 else { throw .noTrack }
    // Tracks run beside each other: the marks of all of them in order of time.
    file.tempos = MIDIFileReader.inOrder(file.tempos) { $0.tick }
    file.meters = MIDIFileReader.inOrder(file.meters) { $0.tick }
    file.markers = MIDIFileReader.inOrder(file.markers) { $0.tick }
    file.remarks = MIDIFileReader.inOrder(file.remarks) { $0.tick }
    return file
  }

  private static func inOrder<Mark>(_ marks: [Mark], _ tick: (Mark) -> Int64) -> [Mark] {
    marks.enumerated().sorted { (tick($0.element), $0.offset) < (tick($1.element), $1.offset) }
      .map(\.element)
  }

  private mutating func readTrack(
    _ track: Int, end: Int, into file: inout StandardMIDIFile
  ) throws(MIDIFileError) {
    let marksBefore = file.tempos.count + file.meters.count
    guard let damage = try readEvents(end: end, into: &file) else { return }
    file.endTick = max(file.endTick, damage.tick)
    // The first track is where tempos and meters are; a track of notes alone is not needed.
    guard track > 1, file.tempos.count + file.meters.count == marksBefore else {
      throw .damagedTrack(
        track: track, bar: MIDIFileReader.bar(of: damage.tick, in: file), offset: damage.offset)
    }
    remark(
      damage.tick, "track \(track) is damaged at byte \(damage.offset): the rest of it is skipped",
      &file)
  }

  /// The bar in which a tick lies, from 1, as the meters read so far have it.
  private static func bar(of tick: Int64, in file: StandardMIDIFile) -> Int {
    var bars: Int64 = 0
    var start: Int64 = 0
    var length = 4 * Int64(file.ticksPerQuarter)
    for meter in file.meters where meter.tick <= tick && meter.tick > start {
      bars += (meter.tick - start + length - 1) / length
      start = meter.tick
      length = max(
        1,
        4 * Int64(file.ticksPerQuarter) * Int64(meter.numerator)
          / Int64(meter.denominator))
    }
    if let first = file.meters.first(where: { $0.tick == 0 }), start == 0 {
      length = max(
        1,
        4 * Int64(file.ticksPerQuarter) * Int64(first.numerator)
          / Int64(first.denominator))
    }
    return Int(clamping: bars + (tick - start) / length + 1)
  }

  private func remark(_ tick: Int64, _ text: String, _ file: inout StandardMIDIFile) {
    guard file.remarks.count < 1_000 else { return }
    file.remarks.append(.init(tick: tick, text: text))
  }

  /// - Returns: where the track cannot be read any further; nil for a whole one.
  private mutating func readEvents(
    end: Int, into file: inout StandardMIDIFile
  ) throws(MIDIFileError) -> (tick: Int64, offset: Int)? {
    var tick: Int64 = 0
    var runningStatus: UInt8 = 0
    while offset < end {
      tick += Int64(try variableLength(end: end))
      guard tick <= MIDIFileReader.longestTicks else { throw .tooLong(offset: offset) }
      let start = offset
      var status = try byte(end: end)
      if status < 0x80 {
        // Running status: the byte is data of another event of the same kind.
        guard runningStatus >= 0x80 else { return (tick, start) }
        offset = start
        status = runningStatus
      }
      switch status {
      case 0x80...0xBF, 0xE0...0xEF:
        runningStatus = status
        guard try skipData(2, end: end) else { return (tick, start) }
      case 0xC0...0xDF:
        runningStatus = status
        guard try skipData(1, end: end) else { return (tick, start) }
      // The standard ends running status here, but there are programs that go on with it.
      case 0xF0, 0xF7:
        try skip(try variableLength(end: end), end: end)
      case 0xFF:
        if try readMeta(at: tick, end: end, into: &file) {
          file.endTick = max(file.endTick, tick)
          return nil
        }
      default:
        return (tick, start)
      }
    }
    // A track without its end mark ends with its chunk.
    file.endTick = max(file.endTick, tick)
    return nil
  }

  /// - Returns: false where a byte of data has bit 7 set, which only a status may.
  private mutating func skipData(_ count: Int, end: Int) throws(MIDIFileError) -> Bool {
    let start = offset
    try skip(count, end: end)
    return bytes[start..<offset].allSatisfy { $0 < 0x80 }
  }

  /// - Returns: whether it was the end of the track.
  private mutating func readMeta(
    at tick: Int64, end: Int, into file: inout StandardMIDIFile
  ) throws(MIDIFileError) -> Bool {
    let type = try byte(end: end)
    let length = try variableLength(end: end)
    let data = offset
    try skip(length, end: end)
    switch type {
    case 0x2F:
      return true
    case 0x51:
      let value = bytes[data..<(data + min(length, 4))].reduce(0) { $0 << 8 | Int($1) }
      guard length == 3, value > 0 else {
        remark(
          tick,
          length == 3
            ? "a tempo of 0 us a quarter is skipped: the tempo before it goes on"
            : "a tempo of \(length) bytes (3 are right) is skipped: the tempo before it goes on",
          &file)
        break
      }
      try count()
      file.tempos.append(.init(tick: tick, microsecondsPerQuarter: value))
    case 0x58:
      guard length >= 2, bytes[data] > 0, bytes[data + 1] <= 6 else {
        let written =
          length >= 2
          ? "\(bytes[data])/" + (bytes[data + 1] < 16 ? "\(1 << Int(bytes[data + 1]))" : "?")
          : "\(length) bytes (4 are right)"
        remark(tick, "a meter of \(written) is skipped: the meter before it goes on", &file)
        break
      }
      try count()
      file.meters.append(
        .init(
          tick: tick, numerator: Int(bytes[data]), denominator: 1 << Int(bytes[data + 1]),
          pulsesPerClick: length > 2 ? Int(bytes[data + 2]) : 24))
    case 0x06:
      try count()
      let shown = bytes[data..<(data + min(length, MIDIFileReader.longestText))]
      file.markers.append(.init(tick: tick, text: MIDIFileReader.text(shown)))
    default:
      break
    }
    return false
  }

  /// UTF-8 where it is that, else the Latin letters that old programs wrote; nothing that moves a
  /// terminal's cursor.
  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    let text =
      String(validating: bytes, as: UTF8.self)
      ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    return String(
      String.UnicodeScalarView(
        text.unicodeScalars.filter { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }))
  }

  private mutating func count() throws(MIDIFileError) {
    eventCount += 1
    guard eventCount <= MIDIFileReader.mostEvents else {
      throw .tooManyEvents(MIDIFileReader.mostEvents)
    }
  }

  private mutating func byte(end: Int) throws(MIDIFileError) -> UInt8 {
    guard offset < end else { throw .truncated(offset: offset) }
    offset += 1
    return bytes[offset - 1]
  }

  private mutating func word(_ count: Int) throws(MIDIFileError) -> Int {
    guard bytes.count - offset >= count else { throw .truncated(offset: bytes.count) }
    var value = 0
    for _ in 0..<count {
      value = value << 8 | Int(bytes[offset])
      offset += 1
    }
    return value
  }

  private mutating func variableLength(end: Int) throws(MIDIFileError) -> Int {
    let start = offset
    var value = 0
    for _ in 0..<4 {
      let next = try byte(end: end)
      value = value << 7 | Int(next & 0x7F)
      if next < 0x80 { return value }
    }
    throw .badLength(offset: start)
  }

  private mutating func skip(_ count: Int, end: Int) throws(MIDIFileError) {
    guard count <= end - offset else { throw .truncated(offset: end) }
    offset += count
  }
}
