import MetronomeModel
import MusicalTime
public import RealtimeEngine

extension Conductor {
  /// Facts taken in so far: the edge passes on what the engine's status says was queued, and then
  /// the status itself.
  public var factsReceived: Int64 { facts.received }

  /// Makes the state what the engine says is true, except where a request is still underway.
  ///
  /// Facts tell each change once; after this call nothing depends on a fact that was lost, came
  /// late or was refused.
  public mutating func reconcile(_ status: EngineStatus) -> [ConductorOutput] {
    // Facts that are newer than the status are closer to the truth: the next one tells.
    guard facts.received <= status.factsQueued else { return [] }
    let before = state
    var turn = Turn.silent(group: 0)
    let hasLost = status.factsMade - facts.received > facts.lost
    if hasLost {
      facts.lost = status.factsMade - facts.received
      answerLost(status, &turn)
    }
    reconcileTransport(status, clocks: hasLost)
    reconcileTempo(status, &turn)
    reconcileTimer(status, clocks: hasLost, &turn)
    if hasLost, !pending.isUnderway(.meter, status) {
      (state.meter, state.pattern) = (status.meter, status.pattern)
      (facts.meter, facts.pattern) = (status.meter, status.pattern)
    }
    reconcileSong(status)
    reconcileSounds(status, &turn)
    noteChanges(since: before, &turn)
    return turn.outputs
  }

  /// Answers that never came: done, unless one of those that were lost was a refusal.
  private mutating func answerLost(_ status: EngineStatus, _ turn: inout Turn) {
    let refusal =
      status.refusals > facts.refusals
      ? Refusal(
        .engine, "the engine's answer was lost while this program could not run: try again")
      : nil
    facts.refusals = status.refusals
    // Which of them was the refusal nobody knows; what became of the state the status says.
    for identifier in pending.lost(status) {
      switch pending.answer(identifier, at: .distantPast, refusal: refusal) {
      case .effective(let request, _) where request != 0:
        turn.outputs.append(.accepted(request: request))
      case .refused(let request, let reason) where request != 0:
        turn.outputs.append(.refused(request: request, reason))
      default: break
      }
    }
  }

  private mutating func reconcileTransport(_ status: EngineStatus, clocks: Bool) {
    guard !pending.isUnderway(.transport, status) else { return }
    let transport = TransportState(status.transport)
    let isNews = state.transport != transport || clocks
    facts.transport = transport
    state.transport = transport
    state.bar = Int(status.bar >= 0 ? status.bar + 1 : status.bar)
    state.beat = Int(status.beat) + 1
    guard isNews else { return }
    if transport == .stopped {
      rampClock.pause(at: status.frame)
    } else if state.ramp != nil {
      rampClock.resume(at: status.frame)
    }
  }

  private mutating func reconcileTempo(_ status: EngineStatus, _ turn: inout Turn) {
    guard !pending.isUnderway(.tempo, status), !pending.isUnderway(.ramp, status) else { return }
    if !status.isGliding { state.tempo = status.tempo }
    facts.tempo = status.tempo
    state.quarterThousandths = status.quarterThousandths
    switch (state.ramp, status.ramp) {
    case (.trainer, .trainer):
      let level = Int64(status.trainerLevel)
      if rampClock.hasBegun, rampClock.level != level {
        rampClock.enter(level: level, at: status.frame)
      }
    case (.glide, .glide), (nil, _): break
    default: finishRamp(at: status.frame, &turn)
    }
  }

  private mutating func reconcileTimer(
    _ status: EngineStatus, clocks: Bool, _ turn: inout Turn
  ) {
    guard state.timerMinutes != nil, !pending.isUnderway(.timer, status) else { return }
    guard status.hasTimer else {
      state.timerMinutes = nil
      timerClock = PlayClock()
      turn.outputs.append(.timerEnded(frame: status.frame))
      return
    }
    if clocks {
      timerClock.correct(
        played: status.timerPlayed, at: status.frame, runs: status.transport == .rolling)
    }
  }

  private mutating func reconcileSong(_ status: EngineStatus) {
    guard !pending.isUnderway(.song, status) else { return }
    let latest = status.waitingScore >= 0 ? status.waitingScore : status.score
    if (songs.song?.identifier ?? -1) != latest {
      songs.song = songs.inForce?.identifier == latest ? songs.inForce : nil
      state.map = songs.song?.name
      if songs.song == nil { state.section = nil }
    }
    songs.inForce = songs.song
    // What the engine reads no longer is free, also where it said so in vain.
    for identifier in songs.prepared.keys
    where identifier != status.score && identifier != status.waitingScore {
      songs.prepared[identifier] = nil
    }
    if status.transport == .rolling, status.section >= 0, latest == status.score {
      state.section = songs.song?.section(ofStep: status.section)
    }
  }

  private mutating func reconcileSounds(_ status: EngineStatus, _ turn: inout Turn) {
    guard sounds.asked.isEmpty, !pending.isUnderway(.sounds, status) else {
      return
    }
    if let playing = sounds.given[status.sounds] { sounds.take(playing.settings) }
    if status.waitingSounds < 0, state.sounds.forBank != sounds.inForce.forBank {
      state.sounds = sounds.inForce
    }
    for identifier in sounds.given.keys.sorted() where !status.reads(sounds: identifier) {
      sounds.given[identifier] = nil
      turn.outputs.append(.releaseSounds(identifier))
    }
  }
}

extension TransportState {
  init(_ status: EngineStatus.Transport) {
    switch status {
    case .stopped: self = .stopped
    case .countingIn: self = .countingIn
    case .rolling: self = .rolling
    }
  }
}
