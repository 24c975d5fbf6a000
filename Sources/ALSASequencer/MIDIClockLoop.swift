internal import MusicalTime
internal import RealtimeEngine
internal import ThreadCrossing

/// The work of the MIDI thread: facts in, messages to the kernel, the next deadline out.
///
/// Time is an argument; the thread around it only waits. Nothing is allocated after the ports are
/// there.
///
/// - Thread: MIDI
final class MIDIClockLoop {
  let handle: SequencerHandle
  private let facts: SPSCQueueEnds<EngineEvent>
  private let commands: SPSCQueueEnds<MIDIThreadCommand>
  private let retired: SPSCQueueEnds<UInt>
  let clock: LatestValue<FrameClock>
  var slots: [MIDIPortSlot?]
  /// Removed ports that the control thread has not taken back yet, and how many.
  private var leaving: [UInt]
  private var leavingCount = 0
  var path = MIDIPath.direct
  private var latency: Int64 = 0
  private var lastPulse: PulseEvent?
  private var pulseFrames: Int64 = 0
  private var isRolling = false
  var toDrain = false
  /// Frames a second of what has been taken in.
  private var framesPerSecond: Int64
  /// An epoch has been taken in, its clock has not been seen.
  private var epochIsAhead = false
  /// When the next message leaves, as far as the last step knew.
  var soonest: MonotonicTime?

  /// Set before `begin`, where the path is the queue.
  var queue: SequencerQueue?
  var timeline = QueueTimeline()
  var nextObservation = MonotonicTime.distantPast

  private(set) var isFinished = false

  /// So far ahead messages go to the kernel queue: longer than an ordinary thread is late.
  static let lookahead: Int64 = 40_000_000
  /// So long before a message nothing else is begun, in nanoseconds.
  static let moment: Int64 = 50_000

  init(
    handle: SequencerHandle, facts: SPSCQueue<EngineEvent>, clock: LatestValue<FrameClock>,
    commands: SPSCQueue<MIDIThreadCommand>, retired: SPSCQueue<UInt>
  ) {
    self.handle = handle
    self.facts = facts.ends
    self.commands = commands.ends
    self.retired = retired.ends
    self.clock = clock
    framesPerSecond = clock.load().framesPerSecond
    slots = Array(repeating: nil, count: MIDIClockOutput.mostPorts)
    leaving = Array(repeating: 0, count: MIDIClockOutput.mostPorts * 4)
  }

  /// Whether facts have come since the last step.
  var hasFacts: Bool { !facts.isEmpty }

  /// Whether a pulse that is announced now could leave before what `step` named: so where a port
  /// has none waiting. On a port that has, it comes after those.
  var wantsPulses: Bool { slots.contains { $0?.stream.wantsPulses ?? false } }

  var queueDriftPPB: Int64 { timeline.driftPPB }

  /// Chooses how messages reach the kernel.
  func begin(_ path: MIDIPath, now: MonotonicTime) {
    self.path = path
    nextObservation = now
  }

  /// Does all that is due.
  ///
  /// - Returns: when there is more to do; nil where nothing waits.
  func step(now: MonotonicTime) -> MonotonicTime? {
    let line = clock.load()
    if path == .queue, now >= nextObservation {
      queue?.observe(&timeline)
      nextObservation = now.advanced(byNanoseconds: timeline.observationInterval)
    }
    while leavingCount > 0, retired.push(leaving[leavingCount - 1]) { leavingCount -= 1 }
    // Commands wait while there is no room for what they may take away.
    while leavingCount < leaving.count, let command = commands.pop() { obey(command, line, now) }
    var isMore = false
    if line.framesPerSecond != framesPerSecond || !isDueSoon(now) {
      isMore = takeFacts(line, now)
    }
    guard let current = currentLine(line, now) else {
      return now.advanced(byNanoseconds: MIDIClockLoop.moment)
    }
    let next = sendDue(current, now)
    return isMore ? now : next
  }

  /// The clock for frames of the length that what waits has: the audio thread announces an epoch and
  /// then publishes its clock.
  ///
  /// - Returns: nil in the moment between the two.
  private func currentLine(_ line: FrameClock, _ now: MonotonicTime) -> FrameClock? {
    let newest = line.framesPerSecond == framesPerSecond ? line : clock.load()
    if newest.framesPerSecond == framesPerSecond {
      epochIsAhead = false
      return newest
    }
    if epochIsAhead { return nil }
    // The clock is ahead: its epoch is among the facts.
    while let fact = facts.pop() {
      take(fact, newest, now)
      guard newest.framesPerSecond != framesPerSecond else {
        epochIsAhead = false
        return newest
      }
    }
    // It found no room in the queue; the clock is all there is to go by.
    framesPerSecond = newest.framesPerSecond
    return newest
  }

