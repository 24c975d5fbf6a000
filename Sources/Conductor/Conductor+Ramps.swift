import MetronomeModel
import MusicalTime
import RealtimeEngine

extension Conductor {
  mutating func train(
    from: Double, to: Double, step: Double, share: SpeedTrainer.Share, _ turn: inout Turn
  ) throws(Refusal) {
    try requireOwnTempo("ramp")
    let (from, to) = try ends(from, to, "ramp")
    try RampCheck.check(share)
    let trainer = SpeedTrainer(
      unchecked: from, to: to, stepThousandths: try checkedStep(step, from: from, to: to),
      share: share, end: state.trainerEnd)
    begin(.trainer(trainer), &turn)
    send(.trainer(trainer), about: .ramp, &turn)
  }

  /// The end of the next trainer, and of one that has not begun.
  mutating func setTrainerEnd(_ end: SpeedTrainer.End, _ turn: inout Turn) {
    state.trainerEnd = end
    guard case .trainer(let trainer) = state.ramp, trainer.end != end, !state.isRunning,
      !rampClock.hasBegun
    else { return }
    let armed = SpeedTrainer(
      unchecked: trainer.from, to: trainer.to, stepThousandths: trainer.stepThousandths,
      share: trainer.share, end: end)
    state.ramp = .trainer(armed)
    send(.trainer(armed), about: .ramp, &turn)
  }

  mutating func glide(
    from: Double, to: Double, length: GlideRamp.Length, when: ChangeBoundary, _ turn: inout Turn
  ) throws(Refusal) {
    try requireOwnTempo("ramp/glide")
    let (from, to) = try ends(from, to, "ramp/glide")
    try RampCheck.check(length)
    beginGlide(GlideRamp(unchecked: from, to: to, length: length), when: when, &turn)
  }

  mutating func beginGlide(_ glide: GlideRamp, when: ChangeBoundary, _ turn: inout Turn) {
    begin(.glide(glide), &turn)
    if bendFactor != 1000 {
      // A glide and a held push are two movements of one tempo: the push ends.
      state.isPushed = false
      state.isPulled = false
      tell(.bend(thousandths: 1000), &turn)
    }
    send(.glide(glide, when), about: .ramp, &turn)
  }

  /// The tempo stays what it is at this moment.
  mutating func cancelRamp(_ turn: inout Turn) {
    guard state.ramp != nil else { return }
    if state.isRunning { state.tempo = tempoNow }
    state.ramp = nil
    rampClock.reset()
    send(.cancelRamp, about: .ramp, &turn)
  }

  /// Forgets the ramp; the tempo command that follows ends it in the engine.
  mutating func endRamp(because reason: String, _ turn: inout Turn) {
    guard let ramp = state.ramp else { return }
    state.ramp = nil
    rampClock.reset()
    turn.notice("the \(ramp.name) from \(ramp.from) to \(ramp.to) was cancelled: \(reason)")
  }

  mutating func begin(_ ramp: RampState, _ turn: inout Turn) {
    endRamp(because: "another ramp begins", &turn)
    state.previousTempo = state.tempo
    taps.latestChange = nil
    state.ramp = ramp
    rampClock.reset()
  }

  private func ends(
    _ from: Double, _ to: Double, _ name: String
  ) throws(Refusal) -> (Tempo, Tempo) {
    let unit = state.tempo.unit
    let first = try Check.tempo(from, unit: unit, "\(name) from")
    let last = try Check.tempo(to, unit: unit, "\(name) to")
    guard first != last else {
      throw Refusal(
        .value, "\(name) goes from \(first) to \(last): the two tempos must differ")
    }
    return (first, last)
  }

  /// A sign is allowed where it says the same as from and to: `120 80 -5` steps down by 5.
  private func checkedStep(
    _ step: Double, from: Tempo, to: Tempo
  ) throws(Refusal) -> Int32 {
    guard step.isFinite else {
      throw Refusal(.value, "ramp step \(Check.number(step)) is not a number of beats a minute")
    }
    let span = to.thousandths - from.thousandths
    let thousandths = (step * 1000).rounded(.toNearestOrAwayFromZero)
    guard thousandths != 0 else {
      throw Refusal(
        .value, "ramp step \(Check.number(step)) never arrives: it must be at least 0.001")
    }
    guard thousandths > 0 || span < 0 else {
      throw Refusal(
        .value,
        "ramp step \(Check.number(step)) leads away from \(to): write it without the sign")
    }
    // A step beyond the range is the same two levels as a step of the range.
    guard thousandths.magnitude < Double(span.magnitude) else { return Int32(span.magnitude) }
    return Int32(thousandths.magnitude)
  }
}
