/// One argument of an OSC message (OSC 1.0 and the types that OSC 1.1 requires).
///
/// - Thread: any
public enum OSCValue: Equatable, Sendable {
  case int32(Int32)
  case float(Float)
  case string(String)
  case blob([UInt8])
  case int64(Int64)
  case timetag(OSCTimetag)
  case double(Double)
  case symbol(String)
  /// An ASCII character in 32 bits.
  case character(UInt32)
  /// Red, green, blue, alpha, one byte each from the top.
  case colour(UInt32)
  /// Port, status, data 1, data 2, one byte each from the top.
  case midi(UInt32)
  case `true`
  case `false`
  case null
  case impulse
  case array([OSCValue])

  /// The type tag; an array has none of its own and answers its opening bracket.
  public var tag: Character {
    switch self {
    case .int32: "i"
    case .float: "f"
    case .string: "s"
    case .blob: "b"
    case .int64: "h"
    case .timetag: "t"
    case .double: "d"
    case .symbol: "S"
    case .character: "c"
    case .colour: "r"
    case .midi: "m"
    case .true: "T"
    case .false: "F"
    case .null: "N"
    case .impulse: "I"
    case .array: "["
    }
  }

  /// The value as a number where one is meant: any numeric type, T and F, a string of a number.
  public var number: Double? {
    switch self {
    case .int32(let value): Double(value)
    case .float(let value): Double(value)
    case .int64(let value): Double(value)
    case .double(let value): value
    case .true: 1
    case .false: 0
    case .string(let text), .symbol(let text): OSCValue.number(in: text)
    default: nil
    }
  }

  /// The text of a string or symbol.
  public var text: String? {
    switch self {
    case .string(let text), .symbol(let text): text
    default: nil
    }
  }

  /// How people write the value in an error or on a terminal.
  public var display: String {
    switch self {
    case .int32(let value): "\(value)"
    case .float(let value): NumberText.text(Double(value))
    case .string(let text), .symbol(let text): "'\(text.prefix(80))'"
    case .blob(let bytes): "a blob of \(bytes.count) bytes"
    case .int64(let value): "\(value)"
    case .timetag(let tag): "\(tag)"
    case .double(let value): NumberText.text(value)
    case .character(let value): "character \(value)"
    case .colour(let value): "colour \(String(value, radix: 16))"
    case .midi(let value): "MIDI \(String(value, radix: 16))"
    case .true: "true"
    case .false: "false"
    case .null: "nil"
    case .impulse: "impulse"
    case .array(let values): "[" + values.map(\.display).joined(separator: " ") + "]"
    }
  }

  private static func number(in text: String) -> Double? {
    guard text.utf8.count <= 64 else { return nil }
    return Double(text.filter { $0 != " " })
  }
}

/// Numbers as people write them: `120`, `99.95`, and never `120.0`.
public enum NumberText {
  public static func text(_ value: Double) -> String {
    guard let whole = Int64(exactly: value), whole.magnitude < 1_000_000_000_000 else {
      // A Float's own shortest form, where the value is one: 99.95, not 99.94999694824219.
      let single = Float(value)
      return Double(single) == value ? "\(single)" : "\(value)"
    }
    return "\(whole)"
  }

  public static func text(_ range: ClosedRange<Double>) -> String {
    "\(text(range.lowerBound)) to \(text(range.upperBound))"
  }
}
