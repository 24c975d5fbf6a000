/// What a command line said.
///
/// The readers of numbers throw what is wrong with a value, with the range that is allowed.
///
/// - Thread: any
public struct ParsedOptions: Equatable, Sendable {
  /// Arguments known by their place, in order.
  public internal(set) var arguments: [String] = []
  var values: [String: [String]] = [:]

  init() {}

  public func has(_ name: String) -> Bool { values[name] != nil }

  public func value(_ name: String) -> String? { values[name]?.last }

  /// Every value of a repeatable option, in order.
  public func values(_ name: String) -> [String] { values[name] ?? [] }

  /// A number in a range.
  ///
  /// - Parameter unit: said after the range: `ms`.
  public func number(
    _ name: String, in range: ClosedRange<Double>, unit: String = ""
  ) throws(OptionError) -> Double? {
    guard let text = value(name) else { return nil }
    guard let number = DecimalText.number(text), range.contains(number) else {
      throw .value("--\(name)", given: text, allowed: RangeText.of(range, unit: unit))
    }
    return number
  }

  /// A whole number in a range.
  public func integer(
    _ name: String, in range: ClosedRange<Int>, unit: String = ""
  ) throws(OptionError) -> Int? {
    guard let text = value(name) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw .value(
        "--\(name)", given: text,
        allowed: "a whole number of "
          + RangeText.of(Double(range.lowerBound)...Double(range.upperBound), unit: unit))
    }
    return number
  }

  /// One of a few words.
  public func choice(_ name: String, among words: [String]) throws(OptionError) -> String? {
    guard let text = value(name) else { return nil }
    guard words.contains(text) else {
      throw .choice(
        "--\(name)", given: text, allowed: words,
        suggestion: NearestName.of(text, among: words))
    }
    return text
  }
}

/// Ranges as people read them.
public enum RangeText {
  /// `5 to 999 BPM`
  public static func of(_ range: ClosedRange<Double>, unit: String = "") -> String {
    "\(number(range.lowerBound)) to \(number(range.upperBound))\(unit.isEmpty ? "" : " \(unit)")"
  }

  /// Without a trailing `.0`.
  public static func number(_ value: Double) -> String {
    if let whole = Int(exactly: value) { return "\(whole)" }
    return "\(value)"
  }
}
