internal import MusicalTime
internal import RealtimeHost
internal import Synchronization
internal import ThreadCrossing

/// What runs on the MIDI thread: step, publish, wait.
///
/// Unchecked, because the loop belongs to the thread from `begin` on and the flag orders what
/// `begin` wrote before.
final class MIDIThreadBody: @unchecked Sendable {
  private let loop: MIDIClockLoop
  private let wakeUp: WakeUp
  private let published: LatestValue<MIDIOutputStatus>
  private let timer = DeadlineTimer()
  private let mayBegin = Atomic<Bool>(false)
  private let ended = Atomic<Bool>(false)
  private var status = MIDIOutputStatus()
  private var path = MIDIPath.direct

  init(
    loop: MIDIClockLoop, wakeUp: WakeUp, published: LatestValue<MIDIOutputStatus>
  ) {
    self.loop = loop
    self.wakeUp = wakeUp
    self.published = published
  }

  /// - Thread: control
  func begin(_ path: MIDIPath, grant: RealtimeGrant, queue: SequencerQueue?) {
    self.path = path
    loop.queue = queue
    status.path = path
    status.queueHertz = queue?.resolutionHertz ?? 0
    if case .realtime(let priority) = grant { status.priority = priority }
    published.store(status)
    mayBegin.store(true, ordering: .releasing)
    wakeUp.signal()
  }

  /// Whether the last message has been handed over.
  ///
  /// - Thread: any
  var hasEnded: Bool { ended.load(ordering: .acquiring) }

  func run() {
    defer { ended.store(true, ordering: .releasing) }
    while !mayBegin.load(ordering: .acquiring) { timer.wait(until: nil, or: wakeUp) }
    loop.begin(path, now: MonotonicClock.now())
    var stepsToReport = 0
    var faultsAtStart: Int64?
    while !loop.isFinished {
      let deadline = loop.step(now: MonotonicClock.now())
      if loop.isFinished { break }
      stepsToReport += 1
      // Once in a while, and never between a deadline and its message.
      if stepsToReport >= MIDIThreadBody.stepsPerReport {
        stepsToReport = 0
        let faults = LockedMemory.threadPageFaults().minor
        // The first steps bring in what they touch.
        if let faultsAtStart { status.pageFaults = faults - faultsAtStart }
        faultsAtStart = faultsAtStart ?? faults
        status.queueDriftPPB = loop.queueDriftPPB
        published.store(status)
      }
      wakeUp.want(loop.wantsPulses)
      if loop.hasFacts { continue }
      guard let deadline else {
        timer.wait(until: nil, or: wakeUp)
        continue
      }
      let ahead = deadline.nanoseconds(since: MonotonicClock.now())
      if ahead <= 0 { continue }
      // The FrameClock goes on learning meanwhile: in a long wait, look at it once more.
      if ahead > MIDIThreadBody.longWait {
        timer.wait(until: deadline.advanced(byNanoseconds: -MIDIThreadBody.lastLook), or: wakeUp)
        continue
      }
      timer.wait(until: deadline, or: wakeUp)
      let lateness = MonotonicClock.now().nanoseconds(since: deadline)
      status.largestWakeLateness = max(status.largestWakeLateness, lateness)
    }
  }

  /// In nanoseconds: what a clock learns in less is below a microsecond.
  private static let longWait: Int64 = 60_000_000
  private static let lastLook: Int64 = 30_000_000
  private static let stepsPerReport = 64
}
