public import OSCWire
internal import MetronomeModel
internal import MusicalTime

/// One argument of an address: its name, what it may be, and its unit.
///
/// - Thread: any
public struct OSCArgument: Sendable {
  public enum Kind: Sendable {
    case number(ClosedRange<Double>)
    case integer(ClosedRange<Int>)
    /// 1 or 0, T or F, on or off.
    case flag
    /// A tempo in the unit in force, or in the unit that follows.
    case tempo
    /// One of these words, or its 0-based number where there are numbers.
    case word([String])
    /// Free text of so many bytes at most.
    case text(Int)
    /// A name within its folder: no separator, no leading dot, at most 128 bytes.
    case name
    /// A name, or a 1-based number.
    case nameOrNumber
    /// A label inside a song, which is no file name, or a number from 0.
    case labelOrNumber
    /// `1/8`, `1/4.`
    case noteValue
    /// `7/8`, `2+2+3/8`, `6/8.`
    case meter
    /// Any value: it comes back as it was.
    case any
  }

  public let name: String
  public let kind: Kind
  public let unit: String
  public let isOptional: Bool

  init(_ name: String, _ kind: Kind, unit: String = "", optional: Bool = false) {
    self.name = name
    self.kind = kind
    self.unit = unit
    self.isOptional = optional
  }

  /// Bytes of a name at the most.
  public static let maximumNameLength = 128

  /// Bytes of a section's label at the most.
  static let labelLength = 200

  private static let nameRule = "at most \(maximumNameLength) bytes, no '/' and no leading '.'"

  /// Quarter tempos of 5 to 999 in the longest (1/1., six quarters) and the shortest unit (1/32,
  /// an eighth of a quarter): what a tempo may be while its unit is not known.
  static let anyTempo =
    Limits.quarterTempo.lowerBound / 6...Limits.quarterTempo.upperBound * 8
}

/// An argument after it was read.
public enum OSCReading: Equatable, Sendable {
  case absent
  case number(Double)
  case integer(Int)
  case flag(Bool)
  case text(String)
  case value(OSCValue)
}

/// The outcome of reading one argument.
enum OSCArgumentOutcome {
  case reading(OSCReading)
  /// Another type than the one meant; an optional argument is then passed over.
  case otherType
  case refused(OSCRefusal)
}

extension OSCArgument {
  /// The range as people write it; empty where there is none.
  public var rangeText: String {
    switch kind {
    case .number(let range): NumberText.text(range)
    case .integer(let range): "\(range.lowerBound) to \(range.upperBound)"
    case .flag: "1 or 0"
    case .tempo: "\(NumberText.text(Limits.quarterTempo)) quarter notes a minute"
    case .word(let words): words.joined(separator: ", ")
    case .text, .any: ""
    case .name: OSCArgument.nameRule
    case .nameOrNumber: "a number from 1, or a name of \(OSCArgument.nameRule); empty for none"
    case .labelOrNumber: "a number from 0, or a label of at most \(OSCArgument.labelLength) bytes"
    case .noteValue: "1/1 to 1/32, with a dot for half as long again"
    case .meter: "BEATS/UNIT such as 4/4, 2+2+3/8, 6/8."
    }
  }

  func read(_ value: OSCValue) -> OSCArgumentOutcome {
    switch kind {
    case .number(let range): readNumber(value, in: range)
    case .integer(let range): readInteger(value, in: range)
    case .tempo: readTempo(value)
    case .flag: readFlag(value)
    case .word(let words): readWord(value, words)
    case .text(let length): readText(value, length)
    case .name: readName(value)
    case .nameOrNumber: readNameOrNumber(value)
    case .labelOrNumber: readLabelOrNumber(value)
    case .noteValue:
      value.text.flatMap { NoteValue(text: $0) } == nil
        ? .otherType : .reading(.text(value.text ?? ""))
    case .meter:
      value.text?.contains("/") == true ? .reading(.text(value.text ?? "")) : .otherType
    case .any: .reading(.value(value))
    }
  }

  private static let differenceHint =
    "is a difference: a tempo is 5 to 999 quarter notes a minute; for so much faster or slower write tempo/nudge, as in 'tactus ctl tempo nudge +5'"

  private func readTempo(_ value: OSCValue) -> OSCArgumentOutcome {
    if name == "tempo", let number = plainNumber(value),
      number < 0 || value.text?.hasPrefix("+") == true
    {
      return .refused(OSCRefusal(.range, "\(name) \(value.display) \(OSCArgument.differenceHint)"))
    }
    return readNumber(value, in: OSCArgument.anyTempo)
  }

  /// What to do about a value that is of no type meant; empty where nothing is known.
  func hint(for value: OSCValue) -> String {
    guard let text = value.text, text.utf8.count <= 32, text.contains(","),
      let number = Double(
        text.split(separator: ",", omittingEmptySubsequences: false)
          .joined(separator: "."))
    else { return "" }
    return "; write decimals with a point: \(NumberText.text(number))"
  }

