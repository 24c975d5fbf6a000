internal import Glibc
internal import MusicalTime
internal import ThreadCrossing

/// Opens, hands over, takes back and closes devices, as the lifecycle says.
///
/// - Thread: device
@safe final class DeviceKeeper {
  private let request: PCMRequest
  private let opener: any PCMOpener
  private let arrivals: SPSCQueue<Unmanaged<OutputStream>>
  private let facts: SPSCQueue<StreamFact>
  private let report: @Sendable (OutputNotice) -> Void
  private let checkMixer: (PCMRequest) -> [MixerWarning]
  private var lifecycle: DeviceLifecycle
  /// The rate that the engine runs at now: a card that returns is asked for it first.
  private var framesPerSecond: Int
  private var current: OutputStream?
  private var lastProblem: PCMProblem?
  /// See `PCMRequest.leastPeriodFrames`; it stays, for what made it necessary is the device's.
  private var leastPeriodFrames: Int?
  /// The period that ran empty.
  private var shortPeriodFrames = 0

  init(
    request: PCMRequest, opener: any PCMOpener, prepared: OutputStream?, framesPerSecond: Int,
    problem: PCMProblem?, now: MonotonicTime, arrivals: SPSCQueue<Unmanaged<OutputStream>>,
    facts: SPSCQueue<StreamFact>, checkMixer: @escaping (PCMRequest) -> [MixerWarning],
    report: @escaping @Sendable (OutputNotice) -> Void
  ) {
    self.request = request
    self.opener = opener
    unsafe self.arrivals = unsafe arrivals
    self.facts = facts
    self.report = report
    self.checkMixer = checkMixer
    self.framesPerSecond = framesPerSecond
    lastProblem = problem
    current = prepared
    if prepared != nil {
      lifecycle = DeviceLifecycle(openedAt: now)
      // The queue is new and empty.
      _ = handOver()
    } else {
      lifecycle = DeviceLifecycle(wantsDevice: !request.isSilent, now: now)
    }
  }

  var deadline: MonotonicTime? { lifecycle.deadline }
  var state: DeviceLifecycle.State { lifecycle.state }

  /// Takes in what the audio thread says, what changed, and the time.
  func turn(at now: MonotonicTime, cardsChanged: Bool) {
    while let fact = facts.pop() { perform(lifecycle.handle(event(of: fact), at: now), at: now) }
    if cardsChanged { perform(lifecycle.handle(.cardsChanged, at: now), at: now) }
    perform(lifecycle.handle(.tick, at: now), at: now)
  }

  /// Gives the device back; the audio thread has ended.
  func finish() { close() }

  private func event(of fact: StreamFact) -> DeviceLifecycle.Event {
    switch fact.kind {
    case .playing: .playing
    case .lost where fact.code == -EPIPE && longerPeriod != nil: .ranEmpty
    case .lost: .lost(code: fact.code < 0 ? -fact.code : fact.code)
    case .rateRefused: .rateRefused
    case .suspended: .suspended
    case .resumed: .resumed
    }
  }

  private var longerPeriod: Int? {
    guard let configuration = current?.configuration else { return nil }
    return BufferPlan.longerPeriod(
      than: configuration.periodFrames, framesPerSecond: configuration.framesPerSecond)
  }

  private func perform(_ actions: [DeviceLifecycle.Action], at now: MonotonicTime) {
    for action in actions {
      switch action {
      case .open: open(at: now)
      case .close: close()
      case .lengthenPeriod:
        shortPeriodFrames = current?.configuration.periodFrames ?? 0
        leastPeriodFrames = longerPeriod
      case .report(let notice): tell(notice)
      }
    }
  }

  private func open(at now: MonotonicTime) {
    var adapted = request
    adapted.framesPerSecond = framesPerSecond
    adapted.leastPeriodFrames = leastPeriodFrames
    do throws(PCMProblem) {
      current = OutputStream(device: try opener.open(adapted))
      guard handOver() else {
        close()
        throw PCMProblem(device: request.device, call: "hand over", code: EAGAIN)
      }
      perform(lifecycle.handle(.opened, at: now), at: now)
    } catch {
      lastProblem = error
      perform(lifecycle.handle(.openFailed(code: error.code), at: now), at: now)
    }
  }

  /// - Returns: false where the audio thread has not taken the ones before.
  private func handOver() -> Bool {
    guard let current else { return false }
    // The reference counts for the audio thread too, until `close`.
    return unsafe arrivals.push(Unmanaged.passUnretained(current))
  }

  /// The audio thread has let go of the device before it said so.
  private func close() {
    current?.device.close()
    current = nil
  }

  private func tell(_ notice: DeviceLifecycle.Notice) {
    switch notice {
    case .playing:
      guard let current else { return }
      framesPerSecond = current.configuration.framesPerSecond
      report(.playing(device: request.device, current.configuration))
      for warning in checkMixer(request) { report(.mixer(warning)) }
    case .missing(let code):
      report(
        .waiting(lastProblem ?? PCMProblem(device: request.device, call: "open", code: code)))
    case .neverPlayed(let code):
      report(
        .waiting(
          PCMProblem(
            device: request.device, call: "play", code: code, detail: "it opens but does not run",
            cards: SoundCard.present())))
    case .lost(let code):
      report(.lost(device: request.device, code: code))
    case .lengthened:
      report(
        .lengthened(
          device: request.device, fromFrames: shortPeriodFrames,
          toFrames: leastPeriodFrames ?? shortPeriodFrames, framesPerSecond: framesPerSecond))
    case .rateRefused:
      report(.rateRefused(device: request.device))
    case .suspended:
      report(.suspended(device: request.device))
    case .resumed:
      report(.resumed(device: request.device))
    }
  }
}
