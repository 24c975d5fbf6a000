public import MetronomeModel
public import MusicalTime
public import RealtimeEngine

extension Conductor {
  /// Takes a fact of the engine.
  public mutating func receive(_ event: EngineEvent) -> [ConductorOutput] {
    facts.received += 1
    // Most facts are pulses and clicks, which change nothing here.
    switch event {
    case .pulse, .click, .jumped: return []
    default: break
    }
    let before = state
    var turn = Turn.silent(group: pending.nextIdentifier())
    take(event, &turn)
    noteChanges(since: before, &turn)
    return turn.outputs
  }

  /// The engine's queue was full: the command never arrived.
  public mutating func fail(_ command: EngineCommand) -> [ConductorOutput] {
    let before = state
    var turn = Turn.silent(group: pending.nextIdentifier())
    pending.withdraw(command)
    refuse(
      command.identifier,
      Refusal(.engine, "the engine's queue is full: the audio thread does not keep up; try again"),
      &turn)
    noteChanges(since: before, &turn)
    return turn.outputs
  }

  /// How far the ramp has come at a frame; nil without a ramp.
  public func rampProgress(at frame: FrameIndex) -> RampProgress? {
    guard let ramp = state.ramp else { return nil }
    return rampClock.progress(of: ramp, meter: state.meter, at: frame, rate: rate)
  }

  /// Seconds of playing until the timer ends, before the bar line that it waits for; nil without
  /// a timer.
  public func timerSecondsLeft(at frame: FrameIndex) -> Double? {
    guard let minutes = state.timerMinutes else { return nil }
    return max(0, minutes * 60 - Double(timerClock.elapsed(at: frame)) / Double(rate))
  }

  private mutating func take(_ event: EngineEvent, _ turn: inout Turn) {
    switch event {
    case .pulse, .click, .jumped, .epoch: break
    case .beat(let beat): take(beat)
    case .started(let start):
      facts.transport = start.firstPulse < 0 ? .countingIn : .rolling
      // Start begins a ramp anew, whatever had been played of it.
      if state.ramp != nil { rampClock.begin(at: start.frame) }
      if state.timerMinutes != nil { timerClock.begin(at: start.frame) }
    case .continued(let resumed):
      facts.transport = .rolling
      // A ramp that was set while stopped begins with the music.
      if state.ramp != nil { rampClock.resume(at: resumed.frame) }
      if state.timerMinutes != nil { timerClock.resume(at: resumed.frame) }
    case .stopped(let stop):
      rampClock.pause(at: stop.frame)
      timerClock.pause(at: stop.frame)
      // Known ahead, it is so only at its frame: the status tells.
      guard !stop.isScheduled else { break }
      facts.transport = .stopped
      if !pending.isStale(.transport, at: stop.frame) { state.transport = .stopped }
    case .tempo(let tempo): take(tempo, &turn)
    case .meter(let meter):
      facts.meter = meter.meter
      facts.pattern = meter.pattern
      if !pending.isStale(.meter, at: meter.frame) {
        state.meter = meter.meter
        state.pattern = meter.pattern
      }
    case .section(let section):
      state.section = section.index >= 0 ? songs.song?.section(ofStep: section.index) : nil
    case .trainer(let trainer): take(trainer, &turn)
    case .timer(let timer):
      // The end of a timer that was set anew in the meantime is not the new one's.
      guard !pending.isStale(.timer, at: timer.frame) else { break }
      state.timerMinutes = nil
      timerClock = PlayClock()
      turn.outputs.append(.timerEnded(frame: timer.frame))
    case .effective(let effective): answer(effective, &turn)
    case .refused(let refused): refuse(refused, &turn)
    case .retiredSounds(let identifier):
      sounds.given[identifier] = nil
      turn.outputs.append(.releaseSounds(identifier))
    case .retiredScore(let identifier): songs.prepared[identifier] = nil
    }
  }

  private mutating func take(_ beat: BeatEvent) {
    state.quarterThousandths = beat.quarterThousandths
    let transport: TransportState = beat.flags.contains(.countIn) ? .countingIn : .rolling
    facts.transport = transport
    // A beat that was announced before a Stop or a Locate says nothing about them.
    guard !pending.isStale(.transport, at: beat.frame) else { return }
    state.bar = Int(beat.barForPeople)
    state.beat = Int(beat.beat) + 1
    if state.isRunning { state.transport = transport }
  }

  private mutating func take(_ tempo: TempoEvent, _ turn: inout Turn) {
    facts.tempo = tempo.tempo
    state.quarterThousandths = tempo.quarterThousandths
    guard !tempo.isGlide, !pending.isStale(.tempo, at: tempo.frame) else { return }
    state.tempo = tempo.tempo
    // The steady tempo after a glide's start is the glide's end.
    if case .glide(let glide) = state.ramp, glide.to == tempo.tempo, rampClock.hasBegun,
      !pending.isStale(.ramp, at: tempo.frame), tempo.frame > pending.landing(of: .ramp)
    {
      finishRamp(at: tempo.frame, &turn)
    }
  }

