import MetronomeModel
import MusicalTime
import RealtimeEngine

extension Conductor {
  /// From bar 1; while counting in or rolling it does nothing.
  mutating func start(_ turn: inout Turn) {
    let beatOne = sessionStart(turn)
    if !state.isRunning { prepareStart(&turn) }
    // Sent also while it rolls: where the music is about to end by itself the engine starts then.
    send(
      .start(countInBars: Int32(state.countInBars), beatOne: beatOne), about: .transport,
      &turn)
  }

  private mutating func prepareStart(_ turn: inout Turn) {
    state.transport = state.countInBars > 0 ? .countingIn : .rolling
    if case .glide(let glide) = state.ramp, rampClock.hasBegun {
      // Start begins a ramp anew; the engine by itself would go on where the glide was left.
      tell(.glide(glide, .bar), &turn)
    }
  }

  /// Sent also where nothing seems to run: a Stop is never swallowed by a mistaken state.
  mutating func stop(_ turn: inout Turn) {
    state.transport = .stopped
    send(.stop, about: .transport, &turn)
  }

  mutating func panic(_ turn: inout Turn) {
    state.transport = .stopped
    send(.panic, about: .transport, &turn)
  }

  /// Where Stop left it, without a count-in; while rolling it does nothing.
  mutating func resume(_ turn: inout Turn) {
    if !state.isRunning { state.transport = .rolling }
    let isTagged = turn.notBefore > .distantPast
    send(isTagged ? .resumeAt(turn.notBefore) : .resume, about: .transport, &turn)
  }

  mutating func locate(
    bar: Int, beat: Int, verb: String, _ turn: inout Turn
  ) throws(Refusal) {
    guard !state.isRunning else {
      throw Refusal(
        .state, "\(verb) is refused while the transport is \(state.transport.rawValue): stop first")
    }
    try Check.range(bar, Limits.bars, "bar")
    // A song's sections have meters of their own; the engine knows them.
    let beats = state.map == nil ? Int(state.meter.beatCount) : Meter.maximumBeats
    guard (1...beats).contains(beat) else {
      throw Refusal(
        .value, "beat \(beat) is outside the bar: \(state.meter) has beats 1 to \(beats)")
    }
    state.bar = bar
    state.beat = beat
    if let song = songs.song { state.section = song.section(ofBar: bar) }
    send(.locate(bar: Int32(bar - 1), beat: Int32(beat - 1)), about: .transport, &turn)
  }
}
