internal import CLinux
internal import CommandLineOptions
internal import Conductor
internal import LinkSession
internal import MetronomeModel
internal import MusicalTime
internal import RealtimeEngine
internal import RealtimeHost
internal import ThreadCrossing

/// Our part in a session of Ableton Link: `tactus-link`, kept alive while a mode asks for it, and
/// what passes between its session and the Conductor.
///
/// - Thread: control
final class LinkRig {
  /// Nanoseconds after which a program that says nothing is ended: it reports ten times a second.
  static let patience: Int64 = 3_000_000_000
  /// Nanoseconds to the first start after an end: it is back within a second.
  static let firstDelay: Int64 = 250_000_000
  /// Nanoseconds after leaving before we join again: those who stay found a session anew when we go,
  /// and of two sessions younger than half a second of each other either may win.
  static let away: Int64 = 1_000_000_000
  /// Reports taken in one turn of the control thread.
  static let mostReports = 64

  unowned let control: ControlThread
  private let program: String?
  private(set) var keeper: ChildKeeper?
  private var channel: LinkChannel?
  private var heardAt = MonotonicTime.distantPast
  private var leftAt = MonotonicTime.distantPast
  private var isLeaving = false
  private var toldSettings: LinkOrder.Settings?
  var policy = LinkPolicy(mode: .off)
  /// The meter of the beats that are announced.
  var meter = Meter.common
  /// The bar in which we leave our grid for the session's; the stop on the way is nobody's.
  var isJumping = false
  /// 1-based.
  var leaveAtBar = 1
  private var published: (peers: Int, tempo: Int64, offset: Int64)?
  private var publishedAt = MonotonicTime.distantPast

  init(control: ControlThread) {
    self.control = control
    program = ProgramFile.sibling("tactus-link")
    meter = control.conductor.state.meter
    if program == nil {
      control.conductor.linkProblem =
        "Ableton Link needs the program tactus-link beside tactusd, which is not there: build it "
        + "with the Debian package ableton-link-dev"
    }
  }

  var isOn: Bool { policy.mode != .off }

  var own: LinkPolicy.Own {
    let state = control.conductor.state
    return LinkPolicy.Own(
      tempo: state.tempo, isRunning: state.isRunning, hasRamp: state.ramp != nil)
  }

  var descriptors: [Int32] {
    [keeper?.descriptor ?? -1, channel?.descriptor ?? -1].filter { $0 >= 0 }
  }

  var nextDeadline: MonotonicTime? { keeper?.startAt }

  // MARK: settings

  /// The mode, the quantum or the sharing of start and stop is another.
  func configure() {
    let now = MonotonicClock.now()
    let state = control.conductor.state
    guard program != nil else {
      // A preset names it; what a person asks for has been refused.
      if state.linkMode != .off, let problem = control.conductor.linkProblem {
        control.say("link \(state.linkMode.rawValue): \(problem)", isWarning: true)
      }
      return
    }
    let wasOn = isOn
    policy.change(mode: state.linkMode, sharesPlaying: state.sharesLinkPlaying)
    if isOn, !wasOn {
      // One that still ends is followed by another.
      if keeper == nil { begin(now) }
    } else if wasOn, !isOn {
      keeper?.release()
      close(now)
    }
    tellSettings()
    tellConductor(now)
  }

  private func begin(_ now: MonotonicTime) {
    guard let program else { return }
    keeper = ChildKeeper(
      arguments: [program], firstDelay: LinkRig.firstDelay,
      now: max(now, leftAt.advanced(byNanoseconds: LinkRig.away)))
  }

  /// Its end of the socket tells the program to leave the session and end.
  private func close(_ now: MonotonicTime) {
    leftAt = now
    isLeaving = true
    // A start that waits is none.
    if keeper?.isRunning != true {
      keeper = nil
      isLeaving = false
    }
    channel = nil
    toldSettings = nil
    policy.lost(now: now)
    publish(now, always: true)
  }

  /// Quarters of the quantum in force.
  var quantum: Double {
    switch control.conductor.state.linkQuantum {
    case .bar: Double(meter.barLength.ticks) / Double(ScorePosition.ticksPerQuarter)
    case .quarters(let number): number
    }
  }

  private func tellSettings() {
    guard channel != nil else { return }
    let multiple = LinkMultiple(control.conductor.state.tempo)
    let settings = LinkOrder.Settings(
      sharesPlaying: control.conductor.state.sharesLinkPlaying,
      quantum: min(quantum * Double(multiple.factor), LinkBeat.quanta.upperBound),
      quarterMicroseconds: multiple.quarterMicroseconds)
    // The tempo is that of a session that is founded, and no news afterwards.
    if let told = toldSettings, told.quantum == settings.quantum,
      told.sharesPlaying == settings.sharesPlaying
    {
      return
    }
    toldSettings = settings
    send(.settings(settings))
  }

