public import OSCWire

/// The one table of addresses: decoder, documentation, OSCQuery and layouts are made from it.
///
/// - Thread: any
public enum OSCAddressTable {
  public static let prefix = "/tactus/"
  /// Stands first in a packet that a program of this machine sends for somebody else, with the
  /// number of their network address: the packet has no more rights than that address.
  public static let onBehalfOf = "/tactus/from"

  public static let rows: [OSCAddressRow] =
    transportRows + tempoRows + rampRows + clickRows + muteRows + soundRows + practiceRows
    + presetRows + outputRows + takeRows + serviceRows + eventRows

  private static let indexByPath: [String: Int] = {
    var index: [String: Int] = [:]
    for (position, row) in rows.enumerated() where !row.path.contains("<") {
      index[row.path] = position
    }
    return index
  }()

  /// Rows with a name in the middle: `midi/<port>/clock`.
  private static let indexByTail: [String: Int] = {
    var index: [String: Int] = [:]
    for (position, row) in rows.enumerated() where row.path.contains("<") {
      index[String(row.path.split(separator: "/").last ?? "")] = position
    }
    return index
  }()

  /// The row of an address without wildcards, and the name in its middle.
  public static func row(for address: String) -> (row: OSCAddressRow, port: String)? {
    guard address.hasPrefix(prefix) else { return nil }
    let path = String(address.dropFirst(prefix.count))
    if let position = indexByPath[path] { return (rows[position], "") }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == "midi", OSCArgument.isSafeName(String(parts[1])),
      let position = indexByTail[String(parts[2])]
    else { return nil }
    return (rows[position], String(parts[1]))
  }

  /// The addresses that a pattern reaches: those of the table and the `known` ones with names.
  ///
  /// A wildcard never reaches what only the owner may do, nor what is only sent.
  public static func addresses(
    matching pattern: OSCAddressPattern, known: [String] = []
  ) -> [String] {
    var found: [String] = []
    for row in rows where !row.path.contains("<") {
      guard row.permission != .admin, row.access != .event, pattern.matches(row.address) else {
        continue
      }
      found.append(row.address)
    }
    for address in known where pattern.matches(address) {
      guard let row = row(for: address)?.row, row.path.contains("<"), row.permission != .admin
      else { continue }
      found.append(address)
    }
    return found
  }

  /// What a message to an address without wildcards asks for.
  ///
  /// - Throws: why it is refused; an unknown address too.
  public static func decode(_ message: OSCMessage) throws(OSCRefusal) -> OSCIntent {
    guard let (row, port) = row(for: message.address) else { throw unknown(message.address) }
    return try row.decode(message.arguments, port: port)
  }

  package static func unknown(_ address: String) -> OSCRefusal {
    OSCRefusal(
      .unknown, "address \(address.prefix(120)) is unknown: see `tactus osc list`")
  }
}
