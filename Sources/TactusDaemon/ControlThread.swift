internal import ALSAAudio
internal import CLinux
internal import Conductor
internal import MetronomeModel
internal import MusicalTime
internal import BeatOutputs
internal import OSCProtocol
internal import OSCService
internal import OSCWire
internal import RealtimeEngine
internal import RealtimeHost
internal import ScoreFormats
internal import SoundFiles
internal import ThreadCrossing

/// The daemon's one thread of control: takes commands from outside, drives the Conductor, passes its
/// commands to the engine and the engine's facts to whoever listens.
///
/// It waits in poll and nowhere else: what may block is a job for the `Workshop`.
///
/// - Thread: control
final class ControlThread {
  var conductor: Conductor
  let queues: EngineQueues
  let clock: LatestValue<FrameClock>
  let wakeUp: WakeUp
  let library: any PresetLibrary
  let workshop: Workshop
  var sounds: SoundKeeper
  var midi: MIDIRig?
  var gateway: OSCGateway?
  var beats: BeatBroadcaster?
  var inputs: InputRig?
  var targets = Targets()
  var child: ChildKeeper?
  var link: LinkRig?
  var listen: ListenRig?
  /// What was measured of how late clicks are heard; see `LatencyBook`.
  var outputLatencyNanoseconds: Int64 = 0
  var line: StatusLine
  var audioStatus: () -> OutputStatus
  /// As it was asked for.
  var deviceName = ""
  private var toldAudio: OutputState?
  let isQuiet: Bool
  private(set) var wantsToQuit = false
  private var reportedRefusals = 0
  private var oscHasMore = false
  private var progressAt = MonotonicTime(nanoseconds: 0)
  private let signals: Int32
  private let noticeBoard: NoticeBoard
  /// Where the last state is kept; nil: nowhere.
  var stateStore: StateStore?
  var stateKeeper = StateKeeper()
  /// Ports that were kept, while no sequencer is used.
  var unusedPorts: [MIDIPortConfiguration] = []
  /// What started us, where that wants to know how we are.
  var serviceManager: ServiceManager?
  private var lastBundle: UInt32 = 0

  init(
    conductor: Conductor, queues: EngineQueues, clock: LatestValue<FrameClock>, wakeUp: WakeUp,
    library: any PresetLibrary, sounds: SoundKeeper, signals: Int32, noticeBoard: NoticeBoard,
    isQuiet: Bool,
    audioStatus: @escaping () -> OutputStatus
  ) {
    self.conductor = conductor
    self.queues = queues
    self.clock = clock
    self.wakeUp = wakeUp
    self.library = library
    workshop = Workshop(news: wakeUp)
    line = StatusLine(news: wakeUp)
    self.sounds = sounds
    self.signals = signals
    self.noticeBoard = noticeBoard
    self.isQuiet = isQuiet
    self.audioStatus = audioStatus
  }

  /// What a person hears at this moment, and when it is.
  func instant() -> ControlInstant {
    let now = MonotonicClock.now()
    return ControlInstant(time: now, frame: clock.load().frame(at: now))
  }

  /// - Parameter bundle: of `nextBundle`, for commands that belong together.
  func submit(_ command: ControlCommand, request: UInt32 = 0, bundle: UInt32 = 0) {
    perform(conductor.submit(command, request: request, bundle: bundle, now: instant()))
  }

  /// A preset with what was typed beside it, which wins.
  func load(_ wanted: NameOrNumber, beneath typed: Preset, bundle: UInt32) {
    perform(conductor.load(wanted, beneath: typed, bundle: bundle, now: instant()))
  }

  /// What was kept; nothing plays yet.
  func restore(_ last: LastState, bundle: UInt32) {
    perform(conductor.restore(last, bundle: bundle, now: instant()))
  }

  /// A number for commands that were sent together.
  func nextBundle() -> UInt32 {
    lastBundle = lastBundle == UInt32.max ? 1 : lastBundle + 1
    return lastBundle
  }

  /// A command with the instant of the hand that gave it, and for a Start when it is to be heard.
  func submit(
    _ command: ControlCommand, heardAt time: MonotonicTime, due: MonotonicTime? = nil,
    hand: UInt64? = nil
  ) {
    let clock = clock.load()
    perform(
      conductor.submit(
        command, now: ControlInstant(time: time, frame: clock.frame(at: time)),
        notBefore: due.map { clock.frame(at: $0) } ?? .distantPast, hand: hand))
  }

  /// Serves until a signal or `/tactus/quit`.
  func run() {
    while !wantsToQuit { turn(waitingAtMost: tick) }
  }

  /// How long to wait where nothing comes: what shows a moving value looks ten times a second, and
  /// a leader's silence is to be noticed soon.
  private var tick: Int64 {
    let isMoving =
      line.isTerminal || listen?.isBusy == true || inputs?.isFollowing == true
      || conductor.state.timerMinutes != nil
      || conductor.state.ramp != nil
    return isMoving ? 100_000_000 : 500_000_000
  }

