import CommandLineOptions
import OSCProtocol
import OSCWire

/// Addresses as words on a command line: `tempo nudge 2` is `/tactus/tempo/nudge 2`.
enum ControlWords {
  /// The messages of a command line; a comma stands between commands of one bundle.
  static func messages(_ words: [String]) throws(OptionError) -> [OSCMessage] {
    var messages: [OSCMessage] = []
    for command in words.split(separator: ",", omittingEmptySubsequences: false) {
      messages.append(try message(Array(command)))
    }
    return messages
  }

  private static func message(_ words: [String]) throws(OptionError) -> OSCMessage {
    guard let first = words.first else {
      throw .text("a command is missing: write COMMAND [ARGUMENTS] [, COMMAND [ARGUMENTS]]")
    }
    guard let (address, count) = address(words) else {
      let near = NearestName.of(bare(first), among: OSCAddressTable.rows.map(\.path))
      throw .text(
        "command '\(OptionError.excerpt(first))' is unknown: "
          + (near.map { "did you mean '\($0)'?" } ?? "'tactus osc list' shows them all"))
    }
    let typed = words.dropFirst(count).map { CommandWords.Word(text: $0, isQuoted: false) }
    return OSCMessage(address, CommandWords.values(typed, for: address))
  }

  /// The longest address that the first words make, and how many they are.
  static func address(_ words: [String]) -> (address: String, count: Int)? {
    for count in (1...4).reversed() where count <= words.count {
      let path = bare(words[..<count].joined(separator: "/"))
      let address = OSCAddressTable.prefix + path
      guard let found = OSCAddressTable.row(for: address), found.row.access != .event else {
        continue
      }
      return (address, count)
    }
    return nil
  }

  private static func bare(_ text: String) -> String {
    text.hasPrefix(OSCAddressTable.prefix)
      ? String(text.dropFirst(OSCAddressTable.prefix.count)) : text
  }

  /// Help about one address, or about all below a word.
  static func help(_ words: [String], width: Int) -> String? {
    guard let first = words.first else { return nil }
    if let (address, _) = address(words), let row = OSCAddressTable.row(for: address)?.row {
      return usage(row)
    }
    let below = OSCAddressTable.rows.filter {
      $0.access != .event && $0.path.hasPrefix(bare(first) + "/")
    }
    guard !below.isEmpty else { return nil }
    return below.map { usage($0) }.joined(separator: "\n")
  }

  private static func usage(_ row: OSCAddressRow) -> String {
    let words = row.path.split(separator: "/").joined(separator: " ")
    var text = ""
    for form in row.forms.isEmpty ? [[]] : row.forms {
      let names = form.map { $0.isOptional ? "[\($0.name)]" : $0.name }
      text += "Usage: tactus ctl \(([words] + names).joined(separator: " "))\n"
    }
    text += "  \(row.documentation)\n"
    let arguments = OSCAddressListing.arguments(of: row)
    if !arguments.isEmpty { text += "  Arguments: \(arguments)\n" }
    if row.access == .value { text += "  Without arguments it shows the value.\n" }
    text += "  OSC address: \(row.address)\n"
    return text
  }
}
