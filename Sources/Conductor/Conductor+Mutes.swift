import MetronomeModel
import MusicalTime
import RealtimeEngine

extension Conductor {
  mutating func mute(_ isMuted: Bool, _ turn: inout Turn) {
    state.isMuted = isMuted
    send(.mute(isMuted), &turn)
  }

  mutating func muteBars(_ wanted: BarMuting, _ turn: inout Turn) throws(Refusal) {
    var muting = wanted
    // What is told of a way that is not in force, zero bars or per cent, ends that way alone.
    switch (wanted, state.barMuting) {
    case (.cycle(_, 0), .cycle), (.random(0, _), .random), (.growing(_, 0), .growing): muting = .off
    case (.cycle(_, 0), _), (.random(0, _), _), (.growing(_, 0), _): return
    default: break
    }
    switch muting {
    case .off: break
    case .cycle(let play, let mute):
      try Check.range(Int(play), Limits.bars, "mute/bars play")
      try Check.range(Int(mute), Limits.bars, "mute/bars mute")
    case .random(let hundredths, _):
      try Check.range(
        Double(hundredths) / 100, Limits.mutePercent, "mute/random", "per cent")
    case .growing(let play, let maximum):
      try Check.range(Int(play), Limits.bars, "mute/growing play")
      try Check.range(Int(maximum), Limits.bars, "mute/growing maximum")
    }
    state.barMuting = muting
    send(.barMuting(muting), &turn)
  }

  mutating func muteLevel(
    _ level: Accent, _ isMuted: Bool, _ turn: inout Turn
  ) throws(Refusal) {
    try requireSound(level, "mute")
    if isMuted { state.mutedLevels.insert(level) } else { state.mutedLevels.remove(level) }
    send(.audibleLevels(audibleLevels), &turn)
  }

  /// That level alone; nil ends it, and what was muted before is muted again.
  mutating func solo(_ level: Accent?, _ turn: inout Turn) throws(Refusal) {
    if let level { try requireSound(level, "solo") }
    state.soloLevel = level
    send(.audibleLevels(audibleLevels), &turn)
  }

  /// Bit n for `Accent(rawValue: n)`.
  var audibleLevels: UInt8 {
    var mask: UInt8 = 0
    for level in Accent.allCases where state.sounds(level) { mask |= 1 << level.rawValue }
    return mask
  }

  private func requireSound(_ level: Accent, _ verb: String) throws(Refusal) {
    guard level != .silent else {
      throw Refusal(
        .value, "\(verb) 'silent' has no sound: levels are strong, normal and soft")
    }
  }

  mutating func setCountIn(bars: Int) throws(Refusal) {
    try Check.range(bars, Limits.countInBars, "countin")
    state.countInBars = bars
  }

  mutating func muteCountIn(_ isMuted: Bool, _ turn: inout Turn) {
    state.isCountInMuted = isMuted
    send(.countInMuted(isMuted), &turn)
  }

  mutating func setTimer(minutes: Double, _ turn: inout Turn) throws(Refusal) {
    try Check.range(minutes, Limits.timerMinutes, "timer", "minutes")
    state.timerMinutes = minutes
    sendTimer(&turn)
  }

  /// Whether the timer that is set next stops the music, and the one that has not begun.
  mutating func setTimerStops(_ stops: Bool, _ turn: inout Turn) {
    guard state.timerStops != stops else { return }
    state.timerStops = stops
    if state.timerMinutes != nil, !state.isRunning { sendTimer(&turn) }
  }

  mutating func cancelTimer(_ turn: inout Turn) {
    guard state.timerMinutes != nil else { return }
    state.timerMinutes = nil
    sendTimer(&turn)
  }

  private mutating func sendTimer(_ turn: inout Turn) {
    timerClock = PlayClock()
    send(
      .timer(milliseconds: timerMilliseconds, stops: state.timerStops), about: .timer, &turn)
  }

  /// 0 without a timer.
  var timerMilliseconds: Int64 {
    guard let minutes = state.timerMinutes else { return 0 }
    return Int64((minutes * 60_000).rounded())
  }
}
