public import OSCProtocol
public import OSCWire
public import MusicalTime

/// OSC over UDP and TCP: takes commands to the sink, keeps subscribers told.
///
/// It has no thread: the control thread polls `pollDescriptors` until `nextDeadline` and calls
/// `service`. Every packet passes `OSCPacketReader` before anything looks at it.
///
/// - Thread: control
public final class OSCServer {
  /// Datagrams taken by one call of `service` at the most.
  static let datagramsPerService = 64

  let clock: OSCClock
  package let datagrams: OSCDatagramSocket
  let streams: OSCStreamListener
  public weak var sink: (any CommandSink)?
  /// Told once of each thing that an owner should know: a refused source, a malformed sender.
  public var notice: ((String) -> Void)?
  /// Called every ten seconds; what it finds comes by `use(_:)`. Nil reads the interfaces at once,
  /// which waits for whoever is changing one.
  public var readInterfaces: (() -> Void)?
  /// Nanoseconds before its instant at which a tagged Start is handed on.
  public var startLeadNanoseconds: Int64 = 1_000_000_000

  public internal(set) var counters = OSCServerCounters()
  var access: NetworkAccess
  var accessReadAt: MonotonicTime
  var clients = ClientTable()
  var pendingServedAt: Int64 = 0
  var held = HeldMessages()
  var board = FeedbackBoard()
  var subscribers: [OSCDestination: Subscriber] = [:]
  /// Clients with a subscription: most packets of a flood come from none of them.
  var subscribedClients: Set<ClientIdentity> = []
  /// What the ports of one host ask for together.
  var hosts = HostTable()
  /// Questions that wait for the answers to what their client asked before them.
  var questions: [ClientIdentity: [WaitingQuestion]] = [:]
  /// Sounds and presets, of all clients together.
  var costly = OSCServer.costlyRate
  /// What was just done, and changes nothing when it is done once more in the same service.
  var justDone: OSCMessage?
  var lockPIN: String?
  public internal(set) var isLocked = false
  /// When a PIN was wrong, lately.
  var wrongPINs: [Int64] = []
  var reportedHosts: Set<String> = []

  /// Opens both sockets.
  ///
  /// - Throws: where the port is taken or cannot be had.
  public init(
    _ configuration: OSCServerConfiguration, clock: OSCClock = .system
  ) throws(OSCServerError) {
    self.clock = clock
    (datagrams, streams) = try OSCServer.open(configuration.port)
    access = configuration.access
    access.readInterfaces()
    accessReadAt = clock.now()
    setFixedTargets(configuration.fixedTargets)
    publish("/tactus/locked", [.int32(0)])
  }

  private static func open(
    _ port: Int
  ) throws(OSCServerError) -> (OSCDatagramSocket, OSCStreamListener) {
    // A free UDP port may be taken for TCP: then the next free one.
    var triesLeft = port == 0 ? 16 : 1
    while true {
      triesLeft -= 1
      do throws(OSCSocketFailure) {
        let datagrams = try OSCDatagramSocket(port: port)
        return (datagrams, try OSCStreamListener(port: datagrams.port))
      } catch {
        if triesLeft > 0 { continue }
        guard error.isPortTaken else { throw .socket(port: port, reason: error.text) }
        throw .portTaken(port, isTactus: OSCProbe.answers(port: port))
      }
    }
  }

  /// The interfaces of this machine as they are now.
  public func use(_ interfaces: NetworkAccess.Interfaces) { access.use(interfaces) }

  /// The port that both sockets have.
  public var port: Int { datagrams.port }

  /// What to wait for: the descriptor, and whether it waits to be writable too.
  public var pollDescriptors: [(descriptor: Int32, wantsWrite: Bool)] {
    [(datagrams.descriptor, false), (streams.descriptor, false)]
      + streams.connections.map { ($0.descriptor, !$0.backlog.isEmpty) }
  }

  /// When `service` has something to do although nothing arrives; nil where nothing waits.
  public var nextDeadline: MonotonicTime? {
    var deadlines: [MonotonicTime] = []
    if let release = held.nextRelease { deadlines.append(release) }
    for subscriber in subscribers.values {
      if let deadline = subscriber.nextDeadline { deadlines.append(deadline) }
      if let expires = subscriber.expires { deadlines.append(expires) }
    }
    if !clients.pending.isEmpty {
      deadlines.append(
        MonotonicTime(nanoseconds: pendingServedAt + OSCServer.pendingNanoseconds))
    }
    if let deadline = questionDeadline { deadlines.append(deadline) }
    return deadlines.min()
  }

  /// How often values over the rate and waiting bundles are looked after.
  static let pendingNanoseconds: Int64 = 20_000_000

  /// Does what is due and takes what arrived; bounded work.
  ///
  /// - Returns: whether more datagrams may be waiting.
  @discardableResult
  public func service(now: MonotonicTime) -> Bool {
    if now.nanoseconds - accessReadAt.nanoseconds > 10_000_000_000 {
      accessReadAt = now
      if let readInterfaces { readInterfaces() } else { access.readInterfaces() }
    }
    justDone = nil
    while let group = held.takeDue(now) { release(group, now: now) }
    servePending(now)
    let hasMore = receiveDatagrams(now)
    receiveStreams(now)
    serveQuestions(now)
    expire(now)
    sendFeedback(now)
    return hasMore
  }

  private func receiveDatagrams(_ now: MonotonicTime) -> Bool {
    var batchesLeft = OSCServer.datagramsPerService / 16
    while batchesLeft > 0 {
      let hasMore = datagrams.receive { source, arrival, bytes in
        // The kernel drops an IPv4 datagram from the wire whose source is one of our addresses; of
        // IPv6 it lets it in, so there only the loopback interface itself is believed.
        let isLocal =
          arrival == .loopback || arrival == .ipv4 && access.isThisMachine(source)
        receive(bytes, from: ClientIdentity(source: source, isLocal: isLocal), now: now)
      }
      guard hasMore else { return false }
      batchesLeft -= 1
    }
    return true
  }

  private func receiveStreams(_ now: MonotonicTime) {
    streams.accept(now) { access.permission(of: $0) != nil }
    let ended = streams.receive(now) { connection, packet in
      receive(
        packet.span,
        from: ClientIdentity(
          source: connection.peer, connection: connection.identifier,
          isLocal: access.isThisMachine(connection.peer)),
        now: now)
    }
    for identifier in ended { removeSubscriber(.stream(connection: identifier)) }
    for connection in streams.connections where !connection.backlog.isEmpty {
      if !streams.flush(connection) { dropStream(connection.identifier) }
    }
  }

  func dropStream(_ identifier: UInt32) {
    streams.end(identifier)
    removeSubscriber(.stream(connection: identifier))
  }

  private func expire(_ now: MonotonicTime) {
    for (destination, subscriber) in subscribers {
      guard let expires = subscriber.expires, expires.nanoseconds <= now.nanoseconds else {
        continue
      }
      removeSubscriber(destination)
      counters.expiredSubscribers += 1
      if let owner = subscriber.owner { clients.forget(owner) }
    }
  }

  func removeSubscriber(_ destination: OSCDestination) {
    guard subscribers.removeValue(forKey: destination) != nil else { return }
    subscribedClients = Set(subscribers.values.compactMap(\.owner))
  }

  /// Tells the owner once for each host and kind of event, and never without a bound.
  func tellOnce(_ key: String, _ text: @autoclosure () -> String) {
    guard reportedHosts.count < 256, reportedHosts.insert(key).inserted else { return }
    notice?(text())
  }
}
