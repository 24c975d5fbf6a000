internal import CLinux
internal import MusicalTime
internal import RealtimeHost
internal import ThreadCrossing

/// The audio thread: one clock of frames that never stops, with or without a card.
///
/// Each `turn` is one wait and at most a buffer of work. A card joins in by measurement: it is
/// started on silence, its position is read from time stamps, and the frame that the frame clock
/// says is due at the converter is the first that is written. So a first start, the end of an
/// xrun, a resume and a replugged card are one case, and none of them moves the grid by more than
/// half a frame and the stamps' jitter. See OutputLoop+PlaybackLoop.swift and OutputLoop+FreeRunLoop.swift.
///
/// - Thread: audio, all of it, after `init`.
@safe final class OutputLoop<Source: AudioSource> {
  enum Phase: Equatable {
    case freeRunning
    /// A card runs on silence while its position is measured.
    case joining
    case playing
    case suspended
  }

  let source: Source
  let host: any HostClock
  let clockCell: LatestValueWriter<FrameClock>
  let statusCell: LatestValueWriter<OutputStatus>
  let arrivals: SPSCQueueEnds<Unmanaged<OutputStream>>
  let facts: SPSCQueueEnds<StreamFact>
  /// Wakes the device thread when there is a fact.
  let deviceWakeUp: WakeUp?

  var loop: DelayLockedLoop
  var status: OutputStatus
  var phase = Phase.freeRunning
  var stream: OutputStream?
  /// The first frame that the source has not rendered.
  var next: FrameIndex
  /// The frame that the next one written to the device is.
  var deviceNext: FrameIndex
  /// `deviceNext` when a stamp was last taken in.
  var observedNext: FrameIndex
  /// How far the source runs ahead of what is heard while nothing plays: a buffer's length.
  var leadFrames: Int64
  /// Frames rendered at a time.
  var quantumFrames: Int

  /// From where on music has been missed and is not yet counted; nil while it is heard, and before
  /// a card that was there from the start first played.
  var breakFrame: FrameIndex?
  /// Whether the stream has played since it was opened.
  var hasPlayed = false
  var steps = ClockStepDetector()
  /// What the device thread is to know after this turn; kept while its queue is full.
  private var unreported: StreamFact?
  /// Interruptions since playing was last steady.
  var failures = 0
  var steadyTurns = 0
  var join = JoinMeasurement()
  var nextResume = MonotonicTime.distantPast

  /// Sound that nobody hears goes here.
  let dump: UnsafeMutablePointer<Float>
  let dumpChannels: Int

  /// - Parameter isMissed: a device is wanted and not there: music is missed from the first frame.
  init(
    source: Source, host: any HostClock, clock: FrameClock, plan: PCMConfiguration,
    clockCell: LatestValueWriter<FrameClock>, statusCell: LatestValueWriter<OutputStatus>,
    arrivals: SPSCQueueEnds<Unmanaged<OutputStream>>, facts: SPSCQueueEnds<StreamFact>,
    deviceWakeUp: WakeUp?, isMissed: Bool = false
  ) {
    self.source = source
    self.host = host
    self.clockCell = clockCell
    self.statusCell = statusCell
    unsafe self.arrivals = unsafe arrivals
    self.facts = facts
    self.deviceWakeUp = deviceWakeUp
    loop = DelayLockedLoop(clock: clock)
    status = OutputStatus(framesPerSecond: Int(clock.framesPerSecond))
    next = clock.anchorFrame
    deviceNext = clock.anchorFrame
    observedNext = clock.anchorFrame
    breakFrame = isMissed ? clock.anchorFrame : nil
    leadFrames = Int64(plan.bufferFrames)
    quantumFrames = plan.periodFrames
    dumpChannels = plan.channelCount
    let samples = plan.periodFrames * plan.channelCount
    unsafe dump = UnsafeMutablePointer<Float>.allocate(capacity: samples)
    unsafe dump.initialize(repeating: 0, count: samples)
  }

  deinit { unsafe dump.deallocate() }

