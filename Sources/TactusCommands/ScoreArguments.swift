import CommandLineOptions
import MetronomeModel
import MusicalTime

/// `[BARS] [METER] TEMPO [PATTERN]` as a person types it, klick's `80-120/10` included.
struct ScoreArguments {
  var bars: Int?
  var meter: Meter?
  var tempo: (value: Double, unit: NoteValue)?
  /// klick's ramp: one up or down every so many bars.
  var trainer: ControlCommand?
  var pattern: String?

  init(_ arguments: [String], unit: String?) throws(OptionError) {
    var noteValue = NoteValue.quarter
    if let text = unit {
      guard let value = NoteValue(text: text) else {
        throw .value("--unit", given: text, allowed: "a note value such as 1/4, 1/8 or 1/4.")
      }
      noteValue = value
    }
    var rest = arguments[...]
    if let last = rest.last, rest.count > 1, !last.isEmpty,
      last.allSatisfy({ Accent(letter: $0) != nil })
    {
      pattern = last
      rest = rest.dropLast()
    }
    guard let tempoText = rest.popLast() else { return }
    if rest.isEmpty, ScoreArguments.looksLikeMeter(tempoText) {
      // A meter alone: the tempo is a preset's or a map's, or the usual one.
      meter = try ScoreArguments.meter(tempoText)
      return
    }
    if let text = rest.last {
      if text.contains("/") || rest.count > 1 || Int(text) == nil {
        meter = try ScoreArguments.meter(text)
        rest = rest.dropLast()
      }
    }
    if let text = rest.popLast() {
      guard let count = Int(text), (1...99_999).contains(count) else {
        throw .value("BARS", given: text, allowed: "1 to 99999")
      }
      bars = count
    }
    if let extra = rest.last {
      throw .tooManyArguments(extra, allowed: "write [BARS] [METER] TEMPO [PATTERN]")
    }
    try readTempo(tempoText, noteValue)
  }

  private mutating func readTempo(_ text: String, _ unit: NoteValue) throws(OptionError) {
    if let mark = text.firstIndex(of: "/") {
      let bars = Int32(text[text.index(after: mark)...])
      guard let (from, to) = RampText.range(text[..<mark]), let bars, bars > 0 else {
        throw .value(
          "TEMPO", given: text, allowed: "a number, or FROM-TO/BARS as in 80-120/10")
      }
      tempo = (try ScoreArguments.check(from, unit, text), unit)
      trainer = .trainer(
        from: from, to: try ScoreArguments.check(to, unit, text), step: 1,
        share: .barsPerLevel(bars))
      return
    }
    guard let value = DecimalText.number(text) else {
      throw .value("TEMPO", given: text, allowed: ScoreArguments.tempoRange)
    }
    tempo = (try ScoreArguments.check(value, unit, text), unit)
  }

  private static let tempoRange =
    "a number that makes \(RangeText.of(Limits.quarterTempo)) quarter notes a minute"

  private static func check(
    _ value: Double, _ unit: NoteValue, _ text: String
  ) throws(OptionError) -> Double {
    guard Tempo(value, unit: unit) != nil else {
      throw .value("TEMPO", given: text, allowed: tempoRange)
    }
    return value
  }

  private static func meter(_ text: String) throws(OptionError) -> Meter {
    do throws(MeterError) { return try Meter(text: text) } catch {
      throw .text("METER '\(OptionError.excerpt(text))': \(error)")
    }
  }

  private static func looksLikeMeter(_ text: String) -> Bool {
    guard let mark = text.firstIndex(of: "/") else { return false }
    return !text[..<mark].contains("-")
  }
}
