internal import MusicalTime
internal import OSCWire

/// A host and port as a person wrote them.
struct HostName: Hashable, Sendable, CustomStringConvertible {
  let host: String
  let port: UInt16

  var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

/// Where the hosts of targets are: names are looked up elsewhere, again and again until they are
/// found, and once a minute after that, as a lamp may get another address.
///
/// - Thread: control; time is an argument
struct HostBook {
  /// What a lookup has changed.
  enum News: Equatable {
    case found(HostName, SocketAddress)
    case moved(HostName, SocketAddress)
    case unknown(HostName)
  }

  /// Nanoseconds from one failure to the next try; doubled each time.
  static let firstDelay: Int64 = 1_000_000_000
  static let longestDelay: Int64 = 60_000_000_000

  private struct Entry {
    var address: SocketAddress?
    var tryAt: MonotonicTime
    var delay = HostBook.firstDelay
    var isAsked = false
    var isReported = false
  }

  private var entries: [HostName: Entry] = [:]

  /// These hosts are needed, and no others; those that are known stay known.
  mutating func need(_ names: Set<HostName>, now: MonotonicTime) {
    for name in entries.keys where !names.contains(name) { entries[name] = nil }
    for name in names where entries[name] == nil {
      var entry = Entry(address: SocketAddress(numeric: name.host, port: name.port), tryAt: now)
      // A number says itself where it is.
      if entry.address != nil { entry.tryAt = .distantFuture }
      entries[name] = entry
    }
  }

  /// nil while nobody has said where it is.
  func address(of name: HostName) -> SocketAddress? { entries[name]?.address }

  /// The names that are to be looked up now.
  mutating func takeDue(_ now: MonotonicTime) -> [HostName] {
    let due = entries.keys.filter { name in
      entries[name].map { !$0.isAsked && $0.tryAt <= now } ?? false
    }.sorted { ($0.host, $0.port) < ($1.host, $1.port) }
    for name in due { entries[name]?.isAsked = true }
    return due
  }

  /// What a lookup came to: nil where it failed, and then what was known stays.
  ///
  /// - Returns: what a person should know, each thing once.
  mutating func take(_ name: HostName, _ address: SocketAddress?, now: MonotonicTime) -> News? {
    guard var entry = entries[name] else { return nil }
    defer { entries[name] = entry }
    entry.isAsked = false
    guard let address else {
      entry.tryAt = now.advanced(byNanoseconds: entry.delay)
      entry.delay = min(entry.delay * 2, HostBook.longestDelay)
      guard entry.address == nil, !entry.isReported else { return nil }
      entry.isReported = true
      return .unknown(name)
    }
    entry.tryAt = now.advanced(byNanoseconds: HostBook.longestDelay)
    entry.delay = HostBook.firstDelay
    let before = entry.address
    entry.address = address
    if before == address { return nil }
    guard before == nil else { return .moved(name, address) }
    // Where nothing was wrong there is nothing to report.
    return .found(name, address)
  }

  /// Whether a failure of this name has been reported.
  func wasUnknown(_ name: HostName) -> Bool { entries[name]?.isReported ?? false }

  /// When a name is to be looked up; nil where none is.
  var nextDeadline: MonotonicTime? {
    entries.values.lazy.filter { !$0.isAsked }.map(\.tryAt).min().flatMap {
      $0 == .distantFuture ? nil : $0
    }
  }
}
