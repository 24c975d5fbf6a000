internal import MusicalTime
internal import OSCWire

/// What the ports of one host ask for together: a host has as many ports as it likes.
///
/// - Thread: control
struct HostTable {
  /// Nanoseconds between two bundles (state, lists, figures) to one host: 5 a second, five at once.
  static let bundleInterval: Int64 = 200_000_000
  static let bundleBurst: Int64 = 5
  /// Nanoseconds that a bundle may be put off; what would wait longer is refused.
  static let longestWait: Int64 = 1_000_000_000
  /// Single answers (values, errors) a second and host.
  static let answersPerSecond: Double = 500
  /// More hosts than a stage has.
  static let capacity = 256

  private struct Record {
    /// When the bundles that were promised will all have had their time.
    var busyUntil: Int64 = .min
    var answers = MessageRate(perSecond: answersPerSecond, most: answersPerSecond)
  }

  private var records: [SocketAddress: Record] = [:]

  private mutating func update<Result>(
    _ host: SocketAddress, _ change: (inout Record) -> Result
  ) -> Result {
    // Where there are more, all begin anew: each then has its burst once more.
    if records[host] == nil, records.count >= HostTable.capacity { records.removeAll() }
    return change(&records[host, default: Record()])
  }

  /// When one more bundle may be sent to a client; this machine's clients do not share.
  ///
  /// - Returns: nil where that would be too late; then it is refused.
  mutating func reserveBundle(_ client: ClientIdentity, _ now: MonotonicTime) -> Int64? {
    guard !client.isLocal else { return now.nanoseconds }
    return update(client.host) { record in
      let busyUntil = max(record.busyUntil, now.nanoseconds)
      let burst = (HostTable.bundleBurst - 1) * HostTable.bundleInterval
      let at = max(now.nanoseconds, busyUntil - burst)
      guard at - now.nanoseconds <= HostTable.longestWait else { return nil }
      record.busyUntil = busyUntil + HostTable.bundleInterval
      return at
    }
  }

  /// Takes one answer out of the host's rate.
  mutating func takeAnswer(_ client: ClientIdentity, _ now: MonotonicTime) -> Bool {
    guard !client.isLocal else { return true }
    return update(client.host) { $0.answers.take(now) }
  }
}
