/// Words as a POSIX shell splits them, and nothing else of a shell: no variables, no patterns, no
/// pipes.
///
/// - Thread: any
enum ShellWords {
  /// - Returns: nil where a quote is left open, or a backslash stands at the end.
  static func split(_ text: String) -> [String]? {
    var words: [String] = []
    var word: String?
    var quote: Character?
    var characters = text.makeIterator()
    while let character = characters.next() {
      switch (quote, character) {
      case ("'", "'"), ("\"", "\""):
        quote = nil
      case ("'", _):
        word = (word ?? "") + String(character)
      case ("\"", "\\"):
        guard let next = characters.next() else { return nil }
        // Between double quotes a backslash is itself before anything that has no meaning there.
        word = (word ?? "") + ("\"\\$`".contains(next) ? "" : "\\") + String(next)
      case ("\"", _):
        word = (word ?? "") + String(character)
      case (_, "\\"):
        guard let next = characters.next() else { return nil }
        word = (word ?? "") + String(next)
      case (_, "'"), (_, "\""):
        quote = character
        word = word ?? ""
      case (_, " "), (_, "\t"), (_, "\n"):
        if let word { words.append(word) }
        word = nil
      default:
        word = (word ?? "") + String(character)
      }
    }
    guard quote == nil else { return nil }
    if let word { words.append(word) }
    return words
  }
}