  /// One wait and the work that follows from it.
  func turn() {
    step()
    if let fact = unreported {
      if facts.push(fact) { unreported = nil }
      deviceWakeUp?.signal()
    }
    publish()
  }

  /// Never inlined: when it has returned, this thread holds no reference but `stream` itself. So a
  /// stream that was lost can be freed as soon as the device thread hears of it, and not here.
  @inline(never)
  private func step() {
    if stream == nil, let arrival = unsafe arrivals.pop() {
      unsafe adopt(arrival.takeUnretainedValue())
    }
    if let stream {
      switch phase {
      case .freeRunning, .joining: joinTurn(stream)
      case .playing: playTurn(stream)
      case .suspended: suspendedTurn(stream)
      }
    } else {
      freeRunTurn()
    }
  }

  /// Takes a device that is open, prepared and silent.
  private func adopt(_ arrival: OutputStream) {
    let rate = arrival.configuration.framesPerSecond
    if Int64(rate) != loop.clock.framesPerSecond {
      guard source.changeRate(framesPerSecond: rate) else {
        tell(StreamFact(kind: .rateRefused))
        return
      }
      // The frame index runs on; from here on its frames have another length.
      loop.restart(from: loop.clock.epoch(at: next, framesPerSecond: Int64(rate)))
      status.framesPerSecond = rate
    } else {
      loop.relearnRate()
    }
    stream = arrival
    status.configuration = arrival.configuration
    leadFrames = Int64(arrival.configuration.bufferFrames)
    failures = 0
    hasPlayed = false
    // Consumers must know the new epoch before anything is announced in it.
    clockCell.store(loop.clock)
    prime(arrival)
  }

  /// Sound broke off by itself: what was to be heard from `deviceNext` on will be missing.
  func interrupt() {
    if phase == .playing { status.xruns += 1 }
    miss()
    steadyTurns = 0
    failures += 1
  }

  /// Nothing that is written from here on will be heard in time.
  private func miss() {
    if phase == .playing { breakFrame = deviceNext }
  }

  /// Counts what has been missed up to a frame; from there on it goes on being missed.
  func countMissing(to frame: FrameIndex) {
    guard let broken = breakFrame, frame > broken else { return }
    status.missingFrames += Int((frame - broken).value)
    breakFrame = frame
  }

  /// Acts on a negative errno of a device call.
  func handle(_ code: Int32, _ stream: OutputStream) {
    switch XrunRecovery(code: code) {
    case .retry:
      return
    case .prepare:
      interrupt()
      // A stream that breaks off again and again does not get better by preparing it; one that
      // has not played at all needs fewer attempts to show it.
      guard failures <= (hasPlayed ? 8 : 3) else { return lose(code) }
      let prepared = stream.device.prepare()
      guard prepared >= 0 else { return lose(prepared) }
      prime(stream)
    case .resume:
      if phase != .suspended {
        miss()
        phase = .suspended
        nextResume = .distantPast
        tell(StreamFact(kind: .suspended))
      }
    case .reopen:
      lose(code)
    }
  }

  /// The device is gone or of no use; the clock runs on without it.
  func lose(_ code: Int32) {
    miss()
    // One that has not played is missed from now on, too.
    if breakFrame == nil { breakFrame = loop.clock.frame(at: host.now()) }
    stream = nil
    phase = .freeRunning
    status.configuration = nil
    status.losses += 1
    tell(StreamFact(kind: .lost, code: code))
  }

  /// Leaves a fact for the device thread. The newest is what holds: it does not matter of a lost
  /// stream whether it was suspended or resumed just before.
  func tell(_ fact: StreamFact) { unreported = fact }

  private func publish() {
    let clock = loop.clock
    status.state =
      switch phase {
      case .freeRunning: stream == nil ? .freeRunning : .opening
      case .joining: .opening
      case .playing: .playing
      case .suspended: .suspended
      }
    status.driftPPM = clock.driftPPM
    status.jitterNanoseconds = Int(loop.jitterNanoseconds)
    status.uncertaintyNanoseconds = clock.uncertaintyNanoseconds(of: next)
    clockCell.store(clock)
    statusCell.store(status)
  }
}
