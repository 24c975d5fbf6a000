/// Keeps our ports connected to those that people named, whenever those are there.
///
/// It listens to the system's announcements through a client of its own, so that making a
/// connection, which may open a device, never holds up the client that sends the clock.
///
/// - Thread: control
public final class PortConnector {
  /// What happened, to be told and acted on.
  public enum Report: Equatable, Sendable, CustomStringConvertible {
    /// A receiver is connected; where it was before, it has come back.
    case connected(port: String, to: String, SequencerAddress, isReturn: Bool)
    case lost(port: String, to: String)
    /// Nothing matches yet; it is connected when it appears. Once for each pattern.
    case waiting(port: String, pattern: String, present: [String])
    /// Once, until the receiver comes anew.
    case failed(port: String, to: String, SequencerError)
    /// Two of our ports end in one receiver, which would run at twice the tempo.
    case sharedReceiver(String, first: String, second: String)
    /// Our own clock comes back in.
    case echo(from: String, into: String)

    public var description: String {
      switch self {
      case .connected(let port, let name, let address, let isReturn):
        "MIDI port '\(port)' is connected \(isReturn ? "again " : "")to '\(name)' (\(address))"
      case .lost(let port, let name):
        "MIDI port '\(port)' has lost '\(name)'; it is connected again when it returns"
      case .waiting(let port, let pattern, let present):
        "MIDI port '\(port)' waits for '\(pattern)'; there are: "
          + (present.isEmpty ? "none" : present.joined(separator: ", "))
      case .failed(let port, let name, let error):
        "MIDI port '\(port)' cannot be connected to '\(name)': \(error)"
      case .sharedReceiver(let name, let first, let second):
        "MIDI ports '\(first)' and '\(second)' both end in '\(name)', which gets every pulse "
          + "twice: disconnect one"
      case .echo(let from, let into):
        "the clock of MIDI port '\(from)' comes back into '\(into)': break the loop"
      }
    }
  }

  /// A port of ours with the patterns it is to be connected to.
  struct Request: Equatable {
    var name: String
    var address: SequencerAddress
    var patterns: [PortPattern]
    /// Whether what it is connected to sends to it, not it to that.
    var receives = false

    func connection(with far: SequencerAddress) -> SequencerConnection {
      receives
        ? SequencerConnection(from: far, to: address) : SequencerConnection(from: address, to: far)
    }

    /// The other end of a connection of this port; nil where it is another port's.
    func farEnd(of connection: SequencerConnection) -> SequencerAddress? {
      if receives { return connection.to == address ? connection.from : nil }
      return connection.from == address ? connection.to : nil
    }
  }

  private let handle: SequencerHandle
  private let ownClient: UInt8
  private var requests: [Request] = []
  private var inputs: [SequencerAddress: String] = [:]
  private var ordinals = DeviceOrdinals()
  /// Who was connected by us, by our port's name and the receiver's.
  private var made: [SequencerConnection: String] = [:]
  private var everConnected: Set<String> = []
  private var reported: Set<String> = []
  private var needsLook = true

  /// The announcements of the sequencer's system client.
  static let announcements = SequencerAddress(client: 0, port: 1)

  /// - Parameters:
  ///   - handle: a client of its own, not the one that sends.
  ///   - ownClient: the client that sends.
  public init(handle: SequencerHandle, ownClient: UInt8) throws(SequencerError) {
    self.handle = handle
    self.ownClient = ownClient
    let port = try handle.createPort("Announcements", direction: .input)
    let result = handle.library.connect(
      SequencerConnection(
        from: PortConnector.announcements,
        to: SequencerAddress(client: handle.client, port: port)))
    guard result >= 0 else {
      throw SequencerError(
        call: "snd_seq_connect", code: -result, subject: "the sequencer's announcements")
    }
  }

  /// For poll: readable when `service` has something to do.
  public var descriptor: Int32 { handle.library.descriptor }

  /// Names what a port of ours is to be connected to; connections made for what is no longer
  /// named end.
  ///
  /// - Parameter receives: whether it is an input, which those that are named send to.
  public func connect(
    _ name: String, at address: SequencerAddress, to patterns: [String], receives: Bool = false
  ) {
    let request = Request(
      name: name, address: address, patterns: patterns.map(PortPattern.init), receives: receives)
    if let index = requests.firstIndex(where: { $0.name == name }) {
      guard requests[index] != request else { return }
      for pattern in requests[index].patterns where !request.patterns.contains(pattern) {
        reported.remove("waiting \(name) \(pattern.text)")
      }
      requests[index] = request
    } else {
      requests.append(request)
    }
    needsLook = true
  }

  /// A port of ours is gone, and its connections with it.
  public func forget(_ name: String) {
    guard let index = requests.firstIndex(where: { $0.name == name }) else { return }
    let request = requests.remove(at: index)
    made = made.filter { request.farEnd(of: $0.key) == nil }
    everConnected = everConnected.filter { !$0.hasPrefix(name + "\u{0}") }
  }

  /// An input of ours: where our clock must not come back in.
  public func watch(input name: String, at address: SequencerAddress) { inputs[address] = name }

  /// Reads the announcements and mends what they changed; bounded work.
  public func service() -> [Report] {
    var reports: [Report] = []
    // As many as the library's buffer holds; the rest is there the next time.
    for _ in 0..<512 {
      guard let event = handle.library.input() else { break }
      switch event {
      case .failure: needsLook = true
      case .success(let event): note(event, &reports)
      }
    }
    if needsLook {
      needsLook = false
      look(&reports)
    }
    return reports
  }

