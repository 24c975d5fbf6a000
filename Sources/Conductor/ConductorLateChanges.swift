import MetronomeModel
import MusicalTime
import RealtimeEngine

extension Conductor {
  /// What a preset changes at once in the engine: sent now, or at the bar line while music runs.
  mutating func applyLate(_ preset: Preset, barLine: UInt32, _ turn: inout Turn) {
    var aspects: [LateChanges.Aspect] = []
    if let isMuted = preset.isMuted {
      state.isMuted = isMuted
      aspects.append(.mute)
    }
    if let levels = preset.mutedLevels {
      state.mutedLevels = levels
      aspects.append(.levels)
    }
    if let solo = preset.soloLevel {
      state.soloLevel = if case .on(let level) = solo { level } else { nil }
      aspects.append(.levels)
    }
    if let decibels = preset.volumeDecibels {
      state.volumeDecibels = decibels
      aspects.append(.volume)
    }
    if let isMuted = preset.isCountInMuted {
      state.isCountInMuted = isMuted
      aspects.append(.countInMute)
    }
    if let timer = preset.timer {
      state.timerMinutes = nil
      if case .on(let timer) = timer {
        state.timerMinutes = timer.minutes
        state.timerStops = timer.stops
      }
      timerClock = PlayClock()
      aspects.append(.timer)
    }
    if let milliseconds = preset.audioOffsetMilliseconds {
      state.audioOffsetMilliseconds = milliseconds
      aspects.append(.audioOffset)
    }
    let ticket = applySounds(of: preset, &aspects, &turn)
    guard state.isRunning else {
      for aspect in aspects { tell(aspect, at: .distantPast, &turn) }
      return
    }
    if let ticket { late.frames[ticket] = .some(nil) }
    late.batches[barLine] = LateChanges.Batch(aspects: aspects, soundTicket: ticket)
  }

  private mutating func applySounds(
    of preset: Preset, _ aspects: inout [LateChanges.Aspect], _ turn: inout Turn
  ) -> UInt32? {
    let old = state.sounds
    let new = preset.applied(to: old)
    guard new != old else { return nil }
    state.sounds = new
    aspects += [.accentGains, .sync]
    guard new.forBank != sounds.inForce.forBank else { return nil }
    // A sound that cannot be made keeps the preset from nothing else: it has an answer of its own.
    let ticket = pending.expect(.sounds, group: pending.nextIdentifier(), request: 0)
    sounds.asked[ticket] = new
    turn.outputs.append(.prepareSounds(new.forBank, ticket: ticket))
    return ticket
  }

  /// The engine has named the bar line at which a preset's changes are due.
  mutating func sendLateChanges(of command: UInt32, at frame: FrameIndex, _ turn: inout Turn) {
    guard let batch = late.batches.removeValue(forKey: command) else { return }
    for aspect in batch.aspects { tell(aspect, at: frame, &turn) }
    guard let ticket = batch.soundTicket else { return }
    guard let bank = late.banks.removeValue(forKey: ticket) else {
      if late.frames[ticket] != nil { late.frames[ticket] = frame }
      return
    }
    late.frames[ticket] = nil
    turn.outputs.append(
      .engine(EngineCommand(.sounds(bank), identifier: ticket, notBefore: frame)))
  }

  /// The values are the state's at this moment, not the preset's.
  private mutating func tell(
    _ aspect: LateChanges.Aspect, at frame: FrameIndex, _ turn: inout Turn
  ) {
    func put(_ action: EngineCommand.Action) {
      turn.outputs.append(.engine(EngineCommand(action, notBefore: frame)))
    }
    switch aspect {
    case .mute: put(.mute(state.isMuted))
    case .levels: put(.audibleLevels(audibleLevels))
    case .volume: put(.masterGain(Gain.linear(decibels: state.volumeDecibels)))
    case .accentGains:
      for target in ControlCommand.SoundTarget.allCases {
        guard let accent = target.accent else { continue }
        let gain = Gain.linear(decibels: state.sounds[target].decibels)
        put(.levelGain(accent, gain))
      }
    case .sync: put(.sync(perQuarter: UInt8(clamping: state.sounds.syncPerQuarter)))
    case .countInMute: put(.countInMuted(state.isCountInMuted))
    case .timer:
      put(.timer(milliseconds: timerMilliseconds, stops: state.timerStops))
      if state.isRunning, state.timerMinutes != nil { timerClock.begin(at: frame) }
    case .audioOffset: put(.audioOffset(audioOffsetFrames))
    }
  }
}