  /// Waits for work and does what there is.
  func turn(waitingAtMost nanoseconds: Int64) {
    wait(nanoseconds)
    wakeUp.drain()
    serveSignals()
    followRate()
    publishAudio()
    drainEvents()
    takeOutcomes()
    perform(conductor.service(now: instant()))
    lookUpHosts()
    serveChild()
    keepState()
    midi?.service(say: say)
    listen?.service(now: MonotonicClock.now())
    inputs?.service(now: MonotonicClock.now())
    link?.service(now: MonotonicClock.now())
    serveOSC()
    gateway?.settle()
    beats?.service(now: MonotonicClock.now())
    while let notice = noticeBoard.take() { say(notice.text, isWarning: notice.isWarning) }
    serviceManager?.service(
      now: MonotonicClock.now(), count: queues.status.load().frame.value)
    reportOverflow()
    line.show(statusText)
  }

  private func wait(_ nanoseconds: Int64) {
    var polls = [signals, wakeUp.descriptor].map {
      clinux_poll(descriptor: $0, wanted: ControlThread.readable, came: 0)
    }
    for descriptor in (midi?.descriptors ?? []) + (inputs?.descriptors ?? [])
      + (link?.descriptors ?? [])
    {
      polls.append(clinux_poll(descriptor: descriptor, wanted: ControlThread.readable, came: 0))
    }
    // A feeding must not come so late that the audio thread's stop is noticed late.
    var limit = oscHasMore ? 0 : min(nanoseconds, serviceManager?.interval ?? nanoseconds)
    for deadline in [
      conductor.nextDeadline, targets.hosts.nextDeadline, child?.startAt,
      stateStore == nil ? nil : stateKeeper.deadline, link?.nextDeadline,
    ] {
      guard let deadline else { continue }
      limit = min(limit, max(0, deadline.nanoseconds(since: MonotonicClock.now())))
    }
    if let child, child.descriptor >= 0 {
      polls.append(
        clinux_poll(descriptor: child.descriptor, wanted: ControlThread.readable, came: 0))
    }
    if let deadline = beats?.nextDeadline {
      limit = min(limit, max(0, deadline.nanoseconds(since: MonotonicClock.now())))
    }
    if let server = gateway?.server {
      for (descriptor, wantsWrite) in server.pollDescriptors {
        let wanted = ControlThread.readable | (wantsWrite ? ControlThread.writable : 0)
        polls.append(clinux_poll(descriptor: descriptor, wanted: wanted, came: 0))
      }
      if let deadline = server.nextDeadline {
        limit = min(limit, max(0, deadline.nanoseconds(since: MonotonicClock.now())))
      }
    }
    unsafe polls.withUnsafeMutableBufferPointer { buffer in
      _ = unsafe clinux_wait(buffer.baseAddress, Int32(buffer.count), limit)
    }
  }

  // POLLIN and POLLOUT.
  private static let readable: Int16 = 1
  private static let writable: Int16 = 4

  private func serveOSC() {
    oscHasMore = gateway?.server.service(now: MonotonicClock.now()) ?? false
    publishProgress()
  }

  /// What moves by itself is published ten times a second at the most.
  private func publishProgress() {
    guard let gateway else { return }
    let now = instant()
    guard now.time.nanoseconds(since: progressAt) >= 100_000_000 else { return }
    progressAt = now.time
    if let left = conductor.timerSecondsLeft(at: now.frame),
      let minutes = conductor.state.timerMinutes
    {
      gateway.publish(PublishedValues.timer(played: minutes * 60 - left, left: left))
    }
    if let progress = conductor.rampProgress(at: now.frame) {
      gateway.publish(PublishedValues.progress(progress))
    }
  }

  /// A card that came later may play at another rate.
  private func followRate() {
    let rate = Int64(audioStatus().framesPerSecond)
    guard rate != conductor.rate else { return }
    perform(conductor.change(rate: rate, at: instant().frame))
  }

  /// What the sound does is told when it changes.
  private func publishAudio() {
    let state = audioStatus().state
    guard state != toldAudio, let gateway else { return }
    toldAudio = state
    gateway.publish(OSCMessage("/tactus/audio", .string("\(state)"), .string(deviceName)))
  }

  private func serveSignals() {
    while clinux_signal_next(signals) != 0 { wantsToQuit = true }
  }

  private func drainEvents() {
    // Without a sequencer nobody else takes what is meant for the MIDI thread.
    if midi == nil { while queues.clockEvents.pop() != nil {} }
    conductor.engineRoom = queues.commands.room
    // All that the status knows of is in the queue when it is read.
    let status = queues.status.load()
    while conductor.factsReceived < status.factsQueued, let event = queues.events.pop() {
      perform(conductor.receive(event))
      tell(event)
    }
    perform(conductor.reconcile(status))
  }

