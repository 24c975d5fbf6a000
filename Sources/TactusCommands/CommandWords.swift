import CommandLineOptions
import MetronomeModel
import MusicalTime
import OSCProtocol
import OSCWire

/// A command as words: an address, with or without `/tactus/`, and its arguments.
enum CommandWords {
  struct Word: Equatable {
    var text: String
    /// Written in quotes: text, whatever it looks like.
    var isQuoted: Bool
  }

  /// Splits at blanks; quotes hold blanks together, `#` begins a comment.
  static func split(_ line: String, source: String) throws(OptionError) -> [Word] {
    var words: [Word] = []
    var rest = line[...]
    while true {
      rest = rest.drop { $0.isWhitespace }
      guard let first = rest.first, first != "#" else { return words }
      if first == "\"" || first == "'" {
        rest = rest.dropFirst()
        guard let close = rest.firstIndex(of: first) else {
          throw .text("\(source): a quote is not closed: end it with \(first)")
        }
        words.append(Word(text: String(rest[..<close]), isQuoted: true))
        rest = rest[rest.index(after: close)...]
      } else {
        let word = rest.prefix { !$0.isWhitespace }
        words.append(Word(text: String(word), isQuoted: false))
        rest = rest.dropFirst(word.count)
      }
    }
  }

  static func address(_ text: String) -> String {
    text.hasPrefix("/") ? text : OSCAddressTable.prefix + text
  }

  /// The message that the words mean.
  static func message(_ words: [Word]) -> OSCMessage {
    let address = address(words.first?.text ?? "")
    return OSCMessage(address, values(Array(words.dropFirst()), for: address))
  }

  /// The arguments of an address; what names a preset, a map or a section is text also where it is
  /// digits.
  static func values(_ words: [Word], for address: String) -> [OSCValue] {
    let row = OSCAddressTable.row(for: address)?.row
    let takesName = row?.forms.first?.first?.takesName == true
    return words.enumerated().map { index, word in
      index == 0 && takesName ? .string(word.text) : value(word)
    }
  }

  /// Whole numbers, decimals, T and F as such; everything else is text.
  static func value(_ word: Word) -> OSCValue {
    // A plus is kept: '+5' for a tempo is a difference.
    if word.isQuoted || word.text.hasPrefix("+") { return .string(word.text) }
    if let whole = Int32(word.text) { return .int32(whole) }
    if let whole = Int64(word.text) { return .int64(whole) }
    switch word.text {
    case "T", "true", "on": return .true
    case "F", "false", "off": return .false
    default: break
    }
    let looksNumeric = word.text.utf8.allSatisfy {
      ($0 >= 0x30 && $0 <= 0x39) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-")
        || $0 == UInt8(ascii: "e")
    }
    if looksNumeric, let number = Double(word.text) { return .double(number) }
    return .string(word.text)
  }

  /// The request that the words mean, for where no daemon answers questions.
  ///
  /// - Parameter instant: when the words are said, for taps; without it they are refused.
  static func command(
    _ words: [Word], source: String, at instant: MonotonicTime? = nil
  ) throws(OptionError) -> ControlCommand {
    let message = message(words)
    guard OSCAddressTable.row(for: message.address) != nil else {
      let names = OSCAddressTable.rows.map(\.path)
      let word = words.first?.text ?? ""
      let bare = word.hasPrefix(OSCAddressTable.prefix) ? String(word.dropFirst(8)) : word
      let near = NearestName.of(bare, among: names).map { ": did you mean '\($0)'?" }
      throw .text(
        "\(source): address '\(OptionError.excerpt(word))' is unknown"
          + (near ?? ": 'tactus osc list' shows them all"))
    }
    let intent: OSCIntent
    do throws(OSCRefusal) { intent = try OSCAddressTable.decode(message) } catch {
      throw .text("\(source): \(error.reason)")
    }
    if case .tap = intent, let instant { return .tap(at: instant, series: 0) }
    guard case .command(let command) = intent else {
      throw .text(
        "\(source): \(message.address) does nothing here: give it a value, or another address")
    }
    return command
  }
}
