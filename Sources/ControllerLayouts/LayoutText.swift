internal import OSCProtocol
internal import OSCWire

/// Numbers and values as text of the languages that layouts are written in.
enum LayoutText {
  static func number(_ value: Double) -> String { NumberText.text(value) }

  static func hexadecimal(_ value: UInt64) -> String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// A text in quotes; JSON, JavaScript and Lua agree where there is nothing but printable ASCII.
  static func quoted(_ text: String) -> String { JSONText.quoted(text) }

  /// An argument as a number or text; a float is written with the digits that it was made of.
  static func plain(_ value: OSCValue) -> String {
    switch value {
    case .float(let number): "\(number)".hasSuffix(".0") ? "\(Int(number))" : "\(number)"
    default: value.number.map(number) ?? value.text ?? ""
    }
  }

  static func literal(_ value: OSCValue) -> String {
    value.text.map(quoted) ?? plain(value)
  }

  /// `{tag='f', value=1}`
  static func lua(_ message: LayoutMessage) -> String {
    let arguments = message.arguments.map { "{tag='\($0.tag)', value=\(literal($0))}" }
    return "sendOSC({'\(message.address)', {\(arguments.joined(separator: ", "))}})"
  }

  /// `send('/address', {type: 'f', value: 1})`
  static func script(_ message: LayoutMessage) -> String {
    let arguments = message.arguments.map { ", {type: '\($0.tag)', value: \(literal($0))}" }
    return "send('\(message.address)'\(arguments.joined()))"
  }
}
