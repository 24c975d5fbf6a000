internal import OSCProtocol
internal import OSCWire
internal import MetronomeModel
internal import MusicalTime

extension OSCServer {
  /// Subscriptions at the most.
  static let maximumSubscribers = 128
  /// Of them, kept for this machine.
  static let localSubscribers = 16
  /// Subscriptions of one host.
  static let subscribersPerHost = 16
  /// Wrong PINs a minute.
  static let pinTries = 5
  /// Seconds of a lease that names none.
  static let defaultLease: Double = 60

  /// Does what the server does itself, once all that this client asked before is answered.
  func serve(
    _ intent: OSCIntent, of address: String, _ client: ClientIdentity,
    _ permission: OSCAddressRow.Permission, _ now: MonotonicTime
  ) {
    guard !postpone(intent, of: address, client, permission, now) else { return }
    answer(intent, of: address, client, permission, now)
  }

  func answer(
    _ intent: OSCIntent, of address: String, _ client: ClientIdentity,
    _ permission: OSCAddressRow.Permission, _ now: MonotonicTime
  ) {
    switch intent {
    case .command, .tap, .release:
      break
    case .ask:
      answerValue(of: address, client, now)
    case .subscribe(let port, let topics, let seconds):
      subscribe(client, port, topics, seconds, address, now)
    case .unsubscribe(let port):
      let destination = destination(of: client, port: port)
      if subscribers[destination]?.owner?.host == client.host { removeSubscriber(destination) }
      clients.forget(client)
    case .unsubscribeHost(let host):
      unsubscribe(host: host, client, permission, address)
    case .subscribers:
      requestBundle(.subscribers, client, now)
    case .state:
      requestBundle(.state, client, now)
    case .information(let query):
      requestBundle(.information(query), client, now)
    case .ping(let token):
      // Nothing that was refused may pass for done.
      reportPending(client, now, isForced: true)
      guard clients[client]?.unreported == nil else { return }
      send(OSCMessage("/tactus/pong", token), to: client)
    case .sync(let identifier, let sentAt):
      // t3 is read as late as can be.
      send(
        OSCMessage(
          "/tactus/sync", identifier, .int64(sentAt), .int64(now.nanoseconds),
          .int64(clock.now().nanoseconds)), to: client)
    case .clock:
      let now = clock.now()
      send(
        OSCMessage("/tactus/clock", .int64(now.nanoseconds), .timetag(clock.timetag(now))),
        to: client)
    case .page(let addresses):
      publish("/tactus/page", addresses.map { .string($0) })
    case .lock(let pin):
      lockPIN = pin
      setLocked(true)
    case .unlock(let pin):
      unlock(pin, client, permission, address, now)
    }
  }

  private func answerValue(of address: String, _ client: ClientIdentity, _ now: MonotonicTime) {
    guard hosts.takeAnswer(client, now) else {
      refuseOverRate(address, 1_000, client, now)
      return
    }
    guard let arguments = board.arguments(of: address) else {
      refuse(
        client, address, OSCRefusal(.unavailable, "\(address) has no value that could be told yet"))
      return
    }
    send(OSCMessage(address, arguments), to: client)
  }

  private func subscribe(
    _ client: ClientIdentity, _ port: Int?, _ topics: SubscriptionTopics?, _ seconds: Double?,
    _ address: String, _ now: MonotonicTime
  ) {
    let lease = Int64((seconds ?? OSCServer.defaultLease) * 1e9)
    let destination = destination(of: client, port: port)
    if let existing = subscribers[destination], existing.owner == nil {
      // A fixed target asks again: it has all it wants, and never expires.
      sendBundle(.state, to: client, now: now)
      return
    }
    if subscribers[destination] == nil, let refusal = subscriptionRefusal(client) {
      refuse(client, address, refusal)
      return
    }
    clients.update(client, now: now) { $0.replyPort = port.map { UInt16($0) } }
    var subscriber = Subscriber(
      destination: destination, owner: client, topics: topics ?? [.beat, .state],
      leaseNanoseconds: lease, now: now)
    if subscribers[destination]?.owner == client { subscriber.prove() }
    subscriber.snapshotSent(board.slots.count, now: now)
    subscribers[destination] = subscriber
    subscribedClients = Set(subscribers.values.compactMap(\.owner))
    // A wristband that asks for beats alone, and again every second while it hears none, has no use
    // for everything else.
    if subscriber.topics.contains(.state) { requestBundle(.state, client, now) }
  }

