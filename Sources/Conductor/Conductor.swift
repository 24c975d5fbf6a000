public import MetronomeModel
public import MusicalTime
import RealtimeEngine

/// The one owner of the state: takes commands, judges them, says what is to be done, and corrects
/// the state by the engine's facts.
///
/// A value without threads, clock or files: the daemon's control thread and the offline renderer
/// drive the same one. A refused command changes nothing.
///
/// - Thread: control
public struct Conductor: Sendable {
  public internal(set) var state: MetronomeState
  /// Frames a second of the running epoch.
  public internal(set) var rate: Int64

  var pending = PendingAnswers()
  var facts = EngineFacts()
  var rampClock = RampClock()
  var timerClock = PlayClock()
  var taps = TapSeries()
  var presses = DoublePresses()
  var sounds = SoundRequests()
  var songs = SongShelf()
  /// The setlist in force; its name and entry are the state's.
  var setlist: Setlist?
  /// What presets have set of inputs and targets, which the state does not hold otherwise.
  var edge = Preset()
  var errands = Errands()
  var announcePlan: AnnouncePlan?
  var requestedLeadMilliseconds: Double = 0
  var presetLeadMilliseconds: Double = 0
  /// Milliseconds from a Start to its first click at the least, for a sink that must wake up first;
  /// to be set before `begin`.
  public var wakeMilliseconds: Double = 0
  var freeClock = false
  /// Commands that the engine's queue has room for: the edge says so after each that it sends.
  public var engineRoom = Int.max
  /// Why there can be no Link, in words that name what is missing; nil where there can be.
  public var linkProblem: String?
  /// The session that is followed at this moment: a Start waits for the beginning of its bar.
  public var sessionGrid: SessionGrid?
  /// Whether the tempo is another's and cannot be set here.
  public var hasSessionTempo = false

  /// - Parameters:
  ///   - rate: frames a second, one of `Limits.sampleRates`.
  ///   - state: what to begin with: the defaults, the last state, or what the command line says.
  ///     Nothing plays yet, whatever it says.
  public init(rate: Int64, state: MetronomeState = MetronomeState()) {
    self.rate = rate
    self.state = state
    self.state.transport = .stopped
    facts = EngineFacts(state)
  }

  /// Takes a command.
  ///
  /// - Parameters:
  ///   - request: comes back with the answer; 0 where nobody asks.
  ///   - bundle: the same number for commands that were sent together; 0 for one by itself.
  ///   - now: the instant of arrival.
  ///   - notBefore: the frame that a time tag names; a tagged Start is heard there.
  ///   - hand: whose finger or foot gave it, where one did: what it presses twice within 30 ms is
  ///     one press.
  public mutating func submit(
    _ command: ControlCommand, request: UInt32 = 0, bundle: UInt32 = 0, now: ControlInstant,
    notBefore: FrameIndex = .distantPast, hand: UInt64? = nil
  ) -> [ConductorOutput] {
    if let hand, presses.isBounce(command, of: hand, at: now.time) {
      return request == 0 ? [] : [.accepted(request: request)]
    }
    return admit(command, request: request, bundle: bundle, now: now, notBefore: notBefore)
  }

  /// The engine commands that bring a new engine to this state; to be sent before anything else.
  public mutating func begin() -> [ConductorOutput] {
    var turn = Turn.silent(group: pending.nextIdentifier())
    sendEverything(&turn)
    return turn.outputs
  }

  /// Events are wanted so far ahead by whoever asked for the most.
  public mutating func requestLead(milliseconds: Double) -> [ConductorOutput] {
    guard milliseconds.isFinite else { return [] }
    var turn = Turn.silent(group: pending.nextIdentifier())
    requestedLeadMilliseconds = max(0, milliseconds)
    planAnnouncing(&turn)
    return turn.outputs
  }

  /// The output runs at another rate from `frame` on: what is counted in frames is said again.
  public mutating func change(rate newRate: Int64, at frame: FrameIndex) -> [ConductorOutput] {
    guard newRate != rate, newRate > 0 else { return [] }
    rampClock.rescale(from: rate, to: newRate, at: frame)
    timerClock.rescale(from: rate, to: newRate, at: frame)
    rate = newRate
    announcePlan = nil
    var turn = Turn.silent(group: pending.nextIdentifier())
    planAnnouncing(&turn)
    tell(.audioOffset(audioOffsetFrames), &turn)
    prepareSounds(&turn)
    return turn.outputs
  }

  /// Applies a preset that is at hand already: the last state.
  ///
  /// - Parameter name: what it is called, nil where it has no name.
  public mutating func apply(
    _ preset: Preset, named name: String? = nil, request: UInt32 = 0, now: ControlInstant
  ) -> [ConductorOutput] {
    attempt(
      Errands.Errand(
        demand: .preset(preset, named: name), request: request, bundle: 0,
        notBefore: .distantPast, askedAt: now.time), now: now)
  }