  /// Passes a fact on to those who listen.
  private func tell(_ event: EngineEvent) {
    inputs?.compare(event)
    listen?.tell(event)
    let now = MonotonicClock.now()
    link?.take(event, now: now)
    beats?.handle(event, heardAt: heard(event.frame), now: now)
    if case .beat(let beat) = event {
      gateway?.publish(PublishedValues.quarterTempo(beat.quarterThousandths))
      gateway?.publish(PublishedValues.position(conductor.state))
    }
  }

  /// When the click at a frame is heard, by the measured latency and the beats' offset.
  func heard(_ frame: FrameIndex) -> MonotonicTime {
    clock.load().time(of: frame).advanced(byNanoseconds: heardLaterNanoseconds)
  }

  /// How long after its frame a click is heard, by the measured latency and the beats' offset.
  var heardLaterNanoseconds: Int64 {
    let late = conductor.state.audioOffsetMilliseconds + conductor.state.beatOffsetMilliseconds
    return Int64((late * 1e6).rounded()) + outputLatencyNanoseconds
  }

  /// A full queue is never silent.
  private func reportOverflow() {
    let refused =
      queues.events.refused + queues.clockEvents.refused + queues.commands.refused
      + queues.urgentCommands.refused
      + (beats?.status.overflowed ?? 0) + noticeBoard.lost + workshop.refused
    guard refused != reportedRefusals else { return }
    say("\(refused - reportedRefusals) items found a queue between threads full", isWarning: true)
    reportedRefusals = refused
  }

  func say(_ text: String, isWarning: Bool = false) {
    guard isWarning || !isQuiet else { return }
    line.print(isWarning ? "tactusd: \(text)" : text, isWarning: isWarning)
  }

  // MARK: What the Conductor wants done

  func perform(_ outputs: [ConductorOutput]) {
    for output in outputs { perform(output) }
  }

  private func perform(_ output: ConductorOutput) {
    switch output {
    case .engine(let command):
      if !queues.send(command) { perform(conductor.fail(command)) }
      conductor.engineRoom = queues.commands.room
    case .read(let wanted, let ticket):
      read(wanted, ticket: ticket)
    case .prepareSounds(let settings, let ticket):
      prepareSounds(settings, ticket: ticket)
    case .releaseSounds(let identifier):
      sounds.release(identifier)
    case .midi(let port, _):
      midi?.configure(port: port, in: conductor.state, say: say)
    case .presetApplied(let preset, let request):
      applyEdge(of: preset, request: request)
      stateKeeper.noteChange()
    case .learning(let wanted, let request):
      learn(wanted, request)
    case .listening(let wanted, let request):
      if let listen {
        listen.perform(wanted, request)
      } else {
        perform(.refused(request: request, Refusal(.state, "takes need a daemon with OSC")))
      }
    case .quit:
      wantsToQuit = true
    case .timerEnded:
      say("the practice timer has ended")
      gateway?.server.announce(OSCMessage("/tactus/timer/end"))
    case .accepted(let request):
      gateway?.accepted(request)
    case .effective(let request, let frame):
      gateway?.effective(request, at: clock.load().time(of: frame))
    case .moved(let request, let frame):
      gateway?.moved(request, to: clock.load().time(of: frame))
    case .refused(let request, let refusal):
      if request == 0 {
        say(refusal.reason, isWarning: true)
      } else {
        gateway?.refused(request, refusal)
      }
    case .notice(let request, let text):
      if request == 0 { say(text) } else { gateway?.notice(request, text) }
    case .changed(let key):
      if key == .follow { inputs?.follow(conductor.state.follow) }
      switch key {
      case .link, .linkSync, .linkQuantum: link?.configure()
      case .tempo: link?.tempoChanged()
      default: break
      }
      if key == .tempo { inputs?.tempoChanged(to: conductor.state.tempo) }
      gateway?.changed(key)
      if ControlThread.isKept(key) { stateKeeper.noteChange() }
    case .rampProgress(let progress, _):
      gateway?.publish(PublishedValues.progress(progress))
    case .beatOffset:
      // Read from the state at each beat.
      break
    }
  }

  private func learn(_ wanted: LearnRequest, _ request: UInt32) {
    do throws(Refusal) {
      try inputs?.ask(
        wanted, owner: gateway?.asker(of: request) ?? "this machine", now: MonotonicClock.now())
      gateway?.accepted(request)
    } catch { perform(.refused(request: request, error)) }
  }

  /// Trigger and action in turn.
  func learnedTexts() -> [OSCValue] { (inputs?.learnedTexts ?? []).map { .string($0) } }

  // MARK: The living line

  private var statusText: String {
    let audio = audioStatus()
    var text = conductor.state.oneLine
    text += "  audio \(audio.state)"
    if audio.xruns > 0 { text += " xruns \(audio.xruns)" }
    if let midi { text += "  midi \(midi.summary)" }
    if let link { text += link.summary }
    if let note = listen?.statusNote { text += "  \(note)" }
    if let server = gateway?.server {
      text += "  osc :\(server.port) \(server.subscriberCount) subscribed"
    }
    return text
  }
}
