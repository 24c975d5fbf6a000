/// A daemon as it is announced on one interface of the network.
///
/// - Thread: any
public struct AnnouncedDaemon: Hashable, Sendable {
  /// `Tactus`, or `Tactus #2` where several are announced.
  public var name: String
  /// The machine, as others call it: `stage.local`.
  public var host: String
  /// In numbers; of a link-local one the interface stands behind a `%`.
  public var address: String
  public var port: UInt16
  /// The number of the interface on which it was heard.
  public var interface: Int32
  public var isIPv6: Bool

  public init(
    name: String, host: String, address: String, port: UInt16, interface: Int32, isIPv6: Bool
  ) {
    self.name = name
    self.host = host
    self.address = address
    self.port = port
    self.interface = interface
    self.isIPv6 = isIPv6
  }

  /// Whether a service of the type `_osc._udp` is one of ours: other OSC programs use the type too.
  public static func isOurs(_ name: String) -> Bool {
    guard name.hasPrefix("Tactus") else { return false }
    let rest = name.dropFirst("Tactus".count)
    // A name that is taken is tried again with a number behind it.
    return rest.isEmpty || rest.hasPrefix(" #") && Int(rest.dropFirst(2)) != nil
  }
}

/// What is seen of daemons on the network, as one line of text: `tactus-web` writes it, the
/// companion reads it.
///
/// - Thread: any
public enum DaemonSighting: Hashable, Sendable {
  /// It is there, or it has moved to another address or port.
  case seen(AnnouncedDaemon)
  case gone(name: String, interface: Int32, isIPv6: Bool)
  /// Everything that is announced now has been told.
  case complete
  /// Nothing can be seen now, and why.
  case unavailable(String)

  public var line: String {
    switch self {
    case .seen(let daemon):
      // The name comes last: only it has spaces.
      "seen \(daemon.interface) \(daemon.isIPv6 ? 6 : 4) \(daemon.port) \(daemon.address) "
        + "\(daemon.host) \(daemon.name)"
    case .gone(let name, let interface, let isIPv6):
      "gone \(interface) \(isIPv6 ? 6 : 4) \(name)"
    case .complete: "complete"
    case .unavailable(let reason): "unavailable \(reason)"
    }
  }

  /// - Returns: nil where the line says none of this.
  public init?(line: String) {
    func words(_ count: Int) -> [String]? {
      let words = line.split(separator: " ", maxSplits: count - 1).map(String.init)
      return words.count == count ? words : nil
    }
    switch line.prefix(while: { $0 != " " }) {
    case "seen":
      guard let words = words(7), let interface = Int32(words[1]),
        let isIPv6 = DaemonSighting.isIPv6(words[2]), let port = UInt16(words[3]), port > 0,
        AnnouncedDaemon.isOurs(words[6])
      else { return nil }
      self = .seen(
        AnnouncedDaemon(
          name: words[6], host: words[5], address: words[4], port: port, interface: interface,
          isIPv6: isIPv6))
    case "gone":
      guard let words = words(4), let interface = Int32(words[1]),
        let isIPv6 = DaemonSighting.isIPv6(words[2])
      else { return nil }
      self = .gone(name: words[3], interface: interface, isIPv6: isIPv6)
    case "complete" where line == "complete": self = .complete
    case "unavailable":
      guard let words = words(2) else { return nil }
      self = .unavailable(words[1])
    default: return nil
    }
  }

  private static func isIPv6(_ word: String) -> Bool? {
    word == "6" ? true : word == "4" ? false : nil
  }
}
