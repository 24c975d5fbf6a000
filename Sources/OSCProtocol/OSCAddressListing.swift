/// The address table as text for people.
///
/// - Thread: any
public enum OSCAddressListing {
  /// The list of the README: an item for each address, no line longer than `markdownWidth`.
  public static func markdown() -> String {
    OSCAddressTable.rows.map { row in
      let arguments = arguments(of: row)
      let kind = "\(row.access.rawValue), \(who(row))"
      let text =
        row.documentation + (arguments.isEmpty ? "" : " Arguments: \(arguments).")
      return wrapped("- `\(row.address)` (\(kind)): \(text)")
    }.joined()
  }

  static let markdownWidth = 140

  /// Lines that are one item of a list, broken between words.
  private static func wrapped(_ text: String) -> String {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      if let last = lines.last, last.count + 1 + word.count <= markdownWidth {
        lines[lines.count - 1] += " \(word)"
      } else {
        lines.append(lines.isEmpty ? String(word) : "  \(word)")
      }
    }
    return lines.map { $0 + "\n" }.joined()
  }

  /// One line an address: what `tactus osc list` prints.
  public static func plain() -> String {
    let width = OSCAddressTable.rows.map(\.address.count).max() ?? 0
    return OSCAddressTable.rows.map { row in
      let address = row.address + String(repeating: " ", count: width - row.address.count)
      let arguments = arguments(of: row)
      return "\(address)  \(arguments.isEmpty ? "" : arguments + ". ")\(row.documentation)\n"
    }.joined()
  }

  /// The argument forms with their ranges and units; optional ones in brackets.
  public static func arguments(of row: OSCAddressRow) -> String {
    if row.access == .trigger { return "none, or 1/0" }
    return row.forms.map { form in
      form.map(describe).joined(separator: ", ")
    }.joined(separator: "; or ")
  }

  private static func describe(_ argument: OSCArgument) -> String {
    var text = argument.name
    let range = argument.rangeText
    let unit = argument.unit
    let hasUnit = !unit.isEmpty && !range.hasSuffix(unit)
    if !range.isEmpty { text += " \(range)" }
    if hasUnit { text += " \(unit)" }
    return argument.isOptional ? "[\(text)]" : text
  }

  private static func who(_ row: OSCAddressRow) -> String {
    switch row.permission {
    case .observe: "anyone"
    case .play: "players"
    case .admin: "owner"
    }
  }
}