  /// Loads a preset beneath what was typed beside it: the typed values win.
  ///
  /// - Parameter bundle: commands of the same bundle that come later wait for it.
  public mutating func load(
    _ wanted: NameOrNumber, beneath typed: Preset, bundle: UInt32, now: ControlInstant
  ) -> [ConductorOutput] {
    attempt(
      Errands.Errand(
        demand: .presetBeneath(wanted, typed), request: 0, bundle: bundle,
        notBefore: .distantPast, askedAt: now.time), now: now)
  }

  mutating func carryOut(_ command: ControlCommand, _ turn: inout Turn) throws(Refusal) {
    switch command {
    case .start: start(&turn)
    case .stop: stop(&turn)
    case .continue: resume(&turn)
    case .toggle: if state.isRunning { stop(&turn) } else { start(&turn) }
    case .panic: panic(&turn)
    case .rewind: try locate(bar: 1, beat: 1, verb: "rewind", &turn)
    case .locate(let bar, let beat): try locate(bar: bar, beat: beat, verb: "locate", &turn)

    case .tempo(let value, let unit, let when): try setTempo(value, unit, when, &turn)
    case .nudge(let difference): try nudge(by: difference, &turn)
    case .doubleTempo: try scaleTempo(numerator: 2, denominator: 1, "double", &turn)
    case .halfTempo: try scaleTempo(numerator: 1, denominator: 2, "half", &turn)
    case .push(let isHeld): try bend(pushed: isHeld, pulled: state.isPulled, &turn)
    case .pull(let isHeld): try bend(pushed: state.isPushed, pulled: isHeld, &turn)
    case .resumeTempo: try goBackToPreviousTempo(&turn)
    case .tap(let time, let series): try tap(at: time, series: series, &turn)
    case .tapPhase(let isOn): state.movesPhaseByTaps = isOn
    case .tapLimit(let seconds): try setTapLimit(seconds: seconds)
    case .tapUnit(let unit): state.tapUnit = unit

    case .trainer(let from, let to, let step, let share):
      try train(from: from, to: to, step: step, share: share, &turn)
    case .trainerEnd(let end): setTrainerEnd(end, &turn)
    case .glide(let from, let to, let length, let when):
      try glide(from: from, to: to, length: length, when: when, &turn)
    case .cancelRamp: cancelRamp(&turn)

    case .meter(let meter): setMeter(meter, state.patterns.pattern(for: meter), &turn)
    case .pattern(let text): try setPattern(text, &turn)
    case .meterAndPattern(let meter, let text): try setMeter(meter, text: text, &turn)
    case .subdivision(let count): try setSubdivision(count, &turn)
    case .subdivisionLevel(let level): setSubdivision(level: level, &turn)
    case .swing(let swing): try setSwing(swing, &turn)
    case .layer(let count): try setLayer(count, &turn)

    case .mute(let isMuted): mute(isMuted, &turn)
    case .toggleMute: mute(!state.isMuted, &turn)
    case .muteBars(let muting): try muteBars(muting, &turn)
    case .muteLevel(let level, let isMuted): try muteLevel(level, isMuted, &turn)
    case .soloLevel(let level): try solo(level, &turn)

    case .volume(let decibels): try setVolume(decibels: decibels, &turn)
    case .level(let target, let decibels): try setLevel(target, decibels: decibels, &turn)
    case .sound(let target, let name): try setSound(target, name: name, &turn)
    case .beatSounds(let names): try setBeatSounds(names, &turn)
    case .pitch(let target, let semitones): try setPitch(target, semitones: semitones, &turn)
    case .route(let target, let channels): try setRoute(target, channels: channels, &turn)
    case .analogSync(let perQuarter, let channel):
      try setAnalogSync(perQuarter: perQuarter, channel: channel, &turn)

    case .countIn(let bars): try setCountIn(bars: bars)
    case .countInMute(let isMuted): muteCountIn(isMuted, &turn)
    case .timer(let minutes): try setTimer(minutes: minutes, &turn)
    case .timerStops(let stops): setTimerStops(stops, &turn)
    case .cancelTimer: cancelTimer(&turn)

    case .preset(let wanted): try loadPreset(wanted, &turn)
    case .nextPreset: try stepPreset(by: 1, &turn)
    case .previousPreset: try stepPreset(by: -1, &turn)
    // Becomes an errand of its own before it comes here.
    case .savePreset: break
    case .setlist(let wanted): try loadSetlist(wanted, &turn)
    case .loadMap(let name): try loadMap(named: name, &turn)
    case .endSetlist: endSetlist()
    case .endPreset: state.preset = nil
    case .clearMap: clearMap(&turn)
    case .section(let wanted): try jump(to: wanted, &turn)

    case .audioOffset(let milliseconds): try setAudioOffset(milliseconds, &turn)
    case .beatOffset(let milliseconds): try setBeatOffset(milliseconds, &turn)
    case .midi(let port, let setting): try setMIDI(port: port, setting, &turn)

    case .learn(let action, let seconds): try learn(action, seconds: seconds, &turn)
    case .follow(let source): try setFollow(source)
    case .link(let mode): try setLink(mode)
    case .linkSync(let isOn): state.sharesLinkPlaying = isOn
    case .linkQuantum(let quantum): state.linkQuantum = quantum
    case .sessionTempo(let tempo): followTempo(tempo, &turn)
    case .cancelLearning: ask(.cancel, &turn)
    case .forget(let trigger): try forget(trigger, &turn)
    case .listen(let wanted):
      turn.isAnsweredLater = true
      turn.outputs.append(.listening(wanted, request: turn.request))
    case .quit: turn.outputs.append(.quit)
    }
  }

