import MetronomeModel
import MusicalTime
import RealtimeEngine

extension Conductor {
  /// What a preset changes of what acts at once elsewhere: at the bar line while music runs, with
  /// all else that it changes.
  mutating func applySettingsAtBar(of preset: Preset, _ turn: inout Turn) {
    if let isMuted = preset.isMuted {
      state.isMuted = isMuted
      send(.mute(isMuted), at: .bar, &turn)
    }
    applyLevels(of: preset, &turn)
    if let decibels = preset.volumeDecibels {
      state.volumeDecibels = decibels
      send(.masterGain(Gain.linear(decibels: decibels)), at: .bar, &turn)
    }
    if let isMuted = preset.isCountInMuted {
      state.isCountInMuted = isMuted
      send(.countInMuted(isMuted), at: .bar, &turn)
    }
    if let timer = preset.timer { applyTimer(timer, &turn) }
    if let milliseconds = preset.audioOffsetMilliseconds {
      state.audioOffsetMilliseconds = milliseconds
      send(.audioOffset(audioOffsetFrames), at: .bar, &turn)
    }
    applySounds(of: preset, &turn)
  }

  private mutating func applyLevels(of preset: Preset, _ turn: inout Turn) {
    let before = audibleLevels
    if let levels = preset.mutedLevels { state.mutedLevels = levels }
    if let solo = preset.soloLevel {
      state.soloLevel = if case .on(let level) = solo { level } else { nil }
    }
    if audibleLevels != before { send(.audibleLevels(audibleLevels), at: .bar, &turn) }
  }

  private mutating func applyTimer(_ timer: Preset.Setting<Preset.Timer>, _ turn: inout Turn) {
    state.timerMinutes = nil
    if case .on(let timer) = timer {
      state.timerMinutes = timer.minutes
      state.timerStops = timer.stops
    }
    timerClock = PlayClock()
    send(
      .timer(milliseconds: timerMilliseconds, stops: state.timerStops), about: .timer, at: .bar,
      &turn)
  }

  private mutating func applySounds(of preset: Preset, _ turn: inout Turn) {
    let old = state.sounds
    let new = preset.applied(to: old)
    guard new != old else { return }
    state.sounds = new
    for target in ControlCommand.SoundTarget.allCases {
      guard let accent = target.accent, new[target].decibels != old[target].decibels else {
        continue
      }
      sounds.inForce[target].decibels = new[target].decibels
      send(.levelGain(accent, Gain.linear(decibels: new[target].decibels)), at: .bar, &turn)
    }
    if new.syncPerQuarter != old.syncPerQuarter {
      sounds.inForce.syncPerQuarter = new.syncPerQuarter
      send(.sync(perQuarter: UInt8(clamping: new.syncPerQuarter)), at: .bar, &turn)
    }
    guard new.forBank != sounds.inForce.forBank else { return }
    // A sound that cannot be made keeps the preset from nothing else: it has an answer of its own.
    let ticket = pending.expect(.sounds, group: pending.nextIdentifier(), request: 0)
    sounds.asked[ticket] = new
    sounds.atBar.insert(ticket)
    turn.outputs.append(.prepareSounds(new.forBank, ticket: ticket))
  }
}
