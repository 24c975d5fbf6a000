public import MusicalTime
internal import RealtimeEngine

/// How messages leave a port's queue: in order, never in a burst.
extension MIDIClockStream {
  /// From this lateness on a pulse counts as late, and those behind it are looked at.
  static let lateness: Int64 = 1_000_000
  /// This many late pulses are sent one by one; more are dropped.
  static let mostLatePulses = 24
  /// The least distance of FA and FB from the F8 before them.
  static let afterPulse: Int64 = 500_000

  /// The instant at which the next message leaves; nil where nothing waits.
  public func nextDue(_ clock: FrameClock) -> MonotonicTime? {
    let note = notes.nextDue(clock)
    guard let head = queue.first else { return note }
    let due = departure(of: head, clock)
    guard let note, note < due else { return due }
    return note
  }

  /// Whether it sends pulses and has none waiting.
  var wantsPulses: Bool { (settings.whileRolling || settings.whileStopped) && queue.count == 0 }

  /// Takes the next message that leaves at or before `limit`.
  ///
  /// - Parameter limit: the present, or later where something else keeps the appointment.
  public mutating func next(
    _ clock: FrameClock, now: MonotonicTime, until limit: MonotonicTime
  ) -> TimedMIDIMessage? {
    dropOverdue(clock, now)
    guard let head = queue.first else { return note(clock, now, limit) }
    let due = departure(of: head, clock)
    if due > limit || (notes.nextDue(clock).map { $0 < due } ?? false) {
      return note(clock, now, limit)
    }
    queue.removeFirst()
    record(head, at: due < now ? now : due, lateness: now.nanoseconds(since: head.due(clock)))
    return TimedMIDIMessage(
      message: head.message, destination: head.destination, due: due, frame: head.frame)
  }

  private mutating func note(
    _ clock: FrameClock, _ now: MonotonicTime, _ limit: MonotonicTime
  ) -> TimedMIDIMessage? {
    let message = notes.next(clock, now: now, until: limit)
    if case .noteOn = message?.message { tally.notes += 1 }
    return message
  }

  /// A message's instant, with what has left before it taken into account.
  private func departure(of entry: ScheduledMessage, _ clock: FrameClock) -> MonotonicTime {
    var due = entry.due(clock)
    switch entry.message {
    case .clock:
      // Late pulses follow half an interval apart until they have caught up.
      if entry.gap > 0, let lastClockSent {
        due = max(due, lastClockSent.advanced(byNanoseconds: span(entry.gap, clock) / 2))
      }
      // A late FA or FB still keeps its F8 a millisecond off.
      if let lastTransportSent {
        due = max(
          due, lastTransportSent.advanced(byNanoseconds: MIDIClockStream.lateness))
      }
    case .start, .resume:
      // The latest instant that still leaves the pulse where it is.
      let latest = due.advanced(byNanoseconds: settings.startLead &- MIDIClockStream.lateness)
      if let lastClockSent {
        due = max(due, lastClockSent.advanced(byNanoseconds: MIDIClockStream.afterPulse))
      }
      if case .resume = entry.message, let lastPositionSent {
        due = max(due, lastPositionSent.advanced(byNanoseconds: settings.songPositionWait))
      }
      due = min(due, latest)
    default: break
    }
    return due
  }

  private mutating func record(
    _ entry: ScheduledMessage, at instant: MonotonicTime, lateness: Int64
  ) {
    switch entry.message {
    case .clock:
      lastClockSent = instant
      lastTransportSent = nil
      tally.pulses += 1
      tally.newestPulse = instant.nanoseconds
      if lateness >= MIDIClockStream.lateness { tally.latePulses += 1 }
      tally.largestLateness = max(tally.largestLateness, lateness)
    case .start:
      receiversRoll = true
      lastTransportSent = instant
      tally.starts += 1
    case .resume:
      receiversRoll = true
      lastTransportSent = instant
      tally.continues += 1
    case .stop:
      receiversRoll = false
      tally.stops += 1
    case .songPosition:
      lastPositionSent = instant
      tally.songPositions += 1
    case .noteOn, .noteOff: break
    }
  }

  /// More late pulses than may be sent late: they are dropped, and the receivers, which have lost
  /// count, are told where the music is.
  private mutating func dropOverdue(_ clock: FrameClock, _ now: MonotonicTime) {
    let limit = now.advanced(byNanoseconds: -MIDIClockStream.lateness)
    guard let head = queue.first, head.due(clock) < limit else { return }
    var overdue = 0
    var index = 0
    while index < queue.count, overdue <= MIDIClockStream.mostLatePulses {
      let entry = queue[index]
      guard entry.due(clock) <= limit else { break }
      if entry.isClock { overdue += 1 }
      index += 1
    }
    guard overdue > MIDIClockStream.mostLatePulses else { return }
    var dropped: Int64 = 0
    var isLost = false
    var stopIsDue = false
    queue.removeAll { entry in
      guard entry.due(clock) <= now else { return false }
      if entry.isClock { dropped += 1 } else { isLost = true }
      if entry.isStop { stopIsDue = true }
      return true
    }
    tally.droppedPulses += dropped
    lastClockSent = nil
    lastTransportSent = nil
    let receiversRolled = receiversRoll
    let informs = isRolling && settings.transport && settings.reconnect != .clockOnly
    if stopIsDue || (informs && receiversRolled) {
      // Always fits: more than twenty-four have just left.
      _ = queue.prepend(
        ScheduledMessage(
          message: .stop, destination: .subscribers, anchor: .immediate, frame: .distantPast,
          shift: 0, gap: 0, songPulse: 0))
    }
    guard isRolling, settings.transport, case .nothing = armed else { return }
    if informs && (receiversRolled || isLost) {
      inform(.subscribers, clock, now)
    } else if isLost {
      // Whatever the policy: an FA that never left would leave the receivers standing.
      armed = .startAtBar(.subscribers)
    }
  }
}
