internal import OSCWire
internal import MetronomeModel

extension OSCAddressTable {
  private static let port = OSCArgument("port", .integer(0...65_535), optional: true)
  private static let host = OSCArgument("host", .text(64))
  private static let pin = OSCArgument("pin", .text(32), optional: true)

  static let serviceRows: [OSCAddressRow] = [
    OSCAddressRow(
      "subscribe", .action, [subscription], permission: .observe,
      "Sends what changes, to the port named or the port that asked, until 60 s (or the seconds named, 1 to 600) after the last message.",
      make: subscribe),
    OSCAddressRow(
      "unsubscribe", .action, [[port], [host]], permission: .observe,
      "Ends a subscription; the owner may name a host whose subscriptions end, or all."
    ) {
      if let host = $0.text(0) { return .unsubscribeHost(host) }
      let port = $0.integer(0)
      return .unsubscribe(port: port == 0 || port == 1 ? nil : port)
    },
    OSCAddressRow(
      "subscriber/list", .report, permission: .observe,
      "Who is subscribed: address, topics and seconds left."
    ) { _ in .subscribers },
    OSCAddressRow("state", .report, permission: .observe, "One bundle with every value.") {
      _ in .state
    },
    OSCAddressRow(
      "info", .report, permission: .observe, "Version, rate, device and what is connected."
    ) { _ in .information(.info) },
    OSCAddressRow(
      "stats", .report, permission: .observe, "Counters: xruns, lateness, jitter, refusals."
    ) { _ in .information(.stats) },
    OSCAddressRow(
      "ping", .report, [[OSCArgument("token", .any, optional: true)]], permission: .observe,
      "Answered by /tactus/pong with the same token, after everything before it."
    ) { .ping($0.value(0).map { [$0] } ?? []) },
    OSCAddressRow(
      "sync", .action,
      [[OSCArgument("id", .any), OSCArgument("t1", .any, unit: "ns")]], permission: .observe,
      "Answered by the same address with id, t1, t2, t3 for clock offset and delay as in NTP.",
      make: sync),
    OSCAddressRow(
      "clock", .report, permission: .observe,
      "The daemon's own clock in nanoseconds, and the time tag of the same instant."
    ) { _ in .clock },
    OSCAddressRow(
      "page", .value,
      [
        (1...4).map {
          OSCArgument("address", .text(OSCArgument.maximumNameLength), optional: $0 > 1)
        }
      ], permission: .admin, "Where a browser finds the page; tactus-web says so when it serves."
    ) { arguments in .page((0..<4).compactMap { arguments.text($0) }) },
    OSCAddressRow(
      "lock", .action, [[pin]], permission: .admin,
      "Only this machine, or whoever has the PIN, may change anything until unlock."
    ) { .lock(pin: $0.text(0)) },
    OSCAddressRow("unlock", .action, [[pin]], "Ends the lock.") { .unlock(pin: $0.text(0)) },
    OSCAddressRow(
      "audio", .report, permission: .observe,
      "What the sound does: opening, playing, waiting, suspended or freeRunning; and the device."),
    OSCAddressRow("locked", .report, permission: .observe, "Whether a lock is on."),
    OSCAddressRow("quit", .trigger, permission: .admin, urgent: true, "Ends the program.") { _ in
      .command(.quit)
    },
  ]

  /// A port, words and seconds in this order; each may be left out, and words may be one text
  /// with spaces or commas between them.
  private static let subscription: [OSCArgument] =
    [OSCArgument("port", .any, optional: true)]
    + (1...3).map { _ in OSCArgument("topic", .any, optional: true) }
    + [OSCArgument("seconds", .any, optional: true)]

  /// Seconds of a lease.
  static let leaseSeconds: ClosedRange<Double> = 1...600

  @Sendable private static func subscribe(
    _ arguments: OSCArguments
  ) throws(OSCRefusal) -> OSCIntent {
    var numbers: [Double] = []
    var topics: SubscriptionTopics = []
    var isNumberFirst = false
    for index in 0..<subscription.count {
      guard let value = arguments.value(index) else { continue }
      if let number = value.number {
        if numbers.isEmpty, topics.isEmpty { isNumberFirst = true }
        numbers.append(number)
        continue
      }
      guard let text = value.text else {
        throw OSCRefusal(.malformed, "argument \(value.display) is neither port, topic nor seconds")
      }
      for word in text.split(whereSeparator: { $0 == " " || $0 == "," }) {
        guard let topic = SubscriptionTopics(word: word) else {
          throw OSCRefusal(
            .range, "topic '\(word.prefix(40))' is unknown: allowed are beat, sub, state, all")
        }
        topics.formUnion(topic)
      }
    }
    var seconds: Double?
    if numbers.count > (isNumberFirst ? 1 : 0), let last = numbers.last {
      guard leaseSeconds.contains(last) else {
        throw OSCRefusal(
          .range,
          "seconds \(NumberText.text(last)) is outside \(NumberText.text(leaseSeconds)) s")
      }
      seconds = last
    }
    var port: Int?
    if isNumberFirst, let first = numbers.first {
      // 0 and 1 (a button's F and T) name no port: the sender's own is meant.
      guard let whole = Int(exactly: first), (0...65_535).contains(whole) else {
        throw OSCRefusal(
          .range, "port \(NumberText.text(first)) is outside 2 to 65535; 0 is the sender's own")
      }
      port = whole <= 1 ? nil : whole
    }
    return .subscribe(port: port, topics: topics.isEmpty ? nil : topics, seconds: seconds)
  }

  @Sendable private static func sync(_ arguments: OSCArguments) throws(OSCRefusal) -> OSCIntent {
    guard let identifier = arguments.value(0), let sent = arguments.value(1) else {
      throw OSCRefusal(.malformed, "id or t1 is missing: write /tactus/sync id t1")
    }
    switch sent {
    case .int64(let instant):
      return .sync(identifier: identifier, sentAt: instant)
    default:
      guard let number = sent.number, let instant = Int64(exactly: number.rounded()) else {
        throw OSCRefusal(.malformed, "t1 \(sent.display) is no instant in nanoseconds (type h)")
      }
      return .sync(identifier: identifier, sentAt: instant)
    }
  }

  static let eventRows: [OSCAddressRow] = [
    OSCAddressRow("beat", .event, permission: .observe, "A beat, sent ahead: see Beat events."),
    OSCAddressRow("beat/sub", .event, permission: .observe, "A click between beats, sent ahead."),
    OSCAddressRow(
      "beat/cancel", .event, permission: .observe,
      "Run, first and last sequence number: these beats are void."),
    OSCAddressRow(
      "beat/sub/cancel", .event, permission: .observe, "The same for clicks between beats."),
    OSCAddressRow(
      "effective", .event, permission: .observe,
      "Address and time tag: when the change is heard."),
    OSCAddressRow("error", .event, permission: .observe, "Address, code and reason of a refusal."),
    OSCAddressRow(
      "notice", .event, permission: .observe,
      "Address and text: what should be known beside the answer, such as a ramp that was cancelled."
    ),
    OSCAddressRow("pong", .event, permission: .observe, "The answer to ping, with its token."),
  ]
}
