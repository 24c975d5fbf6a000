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
        "forbidden \(client.rights.host) \(row.path)",
        "\(row.address) from \(client.rights.host) was refused: it needs --\(row.permission == .admin ? "admin" : "allow") \(client.rights.host)"
      )
      throw OSCRefusal(
        .forbidden,
        row.permission == .admin
          ? "\(row.address) needs the machine itself or a network named by --admin"
          : "\(client.rights.host) may read only: playing needs a network named by --allow")
    }
    if isLocked, permission < .admin, row.permission == .play, row.path != "unlock" {
      throw OSCRefusal(.locked, "locked: send /tactus/unlock with the PIN first")
    }
  }

  /// What becomes of a message that a rate limit is asked about.
  private enum Admission {
    case now
    /// Put off: it is judged later, and answered then.
    case later
    /// A stop like the one just done.
    case repeated
    /// Too many: try again in so many milliseconds.
    case refused(Int)
  }

  /// 1000 messages a second and client, and so many sounds and presets of all clients together.
  ///
  /// Nothing over a rate is accepted silently: the newest of each value waits and is answered when
  /// it is judged; stop, panic, mute and quit pass; the rest is refused with the time after which to
  /// try again. Of a flood of stops one in each service is done: the others would come at the same
  /// instant with nothing between.
  private func passesRate(
    _ message: OSCMessage, _ row: OSCAddressRow?, _ client: ClientIdentity, _ now: MonotonicTime
  ) -> Bool {
    let admission = clients.update(client, now: now) { record in
      record.lastMessage = now.nanoseconds
      return admit(message, row, &record, now)
    }
    switch admission {
    case .now:
      // What this one changes, a stop may be needed for again.
      justDone = nil
      return true
    case .later:
      clients.pending.insert(client)
    case .repeated:
      break
    case .refused(let milliseconds):
      refuseOverRate(message.address, milliseconds, client, now)
    }
    counters.overRate += 1
    return false
  }

  private func admit(
    _ message: OSCMessage, _ row: OSCAddressRow?, _ record: inout ClientRecord,
    _ now: MonotonicTime
  ) -> Admission {
    // A question takes nothing away from what waits.
    let isQuestion = message.arguments.isEmpty
    let isCostly = row?.isCostly == true && !(isQuestion && row?.access == .value)
    let isOverRate = !record.rate.take(now)
    if !isOverRate {
      guard isCostly else {
        if !isQuestion { record.forget(message.address) }
        return .now
      }
      // Sounds and presets stay in their order.
      if !record.hasWaitingValues, costly.take(now) { return .now }
    }
    if row?.isUrgent == true { return message != justDone ? .now : .repeated }
    if row?.isCoalesced == true, !isQuestion, record.keep(message) { return .later }
    return .refused(
      isOverRate ? record.rate.millisecondsToNext : costly.millisecondsToNext)
  }

  /// Ten such errors a second and client; what comes between them is counted and told by the next,
  /// at the latest before the next pong.
  func refuseOverRate(
    _ address: String, _ milliseconds: Int, _ client: ClientIdentity, _ now: MonotonicTime
  ) {
    tellOnce(
      "rate \(client.rights.host)",
      "\(client) sends more than \(Int(ClientRecord.messageRate)) messages, or \(Int(OSCServer.costlyRate.perSecond)) sounds and presets, a second"
    )
    let isReported = clients.update(client, now: now) { record in
      guard record.unreported == nil, record.rateErrors.take(now) else {
        record.unreported = ((record.unreported?.count ?? 0) + 1, address)
        return false
      }
      return true
    }
    guard isReported else {
      clients.pending.insert(client)
      return
    }
    refuse(client, address, OSCServer.tooMany(tryAgainIn: milliseconds))
  }

  static func tooMany(tryAgainIn milliseconds: Int) -> OSCRefusal {
    OSCRefusal(
      .tooMany,
      "too many: \(Int(ClientRecord.messageRate)) messages, and \(Int(costlyRate.perSecond)) sounds and presets, a second are taken; try again in \(milliseconds) ms"
    )
  }

  /// Tells of messages over the rate that were refused without a word.
  func reportPending(_ client: ClientIdentity, _ now: MonotonicTime, isForced: Bool) {
    let unreported = clients.update(client, now: now) { record -> (count: Int, address: String)? in
      guard let unreported = record.unreported, record.rateErrors.take(now) || isForced else {
        return nil
      }
      record.unreported = nil
      return unreported
    }
    guard let unreported else { return }
    refuse(
      client, unreported.address,
      OSCRefusal(
        .tooMany,
        "too many: \(unreported.count) messages were refused, the last of them to this address; \(Int(ClientRecord.messageRate)) a second are taken"
      ))
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

  /// Values over the rate, bundles that waited for theirs, and what is still to be told of both.
  func servePending(_ now: MonotonicTime) {
    guard now.nanoseconds - pendingServedAt >= OSCServer.pendingNanoseconds else { return }
    pendingServedAt = now.nanoseconds
    for client in clients.pending {
      let (values, bundles) = clients.update(client, now: now) { record in
        let values = record.takeValues {
          OSCAddressTable.row(for: $0.address)?.row.isCostly != true || costly.take(now)
        }
        let bundles = record.waitingBundles.filter {
          record.bundleAllowedAt[$0, default: .min] <= now.nanoseconds
        }
        record.waitingBundles.subtract(bundles)
        return (values, bundles)
      }
      for message in values { performCoalesced(message, client, now) }
      for kind in bundles { sendBundle(kind, to: client, now: now) }
      reportPending(client, now, isForced: false)
      if clients[client].map({ !$0.hasWork }) ?? true { clients.pending.remove(client) }
    }
  }

  private func performCoalesced(
    _ message: OSCMessage, _ client: ClientIdentity, _ now: MonotonicTime
  ) {
    guard let permission = permission(of: client),
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
