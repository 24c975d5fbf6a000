public import OSCProtocol
public import OSCWire

/// The daemon's values as its OSC feedback tells them, for those who ask over the web.
///
/// - Thread: discovery
public final class DaemonMirror {
  public let client: OSCClient
  private var values: [String: [OSCValue]] = [:]
  private var ports: Set<String> = []
  private var tree: OSCAddressTree?

  public init(client: OSCClient) { self.client = client }

  /// Keeps the subscription alive; every twenty seconds.
  public func renew() {
    client.send([OSCMessage("/tactus/subscribe", .int32(0), .string("state"))])
  }

  /// Takes what has arrived.
  ///
  /// - Returns: the messages of values that are new, in order.
  public func collect() -> [OSCMessage] {
    var changes: [OSCMessage] = []
    while let got = try? client.receive(waitNanoseconds: 0) {
      let message = got.message
      guard OSCAddressTable.row(for: message.address) != nil,
        values[message.address] != message.arguments
      else { continue }
      let parts = message.address.split(separator: "/")
      if parts.count == 4, parts[1] == "midi", ports.insert(String(parts[2])).inserted {
        tree = nil
      }
      values[message.address] = message.arguments
      changes.append(message)
    }
    return changes
  }

  public func value(at address: String) -> [OSCValue]? { values[address] }

  /// The address space with its present values.
  public func addressTree() -> OSCAddressTree {
    if let tree { return tree }
    let made = OSCAddressTree(ports: ports.sorted()) { [weak self] in self?.values[$0] }
    tree = made
    return made
  }
}
