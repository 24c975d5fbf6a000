internal import OSCProtocol
internal import OSCWire
internal import MetronomeModel
internal import MusicalTime

extension OSCServer {
  /// Nanoseconds: how far away a bundle's time tag may be, either way.
  static let tagReach: Int64 = 10_000_000_000
  /// Nanoseconds within which a tap's time tag is believed.
  static let tapReach: Int64 = 1_000_000_000
  /// Messages that one packet may come to by wildcards.
  static let maximumExpansion = 256

  /// Address patterns in one bundle.
  static let maximumPatterns = 16

  func receive(_ bytes: Span<UInt8>, from sender: ClientIdentity, now: MonotonicTime) {
    var client = sender
    counters.packets += 1
    guard var permission = permission(of: sender) else {
      counters.unheard += 1
      tellOnce("unheard \(client.source.host)", unheard(client))
      return
    }
    let packet: OSCPacket
    do throws(OSCPacketError) {
      packet = try OSCPacketReader.packet(bytes)
    } catch {
      counters.malformed += 1
      tellOnce(
        "malformed \(client.source.host)", "a malformed OSC packet from \(client): \(error)")
      return
    }
    var messages = packet.messages[...]
    // The first message may say for whom the others are: nobody gains a right by it.
    if messages.first?.message.address == OSCAddressTable.onBehalfOf,
      client.isLocal
    {
      guard let name = messages.removeFirst().message.arguments.first?.text,
        let behalf = SocketAddress(number: name)
      else { return }
      client = ClientIdentity(
        source: client.source, connection: client.connection, isLocal: access.isThisMachine(behalf),
        onBehalfOf: behalf)
      guard let lesser = self.permission(of: client) else { return }
      permission = lesser
    }
    renewSubscriptions(of: client, now: now)
    var group: [OSCMessage] = []
    var groupTag = OSCTimetag.immediately
    for (message, timetag) in messages {
      if timetag != groupTag {
        receive(group, groupTag, client, permission, now)
        group = []
        groupTag = timetag
      }
      group.append(message)
    }
    receive(group, groupTag, client, permission, now)
  }

  func permission(of client: ClientIdentity) -> OSCAddressRow.Permission? {
    // Only a program of this machine is believed when it names somebody else.
    if let behalf = client.behalf { return access.permission(of: behalf) }
    return access.permission(of: client.source, isLocal: client.isLocal)
  }

  private func unheard(_ client: ClientIdentity) -> String {
    let host = client.source.host
    return client.source.isLoopback
      ? "OSC from outside with this machine's own address \(host) as its source is not heard: it is forged"
      : "OSC from \(host) is not heard: its network is not attached; allow it with --allow \(host)"
  }

  /// Messages of one bundle: does them, holds them or refuses them by their time tag.
  private func receive(
    _ messages: [OSCMessage], _ timetag: OSCTimetag, _ client: ClientIdentity,
    _ permission: OSCAddressRow.Permission, _ now: MonotonicTime
  ) {
    guard let first = messages.first else { return }
    guard timetag != .immediately else {
      perform(messages, timetag, nil, client, permission, receivedAt: now, now: now)
      return
    }
    let due = clock.instant(timetag)
    let ahead = due.nanoseconds(since: now)
    // A tap says when it was; it is never held.
    let taps = messages.filter { $0.address == "/tactus/tap" }
    if !taps.isEmpty {
      perform(taps, timetag, nil, client, permission, receivedAt: now, now: now)
    }
    let others = taps.isEmpty ? messages : messages.filter { $0.address != "/tactus/tap" }
    guard !others.isEmpty else { return }
    guard abs(ahead) <= OSCServer.tagReach else {
      let seconds = NumberText.text(Double(ahead / 1_000_000) / 1000)
      refuse(
        client, first.address,
        OSCRefusal(
          .timetag,
          "time tag is \(seconds) s from now: allowed are 10 s either way; set the clocks by NTP or send without a time tag"
        ))
      return
    }
    let starts = others.contains { OSCServer.startAddresses.contains($0.address) }
    let releaseAt = starts ? due.advanced(byNanoseconds: -startLeadNanoseconds) : due
    let group = HeldMessages.Group(
      releaseAt: releaseAt, due: due, client: client, permission: permission, receivedAt: now,
      timetag: timetag, messages: others)
    guard releaseAt.nanoseconds > now.nanoseconds else {
      release(group, now: now)
      return
    }
    guard held.add(group) else {
      refuse(
        client, first.address,
        OSCRefusal(
          .tooMany,
          "more than \(HeldMessages.perClient) messages or \(HeldMessages.bytesPerClient / 1024) KB "
            + "of them wait for their time tag"))
      return
    }
    counters.held += others.count
  }

  static let startAddresses: Set<String> = ["/tactus/start", "/tactus/continue", "/tactus/toggle"]

