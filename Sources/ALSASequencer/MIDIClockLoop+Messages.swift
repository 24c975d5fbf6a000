internal import MusicalTime
internal import RealtimeEngine
internal import ThreadCrossing

/// What is due goes to the kernel, and what a Stop has voided is taken back from it.
extension MIDIClockLoop {
  func sendDue(_ line: FrameClock, _ now: MonotonicTime) -> MonotonicTime? {
    let ahead = path == .queue ? MIDIClockLoop.lookahead : 0
    let limit = now.advanced(byNanoseconds: ahead)
    for slot in slots {
      guard let slot else { continue }
      while let message = slot.stream.next(line, now: now, until: limit) {
        hand(message, slot, now)
        slot.hasNews = true
      }
    }
    // All ports' messages of one instant go to the kernel in one call.
    flush()
    var next: MonotonicTime?
    for slot in slots {
      guard let slot else { continue }
      slot.publish()
      guard let due = slot.stream.nextDue(line) else { continue }
      if next.map({ due < $0 }) ?? true { next = due }
    }
    soonest = next
    if path == .queue {
      next = next?.advanced(byNanoseconds: -ahead)
      if next.map({ nextObservation < $0 }) ?? true { next = nextObservation }
    }
    return next
  }

  func hand(_ message: TimedMIDIMessage, _ slot: MIDIPortSlot, _ now: MonotonicTime) {
    var time: SequencerQueueTime?
    if path == .queue, message.due > now, let queue {
      // A queue gives an event out at its first tick at or after the event's time: half a tick
      // late on average.
      let halfTick = 500_000_000 / Int64(max(queue.resolutionHertz, 1))
      time = SequencerQueueTime(
        queue: queue.number, nanoseconds: timeline.queueTime(at: message.due) &- halfTick)
      if case .clock = message.message {
        if slot.handedOver.isFull { slot.handedOver.removeFirst() }
        _ = slot.handedOver.append(message.frame)
      }
    }
    toDrain = true
    let isTaken = handle.send(
      message.message, from: slot.port, to: message.destination, at: time)
    if !isTaken { slot.refused += 1 }
  }

  /// Empties the kernel queue of what a Stop has voided.
  func takeBack(
    _ slot: MIDIPortSlot, from frame: FrameIndex, at due: MonotonicTime, _ now: MonotonicTime
  ) {
    guard let queue else { return }
    let halfTick = 500_000_000 / Int64(max(queue.resolutionHertz, 1))
    // A pulse may lie up to half a frame before the instant of its frame.
    let halfFrame = 500_000_000 / max(clock.load().framesPerSecond, 1)
    let start = max(due.advanced(byNanoseconds: -halfFrame), now)
    let time = max(timeline.queueTime(at: start) &- halfTick, 0)
    _ = handle.library.removeQueued(
      from: slot.port, atOrAfter: SequencerQueueTime(queue: queue.number, nanoseconds: time))
    var voided: Int64 = 0
    let line = clock.load()
    let shift = slot.stream.shift
    slot.handedOver.removeAll { handed in
      guard handed >= frame, line.time(of: handed).advanced(byNanoseconds: shift) > now else {
        return false
      }
      voided += 1
      return true
    }
    slot.stream.takeBack(pulses: voided)
    slot.hasNews = true
  }

  func flush() {
    guard toDrain else { return }
    toDrain = false
    if !handle.flush() {
      for slot in slots { slot?.refused += 1 }
    }
  }
}
