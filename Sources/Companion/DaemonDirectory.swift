public import OSCProtocol
internal import OSCWire

/// Which daemons are announced on the network, and which of them is the companion's.
///
/// - Thread: any
public struct DaemonDirectory: Sendable {
  /// What is to be followed.
  public enum Choice: Equatable, Sendable {
    case none
    case one(AnnouncedDaemon)
    /// Nothing says which; sorted by name.
    case several([AnnouncedDaemon])
  }

  /// Whether everything that is announced has been told.
  public private(set) var isComplete = false
  /// Why nothing can be seen.
  public private(set) var reason: String?
  private var seen: [AnnouncedDaemon] = []

  public init() {}

  public mutating func take(_ sighting: DaemonSighting) {
    switch sighting {
    case .seen(let daemon):
      remove(daemon.name, daemon.interface, daemon.isIPv6)
      // More than a network has: somebody floods it.
      if seen.count < 256 { seen.append(daemon) }
    case .gone(let name, let interface, let isIPv6): remove(name, interface, isIPv6)
    case .complete:
      isComplete = true
      reason = nil
    case .unavailable(let reason):
      self.reason = reason
      isComplete = false
      seen.removeAll()
    }
  }

  private mutating func remove(_ name: String, _ interface: Int32, _ isIPv6: Bool) {
    seen.removeAll { $0.name == name && $0.interface == interface && $0.isIPv6 == isIPv6 }
  }

  /// Each daemon once, by its best address: IPv4 first, as for a host's name, and link-local last.
  public var daemons: [AnnouncedDaemon] {
    Dictionary(grouping: seen, by: \.name).values.compactMap { places in
      places.min { DaemonDirectory.rank($0) < DaemonDirectory.rank($1) }
    }.sorted { ($0.name.utf8.count, $0.name) < ($1.name.utf8.count, $1.name) }
  }

  private static func rank(_ daemon: AnnouncedDaemon) -> (Int, Int32, String) {
    let isLinkLocal = daemon.address.hasPrefix("fe80:") || daemon.address.hasPrefix("169.254.")
    return ((isLinkLocal ? 2 : 0) + (daemon.isIPv6 ? 1 : 0), daemon.interface, daemon.address)
  }

  /// - Parameters:
  ///   - wanted: a daemon's name or its machine's; nil takes the only one.
  ///   - current: the one that is followed; it stays so while it is announced, at its address.
  public func choice(
    named wanted: String?, following current: AnnouncedDaemon? = nil
  ) -> Choice {
    // A better address of the same daemon is no reason to move.
    if let current, seen.contains(current) { return .one(current) }
    var daemons = daemons
    if let wanted {
      let words = wanted.lowercased()
      daemons = daemons.filter { daemon in
        let host = daemon.host.lowercased()
        return daemon.name.lowercased() == words || host == words || host == "\(words).local"
      }
    }
    if let same = daemons.first(where: { $0.name == current?.name }) { return .one(same) }
    guard let only = daemons.first else { return .none }
    return daemons.count == 1 ? .one(only) : .several(daemons)
  }
}

extension AnnouncedDaemon: CustomStringConvertible {
  /// For people: `Tactus on stage.local (10.0.0.5, port 9700)`.
  public var description: String { "\(name) on \(host) (\(address), port \(port))" }
}
