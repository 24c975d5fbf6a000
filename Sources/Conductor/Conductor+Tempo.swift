import MetronomeModel
import MusicalTime
import RealtimeEngine

extension Conductor {
  /// Push and pull bend the tempo by 4 % (40 thousandths) while they are held.
  static let bendThousandths: Int32 = 40

  mutating func setTempo(
    _ value: Double, _ unit: NoteValue?, _ when: ChangeBoundary, _ turn: inout Turn
  ) throws(Refusal) {
    try requireOwnTempo("tempo \(Check.number(value))")
    let tempo = try Check.tempo(value, unit: unit ?? state.tempo.unit, "tempo")
    change(to: tempo, when, &turn)
  }

  /// In the tempo's own unit, from the tempo at this moment.
  mutating func nudge(by difference: Double, _ turn: inout Turn) throws(Refusal) {
    guard difference.isFinite else {
      throw Refusal(
        .value, "tempo/nudge \(Check.number(difference)) is not a number of beats a minute")
    }
    try requireOwnTempo("tempo/nudge")
    let now = tempoNow
    let tempo = try Check.tempo(
      now.value + difference, unit: now.unit, "tempo/nudge \(Check.number(difference)) gives")
    change(to: tempo, .beat, &turn)
  }

  mutating func scaleTempo(
    numerator: Int64, denominator: Int64, _ name: String, _ turn: inout Turn
  ) throws(Refusal) {
    try requireOwnTempo("tempo/\(name)")
    let now = tempoNow
    // Half of 60.001 is 30.0005: rounded half up to a thousandth.
    let thousandths =
      (2 * Int64(now.thousandths) * numerator + denominator) / (2 * denominator)
    let tempo = try Check.tempo(
      Double(thousandths) / 1000, unit: now.unit, "tempo/\(name) gives")
    change(to: tempo, .beat, &turn)
  }

  mutating func goBackToPreviousTempo(_ turn: inout Turn) throws(Refusal) {
    try requireOwnTempo("tempo/resume")
    guard let previous = state.previousTempo else {
      throw Refusal(.state, "tempo/resume has no tempo to go back to: it has not changed yet")
    }
    change(to: previous, .beat, &turn)
  }

  /// Push and pull together cancel out; the release of what is not held does nothing.
  mutating func bend(pushed: Bool, pulled: Bool, _ turn: inout Turn) throws(Refusal) {
    if pushed || pulled { try requireOwnTempo("push or pull") }
    if case .glide = state.ramp, pushed || pulled {
      throw Refusal(
        .state, "push and pull are refused during a glide, which moves the tempo itself")
    }
    let before = bendFactor
    state.isPushed = pushed
    state.isPulled = pulled
    guard bendFactor != before else { return }
    send(.bend(thousandths: bendFactor), &turn)
  }

  /// In thousandths of the tempo.
  var bendFactor: Int32 {
    1000 + (state.isPushed ? Conductor.bendThousandths : 0)
      - (state.isPulled ? Conductor.bendThousandths : 0)
  }

  /// From the third tap of a series on, at the next beat; taps never start the transport.
  mutating func tap(
    at time: MonotonicTime, series: UInt64, _ turn: inout Turn
  ) throws(Refusal) {
    try requireOwnTempo("a tap")
    if let ramp = state.ramp {
      throw Refusal(
        .state,
        "a tap is refused during a \(ramp.name): it would be unclear which tempo it means; "
          + "end it with ramp/cancel")
    }
    let unit = state.tempo.unit
    let beat = state.tapUnit.note.map(TapLength.init) ?? TapLength(beatOf: state.meter)
    taps.limitNanoseconds = state.tapLimitMilliseconds * 1_000_000
    guard let thousandths = taps.tap(at: time, series: series, beat: beat, unit: unit) else {
      return
    }
    let tempo = try Check.tempo(Double(thousandths) / 1000, unit: unit, "tapped tempo")
    change(to: tempo, .beat, tapped: series, &turn)
    if state.movesPhaseByTaps, state.isRunning {
      // The answer is the tempo's; where the beat cannot be moved now, the tempo still changes.
      tell(.phase(tap: turn.now.frame(at: time, rate: rate)), &turn)
    }
  }

  mutating func setTapLimit(seconds: Double) throws(Refusal) {
    try Check.range(seconds, Limits.tapLimitSeconds, "tap/limit", "seconds")
    state.tapLimitMilliseconds = Int64((seconds * 1000).rounded())
    taps.limitNanoseconds = state.tapLimitMilliseconds * 1_000_000
  }

  /// The tempo at this moment in its own unit: that of the trainer's level, or where a glide is.
  var tempoNow: Tempo {
    guard case .glide = state.ramp, state.isRunning else { return state.tempo }
    let unit = state.tempo.unit
    let quarter = Double(state.quarterThousandths) / 1000
    let value = quarter * Double(unit.quartersDenominator) / Double(unit.quartersNumerator)
    return Tempo(value, unit: unit) ?? state.tempo
  }

  /// Every explicit change of tempo ends a ramp, and says so.
  mutating func change(
    to tempo: Tempo, _ when: ChangeBoundary, tapped series: UInt64? = nil, _ turn: inout Turn
  ) {
    let now = tempoNow
    endRamp(because: "the tempo was set to \(tempo)", &turn)
    let goesOnTapping = series != nil && taps.latestChange == series
    if tempo != now, !goesOnTapping { state.previousTempo = now }
    taps.latestChange = series
    state.tempo = tempo
    send(.tempo(tempo, when), about: .tempo, &turn)
  }
}