  /// Whether a message is about to leave: facts can wait for it, and it must not wait for them. One
  /// that is late can, since what is overdue is judged as a whole.
  private func isDueSoon(_ now: MonotonicTime) -> Bool {
    guard path == .direct, let soonest else { return false }
    return (-MIDIClockStream.lateness..<MIDIClockLoop.moment)
      .contains(soonest.nanoseconds(since: now))
  }

  /// Takes facts in, a few at a time; those whose instant has passed all at once, for how many they
  /// are decides what becomes of them.
  ///
  /// - Returns: whether there are more.
  private func takeFacts(_ line: FrameClock, _ now: MonotonicTime) -> Bool {
    var room = mostFacts
    while let fact = facts.pop() {
      take(fact, line, now)
      room -= 1
      if room <= 0, line.time(of: fact.frame) > now { return true }
    }
    return false
  }

  /// Facts of one step: sixteen for one port are as much work as two for eight, and less than a
  /// `moment` on the slowest machine.
  private var mostFacts: Int { max(16 / max(slots.count { $0 != nil }, 1), 1) }

  // MARK: Commands

  private func obey(_ command: MIDIThreadCommand, _ line: FrameClock, _ now: MonotonicTime) {
    switch command {
    case .add(let index, let pointer):
      guard let raw = unsafe UnsafeRawPointer(bitPattern: pointer) else { return }
      let slot = unsafe Unmanaged<MIDIPortSlot>.fromOpaque(raw).takeRetainedValue()
      slot.stream.setLatency(latency)
      if isRolling, let lastPulse {
        slot.stream.join(after: lastPulse, pulseFrames: pulseFrames, clock: line, now: now)
      }
      slots[Int(index)] = slot
    case .remove(let index):
      guard let slot = slots[Int(index)] else { return }
      finish(slot, line, now)
      flush()
      slots[Int(index)] = nil
      // The control thread frees it.
      let pointer = UInt(bitPattern: unsafe Unmanaged.passRetained(slot).toOpaque())
      if !retired.push(pointer) {
        leaving[leavingCount] = pointer
        leavingCount += 1
      }
    case .configure(let index, let settings):
      slots[Int(index)]?.stream.configure(settings)
    case .reconnected(let index, let destination):
      slots[Int(index)]?.stream.reconnected(destination, clock: line, now: now)
    case .perturb(let index, let perturbation):
      slots[Int(index)]?.stream.perturbation = perturbation
    case .latency(let nanoseconds):
      latency = nanoseconds
      for slot in slots { slot?.stream.setLatency(nanoseconds) }
    case .finish:
      for slot in slots {
        guard let slot else { continue }
        finish(slot, line, now)
        slot.publish()
      }
      flush()
      isFinished = true
    }
  }

  private func finish(_ slot: MIDIPortSlot, _ line: FrameClock, _ now: MonotonicTime) {
    if path == .queue { takeBack(slot, from: .distantPast, at: now, now) }
    slot.stream.finish()
    slot.hasNews = true
    while let message = slot.stream.next(line, now: now, until: now) { hand(message, slot, now) }
  }

  // MARK: Facts

  private func take(_ fact: EngineEvent, _ line: FrameClock, _ now: MonotonicTime) {
    switch fact {
    case .pulse(let pulse):
      if !pulse.flags.contains(.free) {
        isRolling = true
        if let lastPulse, pulse.frame > lastPulse.frame {
          pulseFrames = (pulse.frame - lastPulse.frame).value
        }
        lastPulse = pulse
      }
    case .stopped(let stop):
      isRolling = false
      if path == .queue {
        for slot in slots {
          guard let slot else { continue }
          let due = line.time(of: stop.frame).advanced(byNanoseconds: slot.stream.shift)
          takeBack(
            slot, from: stop.isPanic ? .distantPast : stop.frame, at: stop.isPanic ? now : due,
            now)
        }
      }
    case .epoch(let epoch):
      framesPerSecond = epoch.newRate
      pulseFrames = epoch.scaled(pulseFrames)
      epochIsAhead = true
      if let pulse = lastPulse { lastPulse?.frame = epoch.moved(pulse.frame).frame }
      for slot in slots { slot?.handedOver.replaceAll { epoch.moved($0).frame } }
    default: break
    }
    for slot in slots { slot?.stream.take(fact, clock: line, now: now) }
  }
}
