internal import OSCProtocol
internal import OSCWire
internal import MetronomeModel
internal import MusicalTime

extension OSCServer {
  /// What a message asks for, once it passed rate, permission, lock and table; nil where it did
  /// not, or is not ours.
  func judge(
    _ message: OSCMessage, _ client: ClientIdentity, _ permission: OSCAddressRow.Permission,
    _ now: MonotonicTime
  ) -> OSCIntent? {
    counters.messages += 1
    let row = OSCAddressTable.row(for: message.address)?.row
    guard passesRate(message, row, client, now) else { return nil }
    guard let row else {
      // Other apps have other words (/1, /ping, /accxyz): they are nobody's fault.
      guard message.address.hasPrefix(OSCAddressTable.prefix) else {
        counters.ignored += 1
        return nil
      }
      refuse(client, message.address, OSCAddressTable.unknown(message.address))
      return nil
    }
    do throws(OSCRefusal) {
      let intent = try OSCAddressTable.decode(message)
      if intent != .ask { try authorise(row, client, permission) }
      noteMove(row, message, client, now)
      return intent
    } catch {
      if error.code == .forbidden || error.code == .locked { counters.forbidden += 1 }
      noteMove(row, message, client, now)
      refuse(client, message.address, error)
      return nil
    }
  }

  private func authorise(
    _ row: OSCAddressRow, _ client: ClientIdentity, _ permission: OSCAddressRow.Permission
  ) throws(OSCRefusal) {
    guard permission >= row.permission else {
      tellOnce(
        "forbidden \(client.source.host) \(row.path)",
        "\(row.address) from \(client.source.host) was refused: it needs --\(row.permission == .admin ? "admin" : "allow") \(client.source.host)"
      )
      throw OSCRefusal(
        .forbidden,
        row.permission == .admin
          ? "\(row.address) needs the machine itself or a network named by --admin"
          : "\(client.source.host) may read only: playing needs a network named by --allow")
    }
    if isLocked, permission < .admin, row.permission == .play, row.path != "unlock" {
      throw OSCRefusal(.locked, "locked: send /tactus/unlock with the PIN first")
    }
  }

  /// 1000 messages a second and client. Over it the newest of each continuous value counts, stop,
  /// panic, mute and quit pass, and the rest is dropped. Of a flood of stops one in each service is
  /// done: the others would come at the same instant with nothing between.
  private func passesRate(
    _ message: OSCMessage, _ row: OSCAddressRow?, _ client: ClientIdentity, _ now: MonotonicTime
  ) -> Bool {
    let isCostly = row?.isCostly == true && !message.arguments.isEmpty
    let hasRoom = { [self] in !isCostly || costly.take(now) }
    let (passes, tells) = clients.update(client, now: now) { record -> (Bool, Bool) in
      record.lastMessage = now.nanoseconds
      let isOverRate = !record.rate.take(now)
      if !isOverRate, hasRoom() {
        // A value that came over the rate is older than this one.
        record.coalesced[message.address] = nil
        return (true, false)
      }
      if row?.isUrgent == true { return (message != justDone, false) }
      if row?.isCoalesced == true {
        record.keep(message)
        // Of what only had to wait nothing was lost but steps on the way.
        if !isOverRate { return (false, false) }
      }
      guard now.nanoseconds &- record.lastRateError > 1_000_000_000 || record.lastRateError == .min
      else { return (false, false) }
      record.lastRateError = now.nanoseconds
      return (false, true)
    }
    guard !passes else {
      // What this one changes, a stop may be needed for again.
      justDone = nil
      return true
    }
    counters.overRate += 1
    if row?.isCoalesced == true { clients.pending.insert(client) }
    if tells {
      refuse(
        client, message.address,
        OSCRefusal(
          .tooMany,
          "more than \(Int(ClientRecord.messageRate)) messages, or \(Int(OSCServer.costlyRate.perSecond)) sounds and presets, a second: only the newest of each value counts"
        ))
      tellOnce(
        "rate \(client.source.host)",
        "\(client) sends more than \(Int(ClientRecord.messageRate)) messages a second")
    }
    return false
  }

  /// Sounds for every level in one bundle are done at once.
  static let costlyRate = MessageRate(perSecond: 20, most: 12)

  /// Somebody who moves a value does not hear of it while it moves.
  private func noteMove(
    _ row: OSCAddressRow, _ message: OSCMessage, _ client: ClientIdentity, _ now: MonotonicTime
  ) {
    guard row.access == .value, !message.arguments.isEmpty,
      subscribedClients.contains(client),
      let slot = board.slot(of: message.address, in: row)
    else { return }
    for destination in subscribers.keys where subscribers[destination]?.owner == client {
      subscribers[destination]?.moved(slot, message.arguments, now: now)
    }
  }

  /// Values over the rate, and bundles that waited for theirs.
  func servePending(_ now: MonotonicTime) {
    guard now.nanoseconds - pendingServedAt >= OSCServer.pendingNanoseconds else { return }
    pendingServedAt = now.nanoseconds
    for client in clients.pending {
      let (values, bundles, isDone) = clients.update(client, now: now) { record in
        let values = record.coalesced.values.sorted { $0.address < $1.address }.filter {
          OSCAddressTable.row(for: $0.address)?.row.isCostly != true || costly.take(now)
        }
        for message in values { record.coalesced[message.address] = nil }
        let bundles = record.waitingBundles.filter {
          record.bundleAllowedAt[$0, default: .min] <= now.nanoseconds
        }
        record.waitingBundles.subtract(bundles)
        return (values, bundles, record.waitingBundles.isEmpty && record.coalesced.isEmpty)
      }
      if isDone { clients.pending.remove(client) }
      for message in values { performCoalesced(message, client, now) }
      for kind in bundles { sendBundle(kind, to: client, now: now) }
    }
  }

  private func performCoalesced(
    _ message: OSCMessage, _ client: ClientIdentity, _ now: MonotonicTime
  ) {
    guard let permission = access.permission(of: client.source),
      let row = OSCAddressTable.row(for: message.address)?.row
    else { return }
    do throws(OSCRefusal) {
      guard case .command(let command) = try OSCAddressTable.decode(message) else { return }
      try authorise(row, client, permission)
      sink?.perform([
        ControlRequest(
          command: command, client: client, receivedAt: now, timetag: .immediately, due: nil,
          address: message.address)
      ])
    } catch {
      refuse(client, message.address, error)
    }
  }
}
