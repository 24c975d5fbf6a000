extension Preset {
  /// This preset without what a command sets: what was set by hand wins over the preset's value.
  public func without(_ command: ControlCommand) -> Preset {
    var rest = self
    switch command {
    case .tempo, .nudge, .doubleTempo, .halfTempo, .resumeTempo, .tap:
      rest.tempo = nil
      // A tempo set by hand ends a ramp.
      rest.ramp = nil
    case .trainer, .glide, .cancelRamp:
      rest.tempo = nil
      rest.ramp = nil
    case .meter, .meterAndPattern:
      rest.meter = nil
      rest.pattern = nil
    case .pattern: rest.pattern = nil
    case .subdivision: rest.subdivision = nil
    case .subdivisionLevel: rest.subdivisionLevel = nil
    case .swing: rest.swing = nil
    case .layer: rest.layer = nil
    case .mute, .toggleMute: rest.isMuted = nil
    case .muteBars: rest.barMuting = nil
    case .muteLevel: rest.mutedLevels = nil
    case .soloLevel: rest.soloLevel = nil
    case .volume: rest.volumeDecibels = nil
    case .level(let target, _): rest.sounds[target]?.decibels = nil
    case .sound(let target, _): rest.sounds[target]?.name = nil
    case .pitch(let target, _): rest.sounds[target]?.semitones = nil
    case .route(let target, _): rest.sounds[target]?.channels = nil
    case .beatSounds: rest.beatSounds = nil
    case .analogSync: rest.analogSync = nil
    case .countIn: rest.countIn = nil
    case .countInMute: rest.isCountInMuted = nil
    case .timer, .timerStops, .cancelTimer: rest.timer = nil
    case .tapPhase: rest.movesPhaseByTaps = nil
    case .tapLimit: rest.tapLimitSeconds = nil
    case .audioOffset: rest.audioOffsetMilliseconds = nil
    case .beatOffset: rest.beatOffsetMilliseconds = nil
    case .midi: rest.midiPorts = nil
    case .link: rest.linkMode = nil
    case .linkSync: rest.sharesLinkPlaying = nil
    case .linkQuantum: rest.linkQuantum = nil
    case .loadMap, .clearMap: rest.map = nil
    default: break
    }
    return rest
  }

  /// Whether a command asks for a whole preset or song of its own.
  public static func isReplaced(by command: ControlCommand) -> Bool {
    switch command {
    case .preset, .nextPreset, .previousPreset, .setlist: true
    default: false
    }
  }
}
