extension Preset {
  /// A preset that brings back a state; what only the daemon's own settings know (mappings and
  /// targets) is added by who keeps it.
  public init(of state: MetronomeState) {
    tempo = state.tempo
    meter = state.meter
    pattern = state.pattern
    subdivision = Int(state.subdivision.count)
    subdivisionLevel = state.subdivision.level
    swing = state.subdivision.swing
    layer = state.layer
    volumeDecibels = state.volumeDecibels
    for target in ControlCommand.SoundTarget.allCases {
      let choice = state.sounds[target]
      sounds[target] = Sound(
        name: choice.name, decibels: choice.decibels, semitones: choice.semitones,
        channels: choice.channels, keepsLeadingSilence: choice.keepsLeadingSilence)
    }
    beatSounds = state.sounds.beatNames
    analogSync = state.sounds.syncPerQuarter
    isMuted = state.isMuted
    mutedLevels = state.mutedLevels
    soloLevel = state.soloLevel.map { .on($0) } ?? .off
    barMuting = state.barMuting
    ramp =
      switch state.ramp {
      case .trainer(let trainer): .on(.trainer(trainer))
      case .glide(let glide): .on(.glide(glide, when: .beat))
      case nil: .off
      }
    // A trainer has its own end.
    if case .trainer? = state.ramp {} else { trainerEnd = state.trainerEnd }
    countIn = state.countInBars
    isCountInMuted = state.isCountInMuted
    timer = state.timerMinutes.map { .on(Timer(minutes: $0, stops: state.timerStops)) } ?? .off
    movesPhaseByTaps = state.movesPhaseByTaps
    tapLimitSeconds = Double(state.tapLimitMilliseconds) / 1000
    tapUnit = state.tapUnit
    audioOffsetMilliseconds = state.audioOffsetMilliseconds
    beatOffsetMilliseconds = state.beatOffsetMilliseconds
    setlist = state.setlist.map { .on($0) } ?? .off
    map = state.map.map { .on($0) } ?? .off
    follow = state.follow == .off ? nil : state.follow
    // As with what is followed: a preset of an evening alone does not end another's session.
    if state.linkMode != .off {
      linkMode = state.linkMode
      sharesLinkPlaying = state.sharesLinkPlaying
      linkQuantum = state.linkQuantum
    }
    midiPorts = state.midiPorts
  }
}