  private func outside(_ value: OSCValue) -> OSCArgumentOutcome {
    .refused(OSCRefusal(.range, "\(name) \(value.display) is outside \(allowed)"))
  }

  /// The range with its unit.
  private var allowed: String {
    unit.isEmpty || rangeText.hasSuffix(unit) ? rangeText : "\(rangeText) \(unit)"
  }

  private func readNumber(_ value: OSCValue, in range: ClosedRange<Double>) -> OSCArgumentOutcome {
    guard let number = plainNumber(value) else { return .otherType }
    // NaN is in no range.
    guard range.contains(number) else { return outside(value) }
    return .reading(.number(number))
  }

  /// A fader set to whole steps may send what lies between them: the nearest counts.
  private func readInteger(_ value: OSCValue, in range: ClosedRange<Int>) -> OSCArgumentOutcome {
    guard let number = plainNumber(value) else { return .otherType }
    guard let whole = Int(exactly: number.rounded(.toNearestOrAwayFromZero)), range.contains(whole)
    else { return outside(value) }
    return .reading(.integer(whole))
  }

  /// T and F are no numbers here: a tempo of true has no meaning.
  private func plainNumber(_ value: OSCValue) -> Double? {
    switch value {
    case .true, .false: nil
    default: value.number
    }
  }

  private func readFlag(_ value: OSCValue) -> OSCArgumentOutcome {
    switch OSCArgument.flag(value) {
    case .some(let flag): .reading(.flag(flag))
    case .none: .otherType
    }
  }

  /// Pressed or released, on or off; nil where neither is meant.
  static func flag(_ value: OSCValue) -> Bool? {
    switch value {
    case .impulse: return true
    default: break
    }
    if let number = value.number { return number.isFinite ? number != 0 : nil }
    switch value.text?.lowercased() {
    case "on", "true", "yes": return true
    case "off", "false", "no": return false
    default: return nil
    }
  }

  private func readWord(_ value: OSCValue, _ words: [String]) -> OSCArgumentOutcome {
    // Off is said in many ways.
    if value == .false || value.text?.lowercased() == "off" || value.number == 0,
      let off = ["off", "none", "0"].first(where: words.contains)
    {
      return .reading(.text(off))
    }
    let text = value.text ?? plainNumber(value).map { NumberText.text($0) }
    guard let text else { return .otherType }
    if words.contains(text) { return .reading(.text(text)) }
    if let word = words.first(where: { $0.lowercased() == text.lowercased() }) {
      return .reading(.text(word))
    }
    if isOptional { return .otherType }
    return .refused(
      OSCRefusal(.range, "\(name) \(value.display) is unknown: allowed are \(rangeText)"))
  }

  private func readText(_ value: OSCValue, _ length: Int) -> OSCArgumentOutcome {
    guard let text = value.text ?? plainNumber(value).map({ NumberText.text($0) }) else {
      return .otherType
    }
    guard !text.isEmpty, text.utf8.count <= length, OSCArgument.isPrintable(text) else {
      return .refused(
        OSCRefusal(
          .range, "\(name) \(value.display) must have 1 to \(length) printable bytes"))
    }
    return .reading(.text(text))
  }

  static func isPrintable(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
  }

  /// Whether a name from outside can be looked up in a folder.
  public static func isSafeName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= maximumNameLength && !text.hasPrefix(".")
      && !text.utf8.contains(UInt8(ascii: "/")) && isPrintable(text)
  }

  private func readName(_ value: OSCValue) -> OSCArgumentOutcome {
    guard let text = value.text ?? plainNumber(value).map({ NumberText.text($0) }) else {
      return .otherType
    }
    guard OSCArgument.isSafeName(text) else {
      return .refused(OSCRefusal(.range, "\(name) \(value.display) is no name: \(rangeText)"))
    }
    return .reading(.text(text))
  }

  /// A text is a name, whatever it looks like: a preset may be called 24.
  private func readNameOrNumber(_ value: OSCValue) -> OSCArgumentOutcome {
    if let text = value.text { return text.isEmpty ? .reading(.text("")) : readName(value) }
    return readOrdinal(value, from: 1)
  }

  private func readLabelOrNumber(_ value: OSCValue) -> OSCArgumentOutcome {
    value.text == nil
      ? readOrdinal(value, from: 0) : readText(value, OSCArgument.labelLength)
  }

  private func readOrdinal(_ value: OSCValue, from first: Int) -> OSCArgumentOutcome {
    guard let number = plainNumber(value) else { return .otherType }
    guard let whole = Int(exactly: number), (first...9_999).contains(whole) else {
      return outside(value)
    }
    return .reading(.integer(whole))
  }

  /// Whether a word that a person typed is a text for this argument even where it is digits.
  public var takesName: Bool {
    switch kind {
    case .name, .nameOrNumber, .labelOrNumber, .text: true
    default: false
    }
  }
}
