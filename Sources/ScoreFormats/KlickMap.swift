public import MetronomeModel
import MusicalTime

/// Tempo maps of klick, and the tempo on its command line, as klick 0.12 reads them.
///
/// A line is `[label:] bars [meter] tempo [pattern] [volume]`; `#` begins a comment. Tempos count
/// quarters whatever the meter is; without a meter it is 4/4, without a pattern the first beat is
/// accented and the others are normal.
///
/// - Thread: any
public enum KlickMap {
  /// Bytes.
  public static let largestText = 1 << 20

  /// - Throws: the line and what is wrong with it.
  public static func read(_ bytes: [UInt8], file: String) throws(FormatError) -> TempoMap {
    guard bytes.count <= largestText else {
      throw FormatError(
        file: file, line: 1, column: 1,
        reason: "text has \(bytes.count) bytes: allowed are \(largestText)")
    }
    var map = TempoMap()
    let text = bytes[try TextEncoding.markLength(bytes, file: file)...]
    for (index, line) in text.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated()
    {
      var reader = KlickLine(line, file: file, line: index + 1)
      if let section = try reader.section() { map.sections.append(section) }
      guard map.sections.count <= TempoMap.sectionCounts.upperBound else {
        throw FormatError(
          file: file, line: index + 1, column: 1,
          reason: "more than \(TempoMap.sectionCounts.upperBound) entries")
      }
    }
    if map.sections.isEmpty {
      throw FormatError(
        file: file, line: 1, column: 1,
        reason: "there is no entry: write [label:] bars [meter] tempo [pattern] [volume]")
    }
    // Two entries may have one label; klick finds the first one only.
    var labels: Set<String> = []
    for index in map.sections.indices {
      if let label = map.sections[index].label, !labels.insert(label).inserted {
        map.sections[index].label = nil
      }
    }
    return map
  }

  /// Reads `[bars] [meter] tempo[-tempo2/accel] [pattern]`: without bars it goes on for ever;
  /// accel is the bars in which the tempo changes by one.
  public static func read(arguments: [String]) throws(FormatError) -> TempoMap {
    let text = arguments.joined(separator: " ")
    var reader = KlickLine(Array(text.utf8)[...], file: "arguments", line: 1)
    return try reader.commandLine()
  }

  /// What klick takes for granted where no pattern is written.
  static func defaultPattern(for meter: Meter) -> AccentPattern {
    let accents = (0..<Int(meter.beatCount)).map { $0 == 0 ? Accent.strong : .normal }
    return AccentPattern(accents) ?? .standard(for: meter)
  }

  // MARK: Writing

  /// Why a song cannot be said in klick's words.
  public enum Unsayable: Error, Equatable, CustomStringConvertible {
    case section(Int, String)
    case loop

    public var description: String {
      switch self {
      case .section(let number, let what): "section \(number): klick knows no \(what)"
      case .loop: "klick knows no loop"
      }
    }
  }

  /// The song as klick reads it.
  public static func write(_ map: TempoMap) throws(Unsayable) -> String {
    if map.loop != nil { throw .loop }
    var lines: [String] = []
    if let title = map.title {
      lines.append("# \(title.split(separator: "\n").joined(separator: " "))")
    }
    for (index, section) in map.sections.enumerated() {
      lines.append(try line(section, number: index + 1))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func line(
    _ section: TempoMap.Section, number: Int
  ) throws(Unsayable) -> String {
    guard section.bars > 0 else { throw .section(number, "endless section") }
    guard section.repeats == 1 else { throw .section(number, "repeat") }
    guard section.jump == nil else { throw .section(number, "jump") }
    guard !section.meter.compound else { throw .section(number, "compound meter") }
    var parts: [String] = []
    if let label = section.label {
      guard label.utf8.allSatisfy(KlickLine.isLabel), !label.isEmpty else {
        throw .section(number, "label '\(label)': it takes letters, digits, _ and -")
      }
      parts.append("\(label):")
    }
    parts.append("\(section.bars)")
    let meter = section.meter
    if meter.beatCount != 4 || meter.denominator != 4 {
      parts.append("\(meter.beatCount)/\(meter.denominator)")
    }
    switch section.tempo {
    case .keep: throw .section(number, "tempo that goes on")
    case .steady(let tempo): parts.append(try text(tempo, number))
    case .ramp(let from, let to):
      parts.append("\(try text(from, number))-\(try text(to, number))")
    case .perBeat(let tempos):
      var texts: [String] = []
      for tempo in tempos { texts.append(try text(tempo, number)) }
      parts.append(texts.joined(separator: ","))
    }
    let pattern = section.pattern ?? .standard(for: meter)
    if pattern != defaultPattern(for: meter) {
      guard !pattern.description.contains("-") else { throw .section(number, "soft beats") }
      parts.append(pattern.description)
    }
    if section.gain != 1 { parts.append(JSONNumber(section.gain).text) }
    return parts.joined(separator: " ")
  }

  /// In quarters, where whole thousandths of them can say it.
  private static func text(_ tempo: Tempo, _ number: Int) throws(Unsayable) -> String {
    // Of an exact length klick gets the tempo that is shown: it knows decimals only.
    guard tempo.length == nil else { return ThousandthsText.text(Int64(tempo.thousandths)) }
    guard tempo.quarterNumerator % tempo.quarterDenominator == 0 else {
      throw .section(number, "tempo of \(tempo): not whole thousandths of a quarter")
    }
    return ThousandthsText.text(tempo.quarterNumerator / tempo.quarterDenominator)
  }
}