  func release(_ group: HeldMessages.Group, now: MonotonicTime) {
    perform(
      group.messages, group.timetag, group.due.nanoseconds > now.nanoseconds ? group.due : nil,
      group.client, group.permission, receivedAt: group.receivedAt, now: now)
  }

  /// Does the messages of one bundle in order; a meter and a pattern among them are one command.
  private func perform(
    _ messages: [OSCMessage], _ timetag: OSCTimetag, _ due: MonotonicTime?,
    _ client: ClientIdentity, _ permission: OSCAddressRow.Permission,
    receivedAt: MonotonicTime, now: MonotonicTime
  ) {
    var requests: [ControlRequest] = []
    var expansionLeft = OSCServer.maximumExpansion
    var patternsLeft = OSCServer.maximumPatterns
    for message in messages {
      for concrete in expand(message, &expansionLeft, &patternsLeft, client) {
        guard let intent = judge(concrete, client, permission, now) else { continue }
        if case .command(let command) = intent {
          requests.append(
            ControlRequest(
              command: command, client: client, receivedAt: receivedAt, timetag: timetag,
              due: due, address: concrete.address))
          justDone = due == nil && OSCServer.isSameTwice(command) ? concrete : nil
        } else if intent == .tap {
          requests.append(
            ControlRequest(
              command: .tap(at: tapInstant(timetag, now), series: client.series),
              client: client, receivedAt: receivedAt, timetag: timetag, due: nil,
              address: concrete.address))
        } else {
          // What comes after waits for what comes before: a pong means done.
          hand(&requests)
          serve(intent, of: concrete.address, client, permission, now)
        }
      }
    }
    hand(&requests)
  }

  /// Whether once more at the same instant changes nothing.
  private static func isSameTwice(_ command: ControlCommand) -> Bool {
    switch command {
    case .stop, .panic, .mute: true
    default: false
    }
  }

  private func hand(_ requests: inout [ControlRequest]) {
    guard !requests.isEmpty else { return }
    sink?.perform(OSCServer.joinMeterAndPattern(requests))
    requests = []
  }

  /// Time tags are used for the differences between taps while they are near; a clock that is
  /// wrong by more is left aside.
  private func tapInstant(_ timetag: OSCTimetag, _ now: MonotonicTime) -> MonotonicTime {
    guard timetag != .immediately else { return now }
    let tagged = clock.instant(timetag)
    return abs(tagged.nanoseconds(since: now)) <= OSCServer.tapReach ? tagged : now
  }

  static func joinMeterAndPattern(_ requests: [ControlRequest]) -> [ControlRequest] {
    guard
      let meterIndex = requests.lastIndex(where: {
        if case .meter = $0.command { true } else { false }
      }),
      let patternIndex = requests.lastIndex(where: {
        if case .pattern = $0.command { true } else { false }
      }),
      case .meter(let meter) = requests[meterIndex].command,
      case .pattern(let pattern) = requests[patternIndex].command
    else { return requests }
    var joined = requests
    joined[min(meterIndex, patternIndex)].command = .meterAndPattern(meter, pattern)
    joined[min(meterIndex, patternIndex)].address = requests[meterIndex].address
    joined.remove(at: max(meterIndex, patternIndex))
    return joined
  }

  /// The messages that a pattern stands for; a message without wildcards is itself.
  private func expand(
    _ message: OSCMessage, _ left: inout Int, _ patternsLeft: inout Int,
    _ client: ClientIdentity
  ) -> [OSCMessage] {
    guard OSCAddressPattern.isPattern(message.address) else {
      return [OSCMessage(board.spelled(message.address), message.arguments)]
    }
    // Each pattern is held against the whole table: a packet full of them would keep the others
    // waiting.
    patternsLeft -= 1
    guard patternsLeft >= 0 else {
      if patternsLeft == -1 {
        refuse(
          client, message.address,
          OSCRefusal(
            .tooMany, "more than \(OSCServer.maximumPatterns) address patterns in one bundle"))
      }
      return []
    }
    guard let pattern = OSCAddressPattern(message.address) else {
      refuse(
        client, message.address,
        OSCRefusal(
          .malformed,
          "address pattern is not closed, longer than \(OSCAddressPattern.maximumLength) bytes or has more than \(OSCAddressPattern.maximumWildcards) wildcards"
        ))
      return []
    }
    let addresses = OSCAddressTable.addresses(matching: pattern, known: board.namedAddresses)
    guard addresses.count <= left else {
      refuse(
        client, message.address,
        OSCRefusal(
          .tooMany, "address patterns of one packet match more than \(OSCServer.maximumExpansion)"))
      return []
    }
    left -= addresses.count
    return addresses.map { OSCMessage($0, message.arguments) }
  }
}