  /// Why this client cannot have one more subscription; nil where it can.
  private func subscriptionRefusal(_ client: ClientIdentity) -> OSCRefusal? {
    let owners = subscribers.values.compactMap(\.owner)
    if !client.isLocal,
      owners.count(where: { $0.host == client.host }) >= OSCServer.subscribersPerHost
    {
      return OSCRefusal(
        .tooMany,
        "\(client.rights.host) has \(OSCServer.subscribersPerHost) subscriptions, which is the most: send /tactus/unsubscribe from one, or let it expire"
      )
    }
    let room = OSCServer.maximumSubscribers - (client.isLocal ? 0 : OSCServer.localSubscribers)
    guard subscribers.count >= room else { return nil }
    return OSCRefusal(
      .tooMany,
      "there are \(subscribers.count) subscribers, which is the most: one must leave or expire, or this machine ends one with /tactus/unsubscribe HOST"
    )
  }

  /// Ends every subscription of a host: its own, or any one where the owner asks.
  private func unsubscribe(
    host: String, _ client: ClientIdentity, _ permission: OSCAddressRow.Permission,
    _ address: String
  ) {
    guard permission == .admin || host == client.rights.host else {
      refuse(
        client, address,
        OSCRefusal(
          .forbidden,
          "the subscriptions of '\(host)' are ended by itself, this machine or a network named by --admin"
        ))
      return
    }
    let ended = subscribers.filter {
      $0.value.owner != nil && (host == "all" || $0.value.owner?.rights.host == host)
    }
    guard !ended.isEmpty else {
      refuse(
        client, address,
        OSCRefusal(.unknown, "'\(host)' has no subscription: see /tactus/subscriber/list"))
      return
    }
    for destination in ended.keys { removeSubscriber(destination) }
  }

  /// Each subscriber as `HOST:PORT topics seconds left`.
  func subscriberList(_ now: MonotonicTime) -> OSCMessage {
    let texts = subscribers.values.map { subscriber in
      let place: String =
        switch subscriber.destination {
        case .datagram(let address): "\(address)"
        case .stream: subscriber.owner.map { "\($0)" } ?? ""
        }
      let left = subscriber.expires.map { "\($0.nanoseconds(since: now) / 1_000_000_000) s" }
      return "\(place) \(subscriber.topics.words) \(left ?? "always")"
    }
    return OSCMessage("/tactus/subscriber/list", texts.sorted().map { .string($0) })
  }

  func destination(of client: ClientIdentity, port: Int?) -> OSCDestination {
    guard client.connection == 0 else { return .stream(connection: client.connection) }
    let port = port.map { UInt16($0) } ?? clients[client]?.replyPort ?? client.source.port
    return .datagram(client.source.with(port: port))
  }

  /// Any message keeps the client's subscriptions alive, and shows that somebody is there.
  func renewSubscriptions(of client: ClientIdentity, now: MonotonicTime) {
    guard subscribedClients.contains(client) else { return }
    for destination in subscribers.keys where subscribers[destination]?.owner == client {
      subscribers[destination]?.renew(now)
      subscribers[destination]?.prove()
    }
  }

  private func setLocked(_ locked: Bool) {
    isLocked = locked
    publish("/tactus/locked", [.int32(locked ? 1 : 0)])
  }

  private func unlock(
    _ pin: String?, _ client: ClientIdentity, _ permission: OSCAddressRow.Permission,
    _ address: String, _ now: MonotonicTime
  ) {
    guard isLocked else { return }
    // Five wrong PINs a minute in all: four digits then hold for more than a day.
    wrongPINs.removeAll { $0 <= now.nanoseconds - 60_000_000_000 }
    let isRight = lockPIN != nil && pin == lockPIN && wrongPINs.count < OSCServer.pinTries
    guard permission == .admin || isRight else {
      if wrongPINs.count < OSCServer.pinTries { wrongPINs.append(now.nanoseconds) }
      refuse(
        client, address,
        OSCRefusal(
          .locked,
          "the PIN is wrong, or \(OSCServer.pinTries) were within a minute: this machine can unlock without one"
        ))
      return
    }
    lockPIN = nil
    setLocked(false)
  }
}