  func send(_ order: LinkOrder) { channel?.send(order.message) }

  // MARK: the program

  /// Takes what the session reports, and keeps the program alive.
  func service(now: MonotonicTime) {
    serveProgram(now)
    var reports = 0
    while reports < LinkRig.mostReports, let channel {
      reports += 1
      switch channel.receive() {
      case .none: reports = LinkRig.mostReports
      case .ended:
        // Reaped by the keeper; the music goes on as it does.
        self.channel = nil
        toldSettings = nil
        policy.lost(now: now)
      case .message(let words):
        heardAt = now
        if let report = LinkReport(words) { take(report, now) }
      }
    }
    if channel != nil, now.nanoseconds(since: heardAt) > LinkRig.patience {
      control.say("tactus-link does not answer and is started again", isWarning: true)
      heardAt = now
      keeper?.kill()
    }
    if isOn { tellSettings() }
    tellConductor(now)
    publish(now)
  }

  private func serveProgram(_ now: MonotonicTime) {
    if keeper?.takeStart(now) == true, let arguments = keeper?.arguments {
      let isTaken = control.workshop.files.submit {
        let started = ChildKeeper.startConnected(arguments)
        return .done { $0.link?.hasStarted(started) }
      }
      if !isTaken { keeper?.putOff(now) }
    }
    if let (process, descriptor) = keeper?.takeEnd() {
      let isTaken = control.workshop.files.submit {
        let status = ChildKeeper.reap(process, descriptor)
        return .done { $0.link?.hasEnded(status) }
      }
      if !isTaken { keeper?.hasNotBeenReaped(descriptor) }
    }
  }

  private func hasStarted(_ started: ChildKeeper.Started) {
    let now = MonotonicClock.now()
    if let problem = keeper?.hasStarted(started, now: now), isOn {
      control.say("tactus-link \(problem)", isWarning: true)
    }
    guard started.channel >= 0 else {
      if isLeaving { hasEnded(0) }
      return
    }
    let opened = LinkChannel(descriptor: started.channel)
    // Turned off while it was being started: closing this ends it.
    guard isOn, !isLeaving else { return }
    channel = opened
    heardAt = now
    toldSettings = nil
    tellSettings()
  }

  private func hasEnded(_ status: Int32) {
    let now = MonotonicClock.now()
    let text = keeper?.hasEnded(status: status, now: now) ?? ""
    if isLeaving || !isOn {
      isLeaving = false
      keeper = nil
      if isOn { begin(now) }
      return
    }
    control.say("tactus-link \(text)", isWarning: true)
  }

  // MARK: what others see

  private func tellConductor(_ now: MonotonicTime) {
    let follows = policy.follows(own, now: now)
    control.conductor.hasSessionTempo = follows && policy.mode != .peer
    guard follows, let view = policy.view else {
      if control.conductor.sessionGrid != nil { control.conductor.sessionGrid = nil }
      return
    }
    let clock = control.clock.load()
    let anchor = clock.frame(at: view.bar.advanced(byNanoseconds: -control.heardLaterNanoseconds))
    let share = Double(clock.framesPerSecond) * (1 + clock.driftPPM * 1e-6)
    control.conductor.sessionGrid = SessionGrid(
      anchor: anchor, framesPerQuarter: Double(view.quarterMicroseconds) * 1e-6 * share,
      quantum: view.quantum)
  }

  /// At most twice a second.
  private func publish(_ now: MonotonicTime, always: Bool = false) {
    guard let gateway = control.gateway,
      always || isOn && now.nanoseconds(since: publishedAt) >= 500_000_000
    else { return }
    let figures = (
      peers: policy.peers, tempo: policy.view?.quarterMicroseconds ?? 0,
      offset: Int64(((policy.offset ?? 0) / 1000).rounded())
    )
    if let published, published == figures { return }
    published = figures
    publishedAt = now
    let shown = QuarterLength(microseconds: Int(clamping: figures.tempo))?.shownThousandths ?? 0
    gateway.publish(
      PublishedValues.linkStatus(
        peers: figures.peers, tempo: Double(shown) / 1000,
        offsetMilliseconds: Double(figures.offset) / 1000))
  }

  /// For the status line; empty where Link is off.
  var summary: String {
    guard isOn else { return "" }
    guard policy.view != nil else { return "  link \(policy.mode.rawValue) waiting" }
    let peers = policy.peers == 1 ? "1 peer" : "\(policy.peers) peers"
    return "  link \(policy.mode.rawValue) \(peers)"
  }
}