  private func note(_ event: SequencerEvent, _ reports: inout [Report]) {
    switch event.kind {
    case .portAppeared, .connected, .disconnected: needsLook = true
    case .portVanished(let address): lose(&reports) { $0 == address }
    case .clientVanished(let client): lose(&reports) { $0.client == client }
    default: break
    }
  }

  private func lose(_ reports: inout [Report], _ isGone: (SequencerAddress) -> Bool) {
    for connection in made.keys {
      let far = requests.lazy.compactMap { $0.farEnd(of: connection) }.first
      if let far, isGone(far) { lose(connection, &reports) }
    }
    needsLook = true
  }

  /// A receiver is gone, whichever way that was noticed.
  private func lose(_ connection: SequencerConnection, _ reports: inout [Report]) {
    guard let name = made.removeValue(forKey: connection),
      let request = requests.first(where: { $0.farEnd(of: connection) != nil })
    else { return }
    reports.append(.lost(port: request.name, to: name))
    reported.remove("failed \(request.name) \(name)")
  }

  private func look(_ reports: inout [Report]) {
    let ports = handle.library.ports().filter {
      // The system's own client, and ourselves.
      $0.address.client != 0 && $0.address.client != ownClient
        && $0.address.client != handle.client
    }
    ordinals.observe(ports)
    for request in requests { fulfil(request, ports, &reports) }
    checkReceivers(ports, &reports)
  }

  private func fulfil(_ request: Request, _ ports: [SequencerPort], _ reports: inout [Report]) {
    let present = request.receives ? [] : Set(handle.library.receivers(of: request.address))
    var wanted: Set<SequencerAddress> = []
    for pattern in request.patterns {
      let matches = pattern.matches(in: ports, sources: request.receives) {
        ordinals.ordinal(of: $0)
      }
      let key = "waiting \(request.name) \(pattern.text)"
      // One that was there and is lost has been told as lost.
      let isNews = reported.insert(key).inserted
      if matches.isEmpty, isNews {
        reports.append(
          .waiting(
            port: request.name, pattern: pattern.text,
            present: ports.filter { request.receives ? $0.givesOutput : $0.takesInput }.map(name)))
      }
      for port in matches where wanted.insert(port.address).inserted {
        let isPresent =
          request.receives
          ? handle.library.receivers(of: port.address).contains(request.address)
          : present.contains(port.address)
        join(request, port, isPresent: isPresent, &reports)
      }
    }
    for connection in made.keys {
      guard let far = request.farEnd(of: connection), !wanted.contains(far) else { continue }
      if ports.contains(where: { $0.address == far }) {
        made[connection] = nil
        _ = handle.library.disconnect(connection)
      } else {
        // The end of a connection may be announced before that of its port.
        lose(connection, &reports)
      }
    }
  }

  private func join(
    _ request: Request, _ port: SequencerPort, isPresent: Bool, _ reports: inout [Report]
  ) {
    let connection = request.connection(with: port.address)
    let receiver = name(port)
    if isPresent {
      if made[connection] == nil { made[connection] = receiver }
      everConnected.insert(request.name + "\u{0}" + receiver)
      return
    }
    let result = handle.library.connect(connection)
    guard result >= 0 else {
      if reported.insert("failed \(request.name) \(receiver)").inserted {
        reports.append(
          .failed(
            port: request.name, to: receiver,
            SequencerError(call: "snd_seq_connect", code: -result, subject: receiver)))
      }
      return
    }
    made[connection] = receiver
    let isReturn = !everConnected.insert(request.name + "\u{0}" + receiver).inserted
    reports.append(
      .connected(port: request.name, to: receiver, port.address, isReturn: isReturn))
  }

  /// Whatever way our ports' connections were made, no receiver gets two clocks and none comes
  /// back; the kernel's own through ports pass on what they get.
  private func checkReceivers(_ ports: [SequencerPort], _ reports: inout [Report]) {
    let through = Set(
      ports.filter { $0.clientName.hasPrefix("Midi Through") }.map(\.address))
    var firstToReach: [SequencerAddress: String] = [:]
    var current: Set<String> = []
    for request in requests where !request.receives {
      for address in reach(from: request.address, through) where !through.contains(address) {
        if let input = inputs[address] {
          let key = "echo \(request.name) \(input)"
          current.insert(key)
          if reported.insert(key).inserted {
            reports.append(.echo(from: request.name, into: input))
          }
        }
        guard let first = firstToReach[address] else {
          firstToReach[address] = request.name
          continue
        }
        let receiver = ports.first { $0.address == address }.map(name) ?? "\(address)"
        let key = "shared \(first) \(request.name) \(receiver)"
        current.insert(key)
        if reported.insert(key).inserted {
          reports.append(.sharedReceiver(receiver, first: first, second: request.name))
        }
      }
    }
    // What has been mended may be told again if it returns.
    reported = reported.filter { key in
      !(key.hasPrefix("shared ") || key.hasPrefix("echo ")) || current.contains(key)
    }
  }

  private func reach(
    from address: SequencerAddress, _ through: Set<SequencerAddress>
  ) -> [SequencerAddress] {
    var found: [SequencerAddress] = []
    var seen: Set<SequencerAddress> = [address]
    var open = [address]
    while let next = open.popLast() {
      for receiver in handle.library.receivers(of: next) where seen.insert(receiver).inserted {
        found.append(receiver)
        if through.contains(receiver) { open.append(receiver) }
      }
    }
    return found
  }

  /// As a pattern would name it.
  private func name(_ port: SequencerPort) -> String { ordinals.name(of: port) }
}
