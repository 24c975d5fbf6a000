/// The address table as text for people.
///
/// - Thread: any
public enum OSCAddressListing {
  /// The README's table.
  public static func markdown() -> String {
    var lines = ["| address | arguments | access | who | |", "| --- | --- | --- | --- | --- |"]
    for row in OSCAddressTable.rows {
      let cells = [
        "`\(row.address)`", escaped(arguments(of: row)), row.access.rawValue, who(row),
        escaped(row.documentation),
      ]
      lines.append("| " + cells.joined(separator: " | ") + " |")
    }
    return lines.joined(separator: "\n") + "\n"
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

  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      if character == "|" { result += "\\" }
      result.append(character)
    }
    return result
  }
}
