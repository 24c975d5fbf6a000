internal import OSCProtocol
internal import OSCWire
internal import MetronomeModel
internal import MusicalTime

extension OSCServer {
  /// Subscriptions at the most.
  static let maximumSubscribers = 128
  /// Wrong PINs a minute.
  static let pinTries = 5
  /// Seconds of a lease that names none.
  static let defaultLease: Double = 60

  /// Does what the server does itself.
  func serve(
    _ intent: OSCIntent, of address: String, _ client: ClientIdentity,
    _ permission: OSCAddressRow.Permission, _ now: MonotonicTime
  ) {
    switch intent {
    case .command, .tap, .release:
      break
    case .ask:
      answerValue(of: address, client)
    case .subscribe(let port, let topics, let seconds):
      subscribe(client, port, topics, seconds, address, now)
    case .unsubscribe(let port):
      let destination = destination(of: client, port: port)
      if subscribers[destination]?.owner?.source.host == client.source.host {
        removeSubscriber(destination)
      }
      clients.forget(client)
    case .state:
      requestBundle(.state, client, now)
    case .information(let query):
      requestBundle(.information(query), client, now)
    case .ping(let token):
      send(OSCMessage("/tactus/pong", token), to: client)
    case .sync(let identifier, let sentAt):
      // t3 is read as late as can be.
      send(
        OSCMessage(
          "/tactus/sync", identifier, .int64(sentAt), .int64(now.nanoseconds),
          .int64(clock.now().nanoseconds)), to: client)
    case .lock(let pin):
      lockPIN = pin
      setLocked(true)
    case .unlock(let pin):
      unlock(pin, client, permission, address, now)
    }
  }

  private func answerValue(of address: String, _ client: ClientIdentity) {
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
    guard subscribers[destination] != nil || subscribers.count < OSCServer.maximumSubscribers
    else {
      refuse(
        client, address,
        OSCRefusal(
          .tooMany,
          "there are \(OSCServer.maximumSubscribers) subscribers: one must leave or expire first"))
      return
    }
    clients.update(client, now: now) { $0.replyPort = port.map { UInt16($0) } }
    var subscriber = Subscriber(
      destination: destination, owner: client, topics: topics ?? [.beat, .state],
      leaseNanoseconds: lease, now: now)
    subscriber.snapshotSent(board.slots.count, now: now)
    subscribers[destination] = subscriber
    subscribedClients = Set(subscribers.values.compactMap(\.owner))
    // A wristband that asks for beats alone, and again every second while it hears none, has no use
    // for everything else.
    if subscriber.topics.contains(.state) { requestBundle(.state, client, now) }
  }

  func destination(of client: ClientIdentity, port: Int?) -> OSCDestination {
    guard client.connection == 0 else { return .stream(connection: client.connection) }
    let port = port.map { UInt16($0) } ?? clients[client]?.replyPort ?? client.source.port
    return .datagram(client.source.with(port: port))
  }

  /// Any message keeps the client's subscriptions alive.
  func renewSubscriptions(of client: ClientIdentity, now: MonotonicTime) {
    guard subscribedClients.contains(client) else { return }
    for destination in subscribers.keys where subscribers[destination]?.owner == client {
      subscribers[destination]?.renew(now)
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
