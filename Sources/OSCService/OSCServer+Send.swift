public import OSCProtocol
public import OSCWire
public import MusicalTime

extension OSCServer {
  // MARK: Answers of the sink

  /// `/tactus/effective <address> <time tag>`: when what was asked for is heard.
  public func answerEffective(
    _ client: ClientIdentity, _ address: String, at instant: MonotonicTime
  ) {
    send(
      OSCMessage("/tactus/effective", .string(address), .timetag(clock.timetag(instant))),
      to: client)
  }

  /// `/tactus/error <address> <code> <reason>`
  public func refuse(_ client: ClientIdentity, _ address: String, _ refusal: OSCRefusal) {
    counters.refused += 1
    // Errors are answers as well: a host that floods gets a share of them, and the rest counted.
    let now = clock.now()
    guard hosts.takeAnswer(client, now) else {
      clients.update(client, now: now) {
        $0.unreported = (($0.unreported?.count ?? 0) + 1, address)
      }
      clients.pending.insert(client)
      return
    }
    send(
      OSCMessage(
        "/tactus/error", .string(String(address.prefix(200))), .int32(refusal.code.rawValue),
        .string(refusal.reason)), to: client)
  }

  /// Sends a message where this client wants its answers.
  public func send(_ message: OSCMessage, to client: ClientIdentity) {
    send(OSCPacketWriter.bytes(message), to: destination(of: client, port: nil))
  }

  // MARK: Fixed targets

  /// Replaces the targets that are told without asking; those of the command line and the preset.
  public func setFixedTargets(
    _ targets: [(address: SocketAddress, topics: SubscriptionTopics)]
  ) {
    let wanted = targets.prefix(OSCServer.maximumSubscribers).map {
      (OSCDestination.datagram($0.address), $0.topics)
    }
    for (destination, subscriber) in subscribers where subscriber.owner == nil {
      // One that stays is not told everything again.
      if !wanted.contains(where: { $0 == (destination, subscriber.topics) }) {
        subscribers[destination] = nil
      }
    }
    let now = clock.now()
    for (destination, topics) in wanted {
      if let known = subscribers[destination], known.owner == nil { continue }
      var subscriber = Subscriber(
        destination: destination, owner: nil, topics: topics, leaseNanoseconds: 0, now: now)
      // They hear of everything once, at the pace of changes.
      for slot in board.slots.indices { subscriber.valueChanged(slot) }
      subscribers[destination] = subscriber
    }
  }

  // MARK: Values

  /// The value of an address is now this; subscribers hear of it where it is another than before.
  public func publish(_ address: String, _ arguments: [OSCValue]) {
    guard let slot = board.publish(address, arguments) else { return }
    for destination in subscribers.keys { subscribers[destination]?.valueChanged(slot) }
  }

  /// What is published at an address.
  public func published(_ address: String) -> [OSCValue]? { board.arguments(of: address) }

  /// Sends a message to every subscriber of a topic at once, such as an event that has no value.
  public func announce(_ message: OSCMessage, topic: SubscriptionTopics = .state) {
    send(OSCPacketWriter.bytes(message), topic: topic)
  }

  func sendFeedback(_ now: MonotonicTime) {
    for destination in subscribers.keys {
      guard let due = subscribers[destination]?.takeDue(board, now: now) else { continue }
      for slot in due { sendToSubscriber(board.slots[slot].bytes, at: destination) }
    }
  }

  // MARK: Bundles

  func requestBundle(
    _ kind: ClientRecord.BundleKind, _ client: ClientIdentity, _ now: MonotonicTime
  ) {
    // One that waits already answers this question too.
    if clients[client]?.waitingBundles.contains(kind) == true { return }
    guard let at = hosts.reserveBundle(client, now) else {
      refuseOverRate(
        OSCAddressTable.prefix + kind.path, Int(HostTable.longestWait / 1_000_000), client, now)
      return
    }
    let isAllowed = clients.update(client, now: now) { record in
      let allowedAt = max(record.bundleAllowedAt[kind, default: .min], at)
      guard allowedAt > now.nanoseconds else { return true }
      record.bundleAllowedAt[kind] = allowedAt
      record.waitingBundles.insert(kind)
      return false
    }
    if isAllowed {
      sendBundle(kind, to: client, now: now)
    } else {
      clients.pending.insert(client)
    }
  }

  func sendBundle(
    _ kind: ClientRecord.BundleKind, to client: ClientIdentity, now: MonotonicTime
  ) {
    clients.update(client, now: now) {
      $0.bundleAllowedAt[kind] = now.nanoseconds + ClientRecord.bundleInterval
    }
    let destination = destination(of: client, port: nil)
    switch kind {
    case .state:
      for bundle in board.snapshot() { sendToSubscriber(bundle, at: destination) }
    case .subscribers:
      send(OSCPacketWriter.bundle(.immediately, [subscriberList(now)]), to: destination)
    case .information(let query):
      if sink?.reads(query, for: client) == true { return }
      let messages = sink?.answer(query) ?? []
      send(OSCPacketWriter.bundle(.immediately, messages), to: destination)
    }
  }

  // MARK: Bytes

  private func sendToSubscriber(_ bytes: [UInt8], at destination: OSCDestination) {
    if mayBeSent(bytes.count, destination) { send(bytes, to: destination) }
  }

  /// Whether a subscriber has shown that it is there, or little was sent to it yet.
  private func mayBeSent(_ bytes: Int, _ destination: OSCDestination) -> Bool {
    guard subscribers[destination]?.spend(bytes) != false else {
      counters.withheld += 1
      return false
    }
    return true
  }

  func send(_ bytes: [UInt8], to destination: OSCDestination) {
    counters.sent += 1
    switch destination {
    case .datagram(let address):
      datagrams.send(bytes, to: [address])
    case .stream(let identifier):
      guard let connection = streams.connection(identifier) else { return }
      if !streams.send(bytes, to: connection) { dropStream(identifier) }
    }
  }

  /// Sends the same bytes to every subscriber of a topic, datagrams in one system call for 32.
  public func send(_ bytes: [UInt8], topic: SubscriptionTopics) {
    var addresses: [SocketAddress] = []
    for (destination, subscriber) in subscribers where subscriber.topics.contains(topic) {
      guard mayBeSent(bytes.count, destination) else { continue }
      switch destination {
      case .datagram(let address): addresses.append(address)
      case .stream: send(bytes, to: destination)
      }
    }
    counters.sent += addresses.count
    datagrams.send(bytes, to: addresses)
  }

  /// Sends bytes to one address, such as a lamp desk.
  public func send(_ bytes: [UInt8], to address: SocketAddress) {
    counters.sent += 1
    datagrams.send(bytes, to: [address])
  }

  /// Whether anybody listens to a topic.
  public func hasSubscribers(_ topic: SubscriptionTopics) -> Bool {
    subscribers.values.contains { $0.topics.contains(topic) }
  }

  /// Who is subscribed, for the terminal.
  public var subscriberCount: Int { subscribers.count }
}
