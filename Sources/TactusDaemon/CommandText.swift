internal import MetronomeModel
internal import OSCProtocol
internal import OSCWire

/// Commands as people write them: an address below `/tactus/` and its arguments.
///
/// - Thread: any
enum CommandText {
  /// `tempo 120`, `mute toggle`, `preset "My Song"`; nil where the table knows no such command.
  static func command(_ text: String) -> ControlCommand? {
    guard let message = message(text), let intent = try? OSCAddressTable.decode(message),
      case .command(let command) = intent
    else { return nil }
    return command
  }

  static func message(_ text: String) -> OSCMessage? {
    let words = words(text)
    guard let path = words.first, !path.isEmpty else { return nil }
    let address = path.hasPrefix("/") ? path : OSCAddressTable.prefix + path
    return OSCMessage(address, words.dropFirst().map { .string($0) })
  }

  /// Words between spaces; what stands in double quotes is one word.
  private static func words(_ text: String) -> [String] {
    var words: [String] = []
    var word = ""
    var isQuoted = false
    var hasWord = false
    for character in text {
      if character == "\"" {
        isQuoted.toggle()
        hasWord = true
      } else if character == " ", !isQuoted {
        if hasWord { words.append(word) }
        word = ""
        hasWord = false
      } else {
        word.append(character)
        hasWord = true
      }
    }
    if hasWord { words.append(word) }
    return words
  }
}
