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
internal import SoundFiles
internal import ThreadCrossing

/// The daemon's one thread of control: takes wishes from outside, drives the Conductor, passes its
/// wishes to the engine and the engine's facts to whoever listens.
///
/// - Thread: control
final class ControlThread {
  var conductor: Conductor
  let queues: EngineQueues
  let clock: LatestValue<FrameClock>
  let wakeUp: WakeUp
  let library: any PresetLibrary
  var sounds: SoundKeeper
  var midi: MIDIRig?
  var gateway: OSCGateway?
  var beats: BeatBroadcaster?
  var inputs: InputRig?
  /// Targets of the command line: a preset's come and go beside them.
  var fixedTargets: [(address: SocketAddress, topics: SubscriptionTopics)] = []
  var fixedBeatTargets: [ProfileTarget] = []
  var line = StatusLine()
  var audioStatus: () -> OutputStatus
  let isQuiet: Bool
  private(set) var wantsToQuit = false
  private var reportedRefusals = 0
  private var oscHasMore = false
  private var progressAt = MonotonicTime(nanoseconds: 0)
  private let signals: Int32
  private let noticeBoard: NoticeBoard

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

  func submit(_ command: ControlCommand, request: UInt32 = 0) {
    perform(conductor.submit(command, request: request, now: instant()))
  }

  /// A command with the instant of the hand that gave it, and for a Start when it is to be heard.
  func submit(_ command: ControlCommand, heardAt time: MonotonicTime, due: MonotonicTime? = nil) {
    let clock = clock.load()
    perform(
      conductor.submit(
        command, now: ControlInstant(time: time, frame: clock.frame(at: time)),
        notBefore: due.map { clock.frame(at: $0) } ?? .distantPast))
  }

  /// Serves until a signal or `/tactus/quit`.
  func run() {
    while !wantsToQuit { turn(waitingAtMost: tick) }
  }

  /// How long to wait where nothing comes: what shows a moving value looks ten times a second, and
  /// a leader's silence is to be noticed soon.
  private var tick: Int64 {
    let isMoving =
      line.isTerminal || inputs?.isFollowing == true || conductor.state.timerMinutes != nil
      || conductor.state.ramp != nil
    return isMoving ? 100_000_000 : 500_000_000
  }

  /// Waits for work and does what there is.
  func turn(waitingAtMost nanoseconds: Int64) {
    wait(nanoseconds)
    wakeUp.drain()
    serveSignals()
    followRate()
    drainEvents()
    midi?.service(say: say)
    inputs?.service(now: MonotonicClock.now())
    serveOSC()
    beats?.service(now: MonotonicClock.now())
    for notice in noticeBoard.take() { say(notice.text, isWarning: notice.isWarning) }
    reportOverflow()
    line.show(statusText)
  }

  private func wait(_ nanoseconds: Int64) {
    var polls = [signals, wakeUp.descriptor].map {
      clinux_poll(descriptor: $0, wanted: ControlThread.readable, came: 0)
    }
    for descriptor in (midi?.descriptors ?? []) + (inputs?.descriptors ?? []) {
      polls.append(clinux_poll(descriptor: descriptor, wanted: ControlThread.readable, came: 0))
    }
    var limit = oscHasMore ? 0 : nanoseconds
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

  private func serveSignals() {
    while clinux_signal_next(signals) != 0 { wantsToQuit = true }
  }

  private func drainEvents() {
    // Without a sequencer nobody else takes what is meant for the MIDI thread.
    if midi == nil { while queues.clockEvents.pop() != nil {} }
    while let event = queues.events.pop() {
      perform(conductor.receive(event))
      tell(event)
    }
  }

  /// Passes a fact on to those who listen.
  private func tell(_ event: EngineEvent) {
    inputs?.compare(event)
    let now = MonotonicClock.now()
    beats?.handle(event, heardAt: heard(event.frame), now: now)
    if case .beat(let beat) = event {
      gateway?.publish(PublishedValues.quarterTempo(beat.quarterThousandths))
      gateway?.publish(PublishedValues.position(conductor.state))
    }
  }

  /// When the click at a frame is heard, by the beats' offset.
  private func heard(_ frame: FrameIndex) -> MonotonicTime {
    let late = conductor.state.audioOffsetMilliseconds + conductor.state.beatOffsetMilliseconds
    return clock.load().time(of: frame).advanced(byNanoseconds: Int64((late * 1e6).rounded()))
  }

  /// A full queue is never silent.
  private func reportOverflow() {
    let refused =
      queues.events.refused + queues.clockEvents.refused + queues.commands.refused
      + (beats?.status.overflowed ?? 0)
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
      if !queues.commands.push(command) { perform(conductor.fail(command)) }
    case .prepareSounds(let settings, let ticket):
      prepareSounds(settings, ticket: ticket)
    case .releaseSounds(let identifier):
      sounds.release(identifier)
    case .midi(let port, _):
      midi?.configure(port: port, in: conductor.state, say: say)
    case .presetApplied(let preset):
      applyEdge(of: preset)
    case .learn(let action):
      learn(action)
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
      gateway?.changed(key)
    case .rampProgress(let progress, _):
      gateway?.publish(PublishedValues.progress(progress))
    case .beatOffset:
      // Read from the state at each beat.
      break
    }
  }

  private func learn(_ action: MIDIAction) {
    do throws(MIDIMappingError) {
      try inputs?.learn(action)
      say("play the note, controller, program or key that is to do '\(action.text)'")
    } catch { say("\(error)", isWarning: true) }
  }

  private func prepareSounds(_ settings: SoundSettings, ticket: UInt32) {
    do throws(SoundFileError) {
      let bank = try sounds.prepare(settings, rate: conductor.rate)
      for note in bank.notes { say(note) }
      perform(conductor.soundsPrepared(bank.reference, ticket: ticket))
    } catch {
      perform(conductor.soundsFailed(reason: "\(error)", ticket: ticket))
    }
  }

  // MARK: The living line

  private var statusText: String {
    let audio = audioStatus()
    var text = conductor.state.oneLine
    text += "  audio \(audio.state)"
    if audio.xruns > 0 { text += " xruns \(audio.xruns)" }
    if let midi { text += "  midi \(midi.summary)" }
    if let server = gateway?.server {
      text += "  osc :\(server.port) \(server.subscriberCount) subscribed"
    }
    return text
  }
}
