import OSCProtocol
import OSCWire

/// Answers of the daemon as people and programs read them.
enum AnswerText {
  /// `tempo 120 1/4`; when a change is heard as a time from the command.
  static func line(_ message: OSCMessage, sentAt: OSCTimetag) -> String {
    let path = bare(message.address)
    if path == "effective", message.arguments.count >= 2,
      let address = message.arguments[0].text, case .timetag(let tag) = message.arguments[1]
    {
      let milliseconds = (tag.wallNanoseconds - sentAt.wallNanoseconds) / 1_000_000
      let when = milliseconds > 0 ? "\(milliseconds) ms after it was sent" : "at once"
      return "\(bare(address)): heard \(when)"
    }
    return ([path] + message.arguments.map(text)).joined(separator: " ")
  }

  static func json(_ message: OSCMessage) -> String {
    let arguments = message.arguments.map(JSONText.value).joined(separator: ",")
    return "{\"address\":\(JSONText.quoted(message.address)),\"arguments\":[\(arguments)]}"
  }

  static func json(_ refusal: OSCClient.Refusal) -> String {
    "{\"error\":{\"address\":\(JSONText.quoted(refusal.address)),\"code\":\(refusal.code),"
      + "\"reason\":\(JSONText.quoted(refusal.reason))}}"
  }

  /// What went wrong before there was an answer.
  static func json(error reason: String) -> String {
    "{\"error\":{\"reason\":\(JSONText.quoted(reason))}}"
  }

  private static func bare(_ address: String) -> String {
    address.hasPrefix(OSCAddressTable.prefix)
      ? String(address.dropFirst(OSCAddressTable.prefix.count)) : address
  }

  private static func text(_ value: OSCValue) -> String {
    switch value {
    case .string(let text), .symbol(let text):
      // What came over the network must not move the cursor.
      String(
        text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? "?" : Character($0) })
    default: value.display
    }
  }
}
