public import MusicalTime
public import OSCProtocol
public import OSCWire
internal import RealtimeHost

/// The daemon's values as its OSC feedback tells them, for those who ask over the web.
///
/// It subscribes when somebody asks and lets the lease run out when nobody does, so that a daemon
/// that plays does not wake this process for nothing.
///
/// - Thread: web
public final class DaemonMirror {
  public let client: OSCClient
  private var values: [String: [OSCValue]] = [:]
  private var ports: Set<String> = []
  private var tree: OSCAddressTree?
  private var renewedAt: MonotonicTime?
  private var token: Int32 = 0
  private var answeredToken: Int32 = 0

  /// The lease of a subscription; it is renewed when a question comes in its second half.
  private static let leaseSeconds: Int32 = 60

  public init(client: OSCClient) { self.client = client }

  /// Makes sure that the daemon tells of its changes.
  ///
  /// - Returns: whether every value is known already; else `isComplete` becomes true.
  public func refresh(now: MonotonicTime) -> Bool {
    let age = renewedAt.map { now.nanoseconds(since: $0) } ?? .max
    let lease = Int64(DaemonMirror.leaseSeconds) * 1_000_000_000
    if age > lease / 2 {
      if age >= lease - 1_000_000_000 { token &+= 1 }
      renewedAt = now
      client.send([
        OSCMessage(
          "/tactus/subscribe", .int32(0), .string("state"), .int32(DaemonMirror.leaseSeconds)),
        OSCMessage("/tactus/ping", .int32(token)),
      ])
    }
    return isComplete
  }

  /// Whether the daemon has told everything since it was last asked.
  public var isComplete: Bool { answeredToken == token }

  /// Takes what has arrived.
  ///
  /// - Returns: the messages of values that are new, in order.
  public func collect() -> [OSCMessage] {
    var changes: [OSCMessage] = []
    while let got = try? client.receive(waitNanoseconds: 0) {
      let message = got.message
      if message == OSCMessage("/tactus/pong", .int32(token)) { answeredToken = token }
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