  /// Reports every value that differs from what it was.
  func noteChanges(since before: MetronomeState, _ turn: inout Turn) {
    for key in StateKey.changes(from: before, to: state) { turn.outputs.append(.changed(key)) }
  }
}

/// One command on its way through the Conductor.
struct Turn {
  let request: UInt32
  let group: UInt32
  let now: ControlInstant
  let notBefore: FrameIndex
  var outputs: [ConductorOutput] = []
  /// The engine or the edge will answer the request.
  var isAnsweredLater = false

  /// A turn that nobody asked for.
  static func silent(group: UInt32) -> Turn {
    Turn(
      request: 0, group: group,
      now: ControlInstant(time: MonotonicTime(nanoseconds: 0), frame: FrameIndex(0)),
      notBefore: .distantPast)
  }

  mutating func notice(_ text: String) {
    outputs.append(.notice(request: request, text))
  }
}

extension Conductor {
  /// Sends a command whose answer is the request's answer.
  @discardableResult
  mutating func send(
    _ action: EngineCommand.Action, about subject: PendingAnswers.Subject = .other,
    at boundary: EngineCommand.Boundary = .frame, _ turn: inout Turn
  ) -> UInt32 {
    // A Start is heard at its tag: its frame is inside the action, and the engine needs it early.
    var notBefore = turn.notBefore
    switch action {
    case .start, .resumeAt: notBefore = .distantPast
    default: break
    }
    // A Continue is heard a lead-in after it is taken.
    if case .resume = action, notBefore > .distantPast, let leadIn = announcePlan?.leadIn {
      notBefore = notBefore - leadIn
    }
    let identifier = pending.expect(subject, group: turn.group, request: turn.request)
    turn.isAnsweredLater = true
    dispatch(
      action, about: subject, identifier: identifier, notBefore: notBefore, at: boundary, &turn)
    return identifier
  }

  /// Sends a command that answers to nobody.
  mutating func tell(_ action: EngineCommand.Action, _ turn: inout Turn) {
    dispatch(action, about: .other, identifier: 0, notBefore: .distantPast, &turn)
  }

  /// Commands that do not fit into the engine's queue as a whole are not sent at all.
  func requireRoom(_ turn: Turn) throws(Refusal) {
    let count = turn.outputs.count {
      if case .engine(let command) = $0 { !command.isUrgent } else { false }
    }
    guard count > engineRoom else { return }
    throw Refusal(
      .engine, "the engine's queue is full: the audio thread does not keep up; try again")
  }

  /// The one way to the engine.
  mutating func dispatch(
    _ action: EngineCommand.Action, about subject: PendingAnswers.Subject, identifier: UInt32,
    notBefore: FrameIndex, at boundary: EngineCommand.Boundary = .frame, _ turn: inout Turn
  ) {
    turn.outputs.append(
      .engine(
        pending.dispatch(
          action, about: subject == .other ? action.subject : subject, identifier: identifier,
          notBefore: notBefore, boundary: boundary)))
  }
}

extension EngineCommand.Action {
  /// What it changes of what the engine tells in its status.
  var subject: PendingAnswers.Subject {
    switch self {
    case .start, .stop, .panic, .resume, .resumeAt, .locate: .transport
    case .tempo: .tempo
    case .trainer, .glide, .cancelRamp: .ramp
    case .meter, .pattern: .meter
    case .sounds: .sounds
    case .timer: .timer
    case .score, .clearScore: .song
    default: .other
    }
  }
}
