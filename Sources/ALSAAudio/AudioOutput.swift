public import MusicalTime
public import RealtimeHost
internal import Synchronization
public import ThreadCrossing

/// A device that has been asked for before the engine is made, because the engine must know its
/// rate.
///
/// - Thread: control, until it is given to an `AudioOutput`.
public struct PreparedDevice {
  public let request: PCMRequest
  /// What the device is set to, or what is assumed until it comes.
  public let configuration: PCMConfiguration
  /// Why there is no device yet; nil where there is one, or none is wanted.
  public let problem: PCMProblem?
  let stream: OutputStream?
  let opener: any PCMOpener

  /// Opens the device if it is there; a device that is not is no error.
  public init(request: PCMRequest, opener: any PCMOpener = ALSAOpener()) {
    self.request = request
    self.opener = opener
    var stream: OutputStream?
    var problem: PCMProblem?
    if !request.isSilent {
      do throws(PCMProblem) {
        stream = OutputStream(device: try opener.open(request))
      } catch {
        problem = error
      }
    }
    self.stream = stream
    self.problem = problem
    if let stream {
      configuration = stream.configuration
    } else {
      // What a card would refuse is brought to what one could do.
      let rate = min(max(request.framesPerSecond, 8_000), 768_000)
      let plan = BufferPlan(
        request: request, framesPerSecond: rate, periods: 16...8_192, buffers: 32...65_536)
      configuration = PCMConfiguration(
        framesPerSecond: rate, channelCount: min(max(request.channelCount, 1), 64),
        format: .float32, periodFrames: plan.periodFrames, bufferFrames: plan.bufferFrames)
    }
  }
}

/// The output of the engine: plays on a sound device while there is one and runs on the host's
/// clock while there is none. Frames and their clock never stop.
///
/// Two threads: `audio` renders and writes and never opens, closes or waits for anyone; `device`
/// opens, closes, watches and reports.
///
/// - Thread: `init`, `start`, `stop` from one owner; `clock` and `status` may be read by any.
@safe public final class AudioOutput<Source: AudioSource>: @unchecked Sendable {
  /// When each frame is heard; news once a period.
  public let clock: LatestValue<FrameClock>
  private let loopStatus: LatestValue<OutputStatus>
  private let deviceState: LatestValue<OutputState>
  private let arrivals = unsafe SPSCQueue<Unmanaged<OutputStream>>(capacity: 2)
  private let facts = SPSCQueue<StreamFact>(capacity: 256)
  private let wakeUp = WakeUp()
  private let isStopping = Atomic<Bool>(false)
  /// The audio thread has ended: the device may be closed.
  private let isClosing = Atomic<Bool>(false)
  private let source: Source
  private let prepared: PreparedDevice
  private let report: @Sendable (OutputNotice) -> Void
  private var audioThread: RealtimeThread?
  private var deviceThread: RealtimeThread?

  /// - Parameter report: called on the device thread.
  public init(
    source: Source, device: PreparedDevice, report: @escaping @Sendable (OutputNotice) -> Void
  ) {
    self.source = source
    self.prepared = device
    self.report = report
    let configuration = device.configuration
    clock = LatestValue(
      FrameClock(
        frame: FrameIndex(0), heardAt: MonotonicClock.now(),
        framesPerSecond: Int64(configuration.framesPerSecond)))
    loopStatus = LatestValue(OutputStatus(framesPerSecond: configuration.framesPerSecond))
    deviceState = LatestValue(device.request.isSilent ? .freeRunning : .opening)
  }

  /// Starts the threads.
  ///
  /// - Parameter allowsRealtime: false leaves the audio thread with the ordinary scheduler.
  /// - Returns: whether the audio thread got real-time scheduling.
  /// - Throws: where the system gives no thread at all.
  public func start(
    allowsRealtime: Bool = true
  ) throws(RealtimeThread.Failure) -> RealtimeGrant {
    let configuration = prepared.configuration
    let now = MonotonicClock.now()
    // Frame 0 is heard a buffer from now, as it would be with a card.
    let lead = Int64(configuration.bufferFrames) * 1_000_000_000
    let first = now.advanced(byNanoseconds: lead / Int64(max(configuration.framesPerSecond, 1)))
    let start = FrameClock(
      frame: FrameIndex(0), heardAt: first, framesPerSecond: Int64(configuration.framesPerSecond))
    clock.store(start)
    let deviceThread = try RealtimeThread.start(name: "tactus-device", priority: nil) {
      self.keepDevice(since: now)
    }
    self.deviceThread = deviceThread
    let audioThread = try RealtimeThread.start(
      name: "tactus-audio", priority: allowsRealtime ? .audio : nil
    ) {
      self.play(from: start)
    }
    self.audioThread = audioThread
    return audioThread.grant
  }

  /// Ends both threads and gives the device back; what is in its buffer is dropped.
  public func stop() {
    isStopping.store(true, ordering: .releasing)
    audioThread?.join()
    isClosing.store(true, ordering: .releasing)
    wakeUp.signal()
    deviceThread?.join()
    audioThread = nil
    deviceThread = nil
  }

  /// The output as it is now.
  public func status() -> OutputStatus {
    var status = loopStatus.load()
    // The device thread knows why there is no stream, the audio thread how the stream does.
    if status.state == .freeRunning { status.state = deviceState.load() }
    status.isRealtime = audioThread?.grant.isRealtime ?? false
    return status
  }

  private func play(from start: FrameClock) {
    let loop = unsafe OutputLoop(
      source: source, host: SystemClock(), clock: start, plan: prepared.configuration,
      clockCell: clock.writer, statusCell: loopStatus.writer, arrivals: arrivals.ends,
      facts: facts.ends, deviceWakeUp: wakeUp,
      isMissed: prepared.stream == nil && !prepared.request.isSilent)
    let before = LockedMemory.threadPageFaults()
    while !isStopping.load(ordering: .acquiring) {
      loop.turn()
      // A system call of a microsecond, every half second or so.
      if loop.status.periods & 127 == 0 {
        let faults = LockedMemory.threadPageFaults()
        loop.status.pageFaults = faults.minor + faults.major - before.minor - before.major
      }
    }
  }

  private func keepDevice(since now: MonotonicTime) {
    let watch = DeviceWatch(wakeUp: wakeUp)
    let keeper = unsafe DeviceKeeper(
      request: prepared.request, opener: prepared.opener, prepared: prepared.stream,
      framesPerSecond: prepared.configuration.framesPerSecond, problem: prepared.problem,
      now: now, arrivals: arrivals, facts: facts,
      checkMixer: MixerCheck.warnings, report: report)
    var changed = false
    while true {
      keeper.turn(at: MonotonicClock.now(), cardsChanged: changed)
      deviceState.store(keeper.state.forOutput)
      if isClosing.load(ordering: .acquiring) { break }
      changed = watch.wait(until: keeper.deadline)
    }
    keeper.finish()
  }
}

extension DeviceLifecycle.State {
  /// As an output shows it while the audio thread has no stream.
  fileprivate var forOutput: OutputState {
    switch self {
    case .freeRunning: .freeRunning
    case .opening, .joining, .playing: .opening
    case .suspended: .suspended
    case .waiting: .waiting
    }
  }
}
