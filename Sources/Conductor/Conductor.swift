public import MetronomeModel
public import MusicalTime
import RealtimeEngine

/// The one owner of the state: takes wishes, judges them, says what is to be done, and corrects
/// the state by the engine's facts.
///
/// A value without threads, clock or files: the daemon's control thread and the offline renderer
/// drive the same one. A refused command changes nothing.
///
/// - Thread: conductor
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
  var sounds = SoundWishes()
  var songs = SongShelf()
  var late = LateChanges()
  /// The setlist in force; its name and entry are the state's.
  var setlist: Setlist?
  let library: (any PresetLibrary)?
  var announcePlan: AnnouncePlan?
  var requestedLeadMilliseconds: Double = 0
  var presetLeadMilliseconds: Double = 0
  var freeClock = false

  /// - Parameters:
  ///   - rate: frames a second, one of `Limits.sampleRates`.
  ///   - state: what to begin with: the defaults, the last state, or what the command line says.
  ///     Nothing plays yet, whatever it says.
  ///   - library: where presets, setlists and songs are; nil where there are none.
  public init(
    rate: Int64, state: MetronomeState = MetronomeState(), library: (any PresetLibrary)? = nil
  ) {
    self.rate = rate
    self.library = library
    self.state = state
    self.state.transport = .stopped
    facts = EngineFacts(state)
  }

  /// Takes a wish.
  ///
  /// - Parameters:
  ///   - request: comes back with the answer; 0 where nobody asks.
  ///   - now: the instant of arrival.
  ///   - notBefore: the frame that a time tag names; a tagged Start is heard there.
  ///   - hand: whose finger or foot gave it, where one did: what it presses twice within 30 ms is
  ///     one press.
  public mutating func submit(
    _ command: ControlCommand, request: UInt32 = 0, now: ControlInstant,
    notBefore: FrameIndex = .distantPast, hand: UInt64? = nil
  ) -> [ConductorOutput] {
    if let hand, presses.isBounce(command, of: hand, at: now.time) {
      return request == 0 ? [] : [.accepted(request: request)]
    }
    return submit(command, request: request, now: now, notBefore: notBefore)
  }

  private mutating func submit(
    _ command: ControlCommand, request: UInt32, now: ControlInstant, notBefore: FrameIndex
  ) -> [ConductorOutput] {
    take(request: request, now: now, notBefore: notBefore) {
      (conductor, turn) throws(Refusal) in try conductor.carryOut(command, &turn)
    }
  }

  /// The choke point of every wish: a refused one changes nothing, each gets one answer.
  private mutating func take(
    request: UInt32, now: ControlInstant, notBefore: FrameIndex,
    _ decide: (inout Conductor, inout Turn) throws(Refusal) -> Void
  ) -> [ConductorOutput] {
    let before = self
    var turn = Turn(
      request: request, group: pending.nextIdentifier(), now: now, notBefore: notBefore)
    do throws(Refusal) {
      try decide(&self, &turn)
    } catch {
      // The tap itself was heard, whatever its tempo: the next interval begins there.
      let heard = taps
      self = before
      taps = heard
      return [.refused(request: request, error)]
    }
    planAnnouncing(&turn)
    // While nothing runs no beat comes to tell it.
    if !state.isRunning, state.tempo != before.state.tempo {
      state.quarterThousandths = state.tempo.quarterThousandths
    }
    if !turn.isAnsweredLater, request != 0 { turn.outputs.append(.accepted(request: request)) }
    noteChanges(since: before.state, &turn)
    return turn.outputs
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

  /// Applies a preset that no library holds: the command line's, or the last state.
  public mutating func apply(
    _ preset: Preset, request: UInt32 = 0, now: ControlInstant
  ) -> [ConductorOutput] {
    take(request: request, now: now, notBefore: .distantPast) {
      (conductor, turn) throws(Refusal) in try conductor.apply(preset, named: nil, &turn)
    }
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
    case .savePreset(let name): try savePreset(as: name, &turn)
    case .setlist(let wanted): try loadSetlist(wanted, &turn)
    case .loadMap(let name): try loadMap(named: name, &turn)
    case .clearMap: clearMap(&turn)
    case .section(let wanted): try jump(to: wanted, &turn)

    case .audioOffset(let milliseconds): try setAudioOffset(milliseconds, &turn)
    case .beatOffset(let milliseconds): try setBeatOffset(milliseconds, &turn)
    case .midi(let port, let setting): try setMIDI(port: port, setting, &turn)

    case .learn(let action): try learn(action, &turn)
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
    _ turn: inout Turn
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
    turn.outputs.append(
      .engine(EngineCommand(action, identifier: identifier, notBefore: notBefore)))
    return identifier
  }

  /// Sends a command that answers to nobody.
  func tell(_ action: EngineCommand.Action, _ turn: inout Turn) {
    turn.outputs.append(.engine(EngineCommand(action)))
  }
}