  private mutating func take(_ trainer: TrainerEvent, _ turn: inout Turn) {
    guard case .trainer = state.ramp, !pending.isStale(.ramp, at: trainer.frame) else { return }
    switch trainer.kind {
    case .level:
      if !rampClock.hasBegun { rampClock.begin(at: trainer.frame) }
      rampClock.enter(level: Int64(trainer.level), at: trainer.frame)
      if let progress = rampProgress(at: trainer.frame) {
        turn.outputs.append(.rampProgress(progress, frame: trainer.frame))
      }
    case .skippedLevel:
      turn.notice(
        "level \(trainer.level + 1) of \(trainer.levelCount) at \(trainer.tempo) was skipped: "
          + "its share is shorter than a beat")
    case .looped:
      rampClock.begin(at: trainer.frame)
    case .finished:
      finishRamp(at: trainer.frame, &turn)
    case .cancelled:
      // The one before this trainer, where it ends at the frame that this one begins at.
      guard trainer.frame > pending.landing(of: .ramp) else { return }
      state.ramp = nil
      rampClock.reset()
    }
  }

  mutating func finishRamp(at frame: FrameIndex, _ turn: inout Turn) {
    if var progress = rampProgress(at: frame) {
      progress.fraction = 1
      progress.secondsLeft = 0
      progress.level = progress.levelCount
      turn.outputs.append(.rampProgress(progress, frame: frame))
    }
    state.ramp = nil
    rampClock.reset()
  }

  private mutating func answer(_ effective: EffectiveEvent, _ turn: inout Turn) {
    let subject = pending.subject(of: effective.command)
    // Set while rolling, a ramp begins where it lands; while stopped, Start begins it.
    if subject == .ramp, pending.isLatest(effective.command), state.ramp != nil, state.isRunning,
      !rampClock.hasBegun
    {
      rampClock.begin(at: effective.frame)
    }
    if subject == .timer, pending.isLatest(effective.command), state.isRunning {
      timerClock.begin(at: effective.frame)
    }
    if subject == .song { songs.inForce = songs.song }
    if subject == .sounds { sounds.took(ticket: effective.command) }
    switch pending.answer(effective.command, at: effective.frame) {
    case .effective(let request, let frame) where request != 0:
      turn.outputs.append(.effective(request: request, frame: frame))
    case .moved(let request, let frame):
      turn.outputs.append(.moved(request: request, frame: frame))
    case .refused(let request, let refusal) where request != 0:
      turn.outputs.append(.refused(request: request, refusal))
    default: break
    }
  }

  private mutating func refuse(_ event: RefusedEvent, _ turn: inout Turn) {
    facts.refusals += 1
    switch event.reason {
    case .alreadyRolling, .alreadyStopped:
      // What was asked for is so: nothing to do is not an error.
      let isLatest = pending.isLatest(event.command)
      if case .effective(let request, _) = pending.answer(event.command, at: .distantPast),
        request != 0
      {
        turn.outputs.append(.accepted(request: request))
      }
      if isLatest { state.transport = facts.transport }
    case .rolling:
      refuse(event.command, Refusal(.state, "refused while rolling: stop first"), &turn)
    case .rampRuns:
      refuse(
        event.command, Refusal(.state, "refused during a ramp: end it with ramp/cancel"), &turn)
    case .noScore:
      refuse(
        event.command, Refusal(.state, "there is no song to move in: load one with map/load"),
        &turn)
    case .outOfRange:
      refuse(
        event.command, Refusal(.value, "the place is outside the song: ask for its sections"),
        &turn)
    case .overtaken:
      refuse(
        event.command, Refusal(.state, "a Stop that was sent after it came first: start again"),
        &turn)
    case .tooManySounds:
      refuse(
        event.command,
        Refusal(
          .engine, "five sets of sounds ring at once already: try again when they have ended"),
        &turn)
    }
  }

  /// Answers a refusal and takes the state back to the facts, unless a newer request is on its way.
  mutating func refuse(_ identifier: UInt32, _ refusal: Refusal, _ turn: inout Turn) {
    if pending.isLatest(identifier) {
      switch pending.subject(of: identifier) {
      case .transport: state.transport = facts.transport
      case .tempo: state.tempo = facts.tempo
      case .meter:
        state.meter = facts.meter
        state.pattern = facts.pattern
      case .ramp:
        state.ramp = nil
        rampClock.reset()
      case .sounds: state.sounds = sounds.inForce
      case .timer: state.timerMinutes = nil
      case .song:
        songs.song = songs.inForce
        state.map = songs.song?.name
      case .other, nil: break
      }
    }
    switch pending.answer(identifier, at: .distantPast, refusal: refusal) {
    case .refused(let request, let reason) where request != 0:
      turn.outputs.append(.refused(request: request, reason))
    case .effective(let request, let frame) where request != 0:
      turn.outputs.append(.effective(request: request, frame: frame))
    default: break
    }
  }
}
