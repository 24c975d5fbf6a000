internal import MetronomeModel

/// How people name a port to connect to: `Client`, `Client:Port`, `Client:*`.
///
/// A client alone is its first port that takes input. `*` and `?` match within either name, case
/// does not matter, and of equal devices `Name` is the first and `Name#2` the second. A port may
/// be named without its client's name in front of it, as in `UM-4:MIDI 3`. Where no client has
/// the name, a port that has it is meant. Blanks at either end of a name do not count: some drivers
/// pad theirs, and no shell shows it.
///
/// - Thread: control
public struct PortPattern: Equatable, Sendable {
  public let text: String

  public init(_ text: String) { self.text = text }

  /// The ports meant, among those that are there.
  ///
  /// - Parameters:
  ///   - sources: whether those that give are meant, not those that take.
  ///   - ordinal: which of several equal devices a client is, from 1.
  public func matches(
    in ports: [SequencerPort], sources: Bool = false, ordinal: (SequencerPort) -> Int
  ) -> [SequencerPort] {
    let candidates = ports.filter { sources ? $0.givesOutput : $0.takesInput }
    // A client's own name may hold colons, so the whole text is a client first, and then every
    // colon may be the one that parts client and port.
    let whole = clients(text, in: candidates, ordinal)
    if !whole.isEmpty { return firstPorts(of: whole) }
    for index in text.indices where text[index] == ":" {
      let client = String(text[..<index])
      let port = String(text[text.index(after: index)...])
      let found = clients(client, in: candidates, ordinal).filter {
        PortPattern.isPort($0, port, among: candidates)
      }
      if !found.isEmpty { return found }
    }
    let named = candidates.filter { NamePattern.matches(text, $0.portName) && ordinal($0) == 1 }
    return named.isEmpty ? numbered(in: candidates) : Array(named.prefix(1))
  }

  /// All ports of the clients that a name means.
  private func clients(
    _ name: String, in ports: [SequencerPort], _ ordinal: (SequencerPort) -> Int
  ) -> [SequencerPort] {
    let exact = ports.filter { NamePattern.matches(name, $0.clientName) && ordinal($0) == 1 }
    if !exact.isEmpty { return exact }
    guard let mark = name.lastIndex(of: "#"),
      let wanted = Int(name[name.index(after: mark)...]), wanted >= 1
    else { return [] }
    let base = String(name[..<mark])
    return ports.filter { NamePattern.matches(base, $0.clientName) && ordinal($0) == wanted }
  }

  private func firstPorts(of ports: [SequencerPort]) -> [SequencerPort] {
    var seen: Set<UInt8> = []
    return ports.sorted {
      ($0.address.client, $0.address.port) < ($1.address.client, $1.address.port)
    }.filter { seen.insert($0.address.client).inserted }
  }

  private static func isPort(
    _ port: SequencerPort, _ name: String, among ports: [SequencerPort]
  ) -> Bool {
    if NamePattern.matches(name, port.portName)
      || NamePattern.matches(port.clientName + " " + name, port.portName)
    {
      return true
    }
    // A number, where no port of the client has such a name.
    guard let number = UInt8(name), number == port.address.port else { return false }
    return !ports.contains {
      $0.address.client == port.address.client && NamePattern.matches(name, $0.portName)
    }
  }

  /// `20:0`, for those who know the numbers of the day.
  private func numbered(in ports: [SequencerPort]) -> [SequencerPort] {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let client = UInt8(parts[0]), let port = UInt8(parts[1]) else {
      return []
    }
    return ports.filter { $0.address == SequencerAddress(client: client, port: port) }
  }
}

/// Tells equal devices apart by where they are plugged in, and keeps what it once said.
///
/// - Thread: control
public struct DeviceOrdinals: Sendable {
  private var places: [String: [String]] = [:]

  public init() {}

  /// Takes in who is there: places seen for the first time come after the known ones, in order.
  public mutating func observe(_ ports: [SequencerPort]) {
    var fresh: [String: Set<String>] = [:]
    for port in ports {
      let place = DeviceOrdinals.place(of: port)
      if places[NamePattern.trimmed(port.clientName)]?.contains(place) != true {
        fresh[NamePattern.trimmed(port.clientName), default: []].insert(place)
      }
    }
    for (name, found) in fresh {
      let kept = (places[name] ?? []).filter { known in
        // A program has no place but its number, which it does not keep.
        !known.hasPrefix("client ")
          || ports.contains {
            NamePattern.trimmed($0.clientName) == name && DeviceOrdinals.place(of: $0) == known
          }
      }
      places[name] = kept + found.sorted()
    }
  }

  /// From 1.
  public func ordinal(of port: SequencerPort) -> Int {
    (places[NamePattern.trimmed(port.clientName)]?.firstIndex(of: DeviceOrdinals.place(of: port))
      ?? 0) + 1
  }

  /// As a pattern names the port, and as it is listed: `Client:Port`, `Client#2:Port`.
  public func name(of port: SequencerPort) -> String {
    let ordinal = ordinal(of: port)
    return NamePattern.trimmed(port.clientName) + (ordinal > 1 ? "#\(ordinal)" : "") + ":"
      + NamePattern.trimmed(port.portName)
  }

  private static func place(of port: SequencerPort) -> String {
    guard port.devicePath.isEmpty else { return port.devicePath }
    let number = String(port.address.client)
    return "client " + String(repeating: "0", count: 3 - number.count) + number
  }
}
