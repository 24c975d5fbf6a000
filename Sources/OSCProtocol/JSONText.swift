public import OSCWire

/// Values as JSON text.
///
/// - Thread: any
public enum JSONText {
  public static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  /// JSON has no NaN and no infinity: they become null.
  public static func value(_ value: OSCValue) -> String {
    switch value {
    case .int32(let number): "\(number)"
    case .int64(let number): "\(number)"
    case .float(let number): number.isFinite ? NumberText.text(Double(number)) : "null"
    case .double(let number): number.isFinite ? NumberText.text(number) : "null"
    case .string(let text), .symbol(let text): quoted(text)
    case .true: "true"
    case .false: "false"
    case .null, .impulse: "null"
    case .timetag(let tag): quoted("\(tag)")
    case .array(let values): "[" + values.map(JSONText.value).joined(separator: ",") + "]"
    case .blob, .character, .colour, .midi: quoted(value.display)
    }
  }
}
