import CommandLineOptions
import MetronomeModel

/// Speed trainers and glides as they are written on a command line.
///
/// - `FROM-TO[/STEP]:LENGTH` a trainer that lasts so long in all
/// - `FROM-TO[/STEP]@EACH` one whose levels last so long each, or so many bars: `@30s`, `@4bars`
/// - `FROM-TO:LENGTH` a glide over a time, or over bars: `:7.5s`, `:4bars`
///
/// - Thread: any
enum RampText {
  static let trainerForms = "FROM-TO[/STEP]:LENGTH in all, or @LENGTH or @BARSbars a level"
  static let glideForms = "FROM-TO:LENGTH or FROM-TO:BARSbars"

  static func trainer(_ text: String, option: String) throws(OptionError) -> ControlCommand {
    let error = OptionError.value(
      option, given: text, allowed: "\(trainerForms), as in 80-120/5:10m or 80-120/5@4bars")
    guard let mark = text.firstIndex(where: { $0 == ":" || $0 == "@" }) else { throw error }
    let head = text[..<mark].split(separator: "/", omittingEmptySubsequences: false)
    guard (1...2).contains(head.count), let (from, to) = range(head[0]) else { throw error }
    var step = Limits.trainerStep
    if head.count == 2 {
      guard let value = DecimalText.number(head[1]) else { throw error }
      step = value
    }
    let length = String(text[text.index(after: mark)...])
    let share: SpeedTrainer.Share
    if let bars = bars(length) {
      guard text[mark] == "@" else { throw error }
      share = .barsPerLevel(bars)
    } else {
      guard let nanoseconds = DurationText.nanoseconds(length) else { throw error }
      let milliseconds = (nanoseconds + 500_000) / 1_000_000
      share =
        text[mark] == "@" ? .millisecondsPerLevel(milliseconds) : .totalMilliseconds(milliseconds)
    }
    return .trainer(from: from, to: to, step: step, share: share)
  }

  static func glide(_ text: String, option: String) throws(OptionError) -> ControlCommand {
    let error = OptionError.value(
      option, given: text, allowed: "\(glideForms), as in 120-140:7.5s or 120-140:4bars")
    let sides = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard sides.count == 2, let (from, to) = range(sides[0]) else { throw error }
    let length: GlideRamp.Length
    if let bars = bars(String(sides[1])) {
      length = .bars(bars)
    } else {
      guard let nanoseconds = DurationText.nanoseconds(String(sides[1])) else { throw error }
      length = .seconds(Double(nanoseconds) / 1e9)
    }
    return .glide(from: from, to: to, length: length, when: .bar)
  }

  static func range(_ text: Substring) -> (from: Double, to: Double)? {
    let sides = text.split(separator: "-", omittingEmptySubsequences: false)
    guard sides.count == 2, let from = DecimalText.number(sides[0]),
      let to = DecimalText.number(sides[1])
    else { return nil }
    return (from, to)
  }

  private static func bars(_ text: String) -> Int32? {
    for ending in ["bars", "bar"] where text.hasSuffix(ending) {
      return Int32(text.dropLast(ending.count))
    }
    return nil
  }
}
