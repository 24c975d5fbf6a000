public import OSCProtocol
public import OSCWire
public import MetronomeModel

/// What the OSC server is started with.
///
/// - Thread: any
public struct OSCServerConfiguration: Sendable {
  /// UDP and TCP; 0 is any free port.
  public var port: Int
  public var access: NetworkAccess
  /// Targets that are always told, and what of; they never expire.
  public var fixedTargets: [(address: SocketAddress, topics: SubscriptionTopics)]

  public init(
    port: Int = 9_700, access: NetworkAccess = NetworkAccess(),
    fixedTargets: [(address: SocketAddress, topics: SubscriptionTopics)] = []
  ) {
    self.port = port
    self.access = access
    self.fixedTargets = fixedTargets
  }
}

extension SubscriptionTopics {
  public init(_ topics: Set<FeedbackTarget.Topic>) {
    self = []
    for topic in topics {
      switch topic {
      case .beat: formUnion(.beat)
      case .sub: formUnion(.sub)
      case .state: formUnion(.state)
      }
    }
  }
}

/// Why the OSC server could not be started.
public enum OSCServerError: Error, Equatable, Sendable, CustomStringConvertible {
  /// `isTactus` where another tactusd answered on it.
  case portTaken(Int, isTactus: Bool)
  case socket(port: Int, reason: String)

  public var description: String {
    switch self {
    case .portTaken(let port, let isTactus):
      "OSC port \(port) is taken"
        + (isTactus ? " by another tactusd, which answers on it" : " by another program")
        + ": end that one, or choose another with --osc-port PORT (0 for any free port, off for none)"
    case .socket(let port, let reason):
      "OSC port \(port) cannot be opened: \(reason); choose another with --osc-port PORT, or off"
    }
  }
}

/// What the server counts.
public struct OSCServerCounters: Equatable, Sendable {
  public var packets = 0
  public var messages = 0
  public var malformed = 0
  /// Packets from addresses that are not heard.
  public var unheard = 0
  /// Messages refused for want of permission.
  public var forbidden = 0
  /// Messages over the rate that were dropped or replaced by a newer value.
  public var overRate = 0
  public var refused = 0
  /// Messages for other programs.
  public var ignored = 0
  public var held = 0
  public var expiredSubscribers = 0
  public var sent = 0
  /// Packets not sent to subscribers that have shown no sign of being there.
  public var withheld = 0
}
