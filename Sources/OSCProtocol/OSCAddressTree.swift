public import OSCWire
internal import MetronomeModel

/// The address table as OSCQuery's JSON: FULL_PATH, CONTENTS, TYPE, ACCESS, RANGE, VALUE.
///
/// Source: the OSCQuery proposal.
///
/// - Thread: any
public struct OSCAddressTree {
  private final class Node {
    var children: [(name: String, node: Node)] = []
    var row: OSCAddressRow?

    func child(_ name: String) -> Node {
      if let found = children.first(where: { $0.name == name }) { return found.node }
      let node = Node()
      children.append((name, node))
      return node
    }
  }

  private let root = Node()
  private let values: (String) -> [OSCValue]?

  /// - Parameters:
  ///   - ports: the MIDI ports that there are.
  ///   - values: what is published at an address.
  public init(ports: [String] = [], values: @escaping (String) -> [OSCValue]? = { _ in nil }) {
    self.values = values
    for row in OSCAddressTable.rows {
      guard row.path.contains("<port>") else {
        insert(row, at: row.address)
        continue
      }
      for port in ports {
        insert(
          row,
          at: OSCAddressTable.prefix + "midi/\(port)/" + (row.path.split(separator: "/").last ?? "")
        )
      }
    }
  }

  private func insert(_ row: OSCAddressRow, at address: String) {
    var node = root
    for part in address.split(separator: "/") { node = node.child(String(part)) }
    node.row = row
  }

  /// The node at an address with all below it.
  ///
  /// - Returns: nil where there is no such address.
  public func json(at address: String = "/") -> String? {
    guard let node = node(at: address) else { return nil }
    return json(node, path: address.hasSuffix("/") ? String(address.dropLast()) : address)
  }

  /// One attribute of a node as an object of its own: `{"VALUE":[120]}`.
  ///
  /// - Returns: nil where there is no such address or attribute.
  public func json(attribute: String, at address: String) -> String? {
    guard let node = node(at: address) else { return nil }
    return attributes(node, path: address).first { $0.name == attribute }
      .map { "{\(JSONText.quoted($0.name)):\($0.value)}" }
  }

  private func node(at address: String) -> Node? {
    var node = root
    for part in address.split(separator: "/") {
      guard let next = node.children.first(where: { $0.name == part }) else { return nil }
      node = next.node
    }
    return node
  }

  private func json(_ node: Node, path: String) -> String {
    var members = attributes(node, path: path.isEmpty ? "/" : path)
    if !node.children.isEmpty {
      let children = node.children.map {
        "\(JSONText.quoted($0.name)):\(json($0.node, path: "\(path)/\($0.name)"))"
      }
      members.append(("CONTENTS", "{\(children.joined(separator: ","))}"))
    }
    return "{" + members.map { "\(JSONText.quoted($0.name)):\($0.value)" }.joined(separator: ",")
      + "}"
  }

  private func attributes(_ node: Node, path: String) -> [(name: String, value: String)] {
    var members = [("FULL_PATH", JSONText.quoted(path))]
    guard let row = node.row else {
      members.append(("ACCESS", "0"))
      return members
    }
    members.append(("DESCRIPTION", JSONText.quoted(row.documentation)))
    members.append(("ACCESS", OSCAddressTree.access(row)))
    let published = values(path)
    let arguments = row.queryArguments(published)
    if row.access == .trigger {
      // A press: apps without buttons that send nothing send true.
      members.append(("TYPE", JSONText.quoted("T")))
    } else if !arguments.isEmpty {
      members.append(("TYPE", JSONText.quoted(arguments.map(\.queryType).joined())))
      members.append(("RANGE", "[" + arguments.map(\.queryRange).joined(separator: ",") + "]"))
      if arguments.contains(where: { !$0.unit.isEmpty }) {
        let units = arguments.map { $0.unit.isEmpty ? "null" : JSONText.quoted($0.unit) }
        members.append(("UNIT", "[\(units.joined(separator: ","))]"))
      }
    } else if let published {
      members.append(("TYPE", JSONText.quoted(String(published.map(\.tag)))))
    }
    if let shown = published.flatMap(row.queryValues) {
      members.append(("VALUE", "[" + shown.map(JSONText.value).joined(separator: ",") + "]"))
    }
    return members
  }

  private static func access(_ row: OSCAddressRow) -> String {
    switch row.access {
    case .value: "3"
    case .trigger, .action: "2"
    case .report, .event: "1"
    }
  }
}
