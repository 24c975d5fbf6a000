import MetronomeModel
import MusicalTime

/// Reads one line of a klick tempo map, or its command line.
struct KlickLine {
  private let file: String
  private let line: Int
  private let bytes: ArraySlice<UInt8>
  /// Words between blanks, without the comment, and where each begins.
  private var words: [ArraySlice<UInt8>]

  init(_ bytes: ArraySlice<UInt8>, file: String, line: Int) {
    self.file = file
    self.line = line
    self.bytes = bytes
    // A carriage return is what an editor of another system left at the line's end.
    let body = bytes.prefix { $0 != UInt8(ascii: "#") }
    words = body.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
  }

  static func isLabel(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "-"): true
    default: false
    }
  }

  // MARK: An entry of a file

  /// nil for a line with nothing but blanks and a comment.
  mutating func section() throws(FormatError) -> TempoMap.Section? {
    guard !words.isEmpty else { return nil }
    let label = try takeLabel()
    let barWord = try take("bars")
    let bars = try whole(barWord, "bars", Limits.bars)
    let (meter, unit) = try takeMeter()
    let tempoWord = try take("tempo")
    var section = TempoMap.Section(label: label, bars: bars, meter: meter)
    section.tempo = try course(tempoWord, beats: bars * Int(meter.beatCount), unit: unit)
    let written = try takePattern(for: meter)
    section.pattern = written ?? KlickMap.defaultPattern(for: meter)
    if section.pattern == .standard(for: meter) { section.pattern = nil }
    if let word = words.first {
      words.removeFirst()
      guard let gain = KlickLine.decimal(word) else {
        throw error(word, "'\(text(word))' is neither a pattern (X, x, .) nor a volume")
      }
      guard TempoMap.gains.contains(gain) else {
        throw error(word, "volume \(text(word)): allowed are 0 to 10, 1 is unchanged")
      }
      section.gain = gain
    }
    if let extra = words.first {
      throw error(
        extra,
        "'\(text(extra))' after the entry: it is [label:] bars [meter] tempo [pattern] [volume]")
    }
    return section
  }

  /// `label:` may stand against the bars.
  private mutating func takeLabel() throws(FormatError) -> String? {
    guard let word = words.first, let colon = word.firstIndex(of: UInt8(ascii: ":")) else {
      return nil
    }
    let label = word[..<colon]
    guard !label.isEmpty, label.allSatisfy(KlickLine.isLabel) else {
      throw error(word, "label '\(text(label))': it takes letters, digits, _ and -")
    }
    let rest = word[(colon + 1)...]
    if rest.isEmpty { words.removeFirst() } else { words[0] = rest }
    return text(label)
  }

  /// klick divides a whole note by any number: a beat of 12/12 is a third of a quarter. Written in
  /// eighths it is the same beat at 3/2 of the tempo, which `BeatUnit` carries.
  private struct BeatUnit {
    var numerator: Int64 = 1
    var denominator: Int64 = 1
  }

  private mutating func takeMeter() throws(FormatError) -> (meter: Meter, unit: BeatUnit) {
    guard let word = words.first, word.contains(UInt8(ascii: "/")),
      !word.contains(UInt8(ascii: "-"))
    else { return (.common, BeatUnit()) }
    words.removeFirst()
    let sides = word.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard sides.count == 2, let beats = KlickLine.digits(sides[0]),
      let unit = KlickLine.digits(sides[1])
    else { throw error(word, "meter '\(text(word))' is not BEATS/UNIT, such as 3/4") }
    var written = unit
    if (1...32).contains(unit) {
      while written & (written - 1) != 0 { written &= written - 1 }
    }
    do {
      return (
        try Meter(beats, written),
        BeatUnit(numerator: Int64(unit), denominator: Int64(max(1, written)))
      )
    } catch { throw self.error(word, error.description) }
  }

  private mutating func takePattern(for meter: Meter) throws(FormatError) -> AccentPattern? {
    guard let word = words.first,
      word.allSatisfy({ [UInt8(ascii: "X"), UInt8(ascii: "x"), UInt8(ascii: ".")].contains($0) })
    else { return nil }
    words.removeFirst()
    do { return try AccentPattern(text: text(word), for: meter) } catch {
      throw self.error(word, error.description)
    }
  }

  /// `120`, `120-140`, `120,125,...`.
  private func course(
    _ word: ArraySlice<UInt8>, beats: Int, unit: BeatUnit
  ) throws(FormatError) -> TempoMap.Course {
    if word.contains(UInt8(ascii: "-")) {
      let ends = word.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
      guard ends.count == 2 else {
        throw error(word, "tempo '\(text(word))' is not FROM-TO, such as 120-140")
      }
      let (from, to) = (try tempo(ends[0], unit), try tempo(ends[1], unit))
      return from == to ? .steady(from) : .ramp(from: from, to: to)
    }
    guard word.contains(UInt8(ascii: ",")) else { return .steady(try tempo(word, unit)) }
    var tempos: [Tempo] = []
    for part in word.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
      tempos.append(try tempo(part, unit))
    }
    guard tempos.count == beats else {
      throw error(word, "\(tempos.count) tempos for \(beats) beats: give one for each")
    }
    return .perBeat(tempos)
  }

  // MARK: The command line

  mutating func commandLine() throws(FormatError) -> TempoMap {
    let form = "klick's form is [bars] [meter] tempo[-tempo2/accel] [pattern]"
    var bars: Int?
    // A whole number is the bars where a tempo follows it, with or without a meter.
    if words.count >= 2, let word = words.first, KlickLine.digits(word) != nil,
      words[1].contains(UInt8(ascii: "/")) || KlickLine.decimal(words[1]) != nil
    {
      words.removeFirst()
      bars = try whole(word, "bars", Limits.bars)
    }
    let (meter, unit) = try takeMeter()
    let word = try take("tempo")
    let pattern = try takePattern(for: meter) ?? KlickMap.defaultPattern(for: meter)
    if let extra = words.first { throw error(extra, "'\(text(extra))': \(form)") }
    let stored = pattern == .standard(for: meter) ? nil : pattern
    func section(_ bars: Int, _ course: TempoMap.Course) -> TempoMap.Section {
      TempoMap.Section(bars: bars, meter: meter, tempo: course, pattern: stored)
    }
    let sides = word.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard sides.count == 2 else {
      return TempoMap(sections: [section(bars ?? 0, .steady(try tempo(word, unit)))])
    }
    let from = try tempo(sides[0], unit)
    let parts = sides[1].split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.count == 2, let barsPerUnit = KlickLine.decimal(parts[1]) else {
      throw error(word, "'\(text(word))' is not FROM-TO/BARS, such as 80-120/10")
    }
    guard barsPerUnit > 0 else {
      throw error(word, "'\(text(word))': the bars for each step of one must be above 0")
    }
    let to = try tempo(parts[0], unit)
    if from == to { return TempoMap(sections: [section(bars ?? 0, .steady(from))]) }
    // One a minute as klick counts it.
    let difference =
      abs(to.value - from.value) * Double(unit.denominator) / Double(unit.numerator)
    let rampBars = (barsPerUnit * difference).rounded(.up)
    guard rampBars <= Double(Limits.bars.upperBound) else {
      throw error(
        word, "'\(text(word))' lasts more than \(Limits.bars.upperBound) bars: take fewer a step")
    }
    let ramp = max(1, Int(rampBars))
    if let bars, bars <= ramp {
      // The ramp is cut where the bars end.
      let value = from.value + (to.value - from.value) * Double(bars) / Double(ramp)
      guard let last = Tempo(value) else { throw error(word, "tempo \(value) is out of range") }
      return TempoMap(sections: [
        section(bars, last == from ? .steady(from) : .ramp(from: from, to: last))
      ])
    }
    return TempoMap(sections: [
      section(ramp, .ramp(from: from, to: to)),
      section(bars.map { $0 - ramp } ?? 0, .steady(to)),
    ])
  }

  // MARK: Words

  private mutating func take(_ what: String) throws(FormatError) -> ArraySlice<UInt8> {
    guard let word = words.first else {
      throw FormatError(
        file: file, line: line, column: bytes.count + 1,
        reason: "\(what) is missing: an entry is [label:] bars [meter] tempo [pattern] [volume]")
    }
    words.removeFirst()
    return word
  }

  private func whole(
    _ word: ArraySlice<UInt8>, _ what: String, _ range: ClosedRange<Int>
  ) throws(FormatError) -> Int {
    guard let value = KlickLine.digits(word) else {
      throw error(word, "\(what) '\(text(word))' is not a whole number")
    }
    guard range.contains(value) else {
      throw error(
        word,
        "\(what) \(text(word)): allowed are \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  private func tempo(
    _ word: ArraySlice<UInt8>, _ unit: BeatUnit
  ) throws(FormatError) -> Tempo {
    guard let value = KlickLine.decimal(word) else {
      throw error(word, "tempo '\(text(word))' is not a number")
    }
    guard let tempo = Tempo(value) else {
      throw error(word, "tempo \(text(word)): allowed are 5 to 999 quarters a minute")
    }
    let scaled = Int64(tempo.thousandths) * unit.numerator
    guard scaled % unit.denominator == 0, let result = Tempo(thousandths: scaled / unit.denominator)
    else {
      throw error(
        word,
        "tempo \(text(word)) in a meter of \(unit.numerator)ths is "
          + "\(Double(scaled) / Double(unit.denominator) / 1000) in \(unit.denominator)ths: allowed are "
          + "5 to 999, to a thousandth")
    }
    return result
  }

  /// Digits alone; more than nine are more than anything allows.
  private static func digits(_ word: ArraySlice<UInt8>) -> Int? {
    guard !word.isEmpty, word.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    let significant = word.drop { $0 == 0x30 }
    guard significant.count <= 9 else { return 999_999_999 }
    return Int(String(decoding: word, as: UTF8.self))
  }

  /// `12`, `12.`, `12.5`, `.5`.
  private static func decimal(_ word: ArraySlice<UInt8>) -> Double? {
    let dots = word.count { $0 == UInt8(ascii: ".") }
    guard dots <= 1, word.count > dots, word.count <= 64,
      word.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") })
    else { return nil }
    return Double("0" + String(decoding: word, as: UTF8.self) + (word.last == 0x2E ? "0" : ""))
  }

  private func text(_ word: ArraySlice<UInt8>) -> String {
    String(decoding: word.prefix(60), as: UTF8.self)
  }

  private func error(_ word: ArraySlice<UInt8>, _ reason: String) -> FormatError {
    FormatError(
      file: file, line: line, column: word.startIndex - bytes.startIndex + 1, reason: reason)
  }
}
