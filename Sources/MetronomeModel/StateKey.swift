/// One value of the state that can be read back and followed.
///
/// - Thread: any
public enum StateKey: Hashable, Sendable {
  case transport, tempo, previousTempo, push, pull, tapPhase, tapLimit, tapUnit
  case ramp, trainerEnd
  case meter, pattern, subdivision, subdivisionLevel, swing, layer
  case mute, barMuting, soloLevel
  case muteLevel(Accent)
  case countIn, countInMute, timer, timerStops
  case volume, beatSounds, analogSync
  case sound(ControlCommand.SoundTarget)
  case level(ControlCommand.SoundTarget)
  case preset, setlist, map, section
  case audioOffset, beatOffset, follow
  case link, linkSync, linkQuantum
  case midi(port: String)

  /// The values that differ between two states, in a fixed order; the bar and beat are among them
  /// only while nothing runs: else they are facts of each beat, not settings.
  public static func changes(
    from old: MetronomeState, to new: MetronomeState
  ) -> [StateKey] {
    var keys: [StateKey] = []
    func note(_ key: StateKey, _ isChanged: Bool) { if isChanged { keys.append(key) } }
    let isElsewhere = old.bar != new.bar || old.beat != new.beat
    note(.transport, old.transport != new.transport || isElsewhere && !new.isRunning)
    note(.tempo, old.tempo != new.tempo)
    note(.previousTempo, old.previousTempo != new.previousTempo)
    note(.push, old.isPushed != new.isPushed)
    note(.pull, old.isPulled != new.isPulled)
    note(.tapPhase, old.movesPhaseByTaps != new.movesPhaseByTaps)
    note(.tapLimit, old.tapLimitMilliseconds != new.tapLimitMilliseconds)
    note(.tapUnit, old.tapUnit != new.tapUnit)
    note(.ramp, old.ramp != new.ramp)
    note(.trainerEnd, old.trainerEnd != new.trainerEnd)
    note(.meter, old.meter != new.meter)
    note(.pattern, old.pattern != new.pattern)
    note(.subdivision, old.subdivision.count != new.subdivision.count)
    note(.subdivisionLevel, old.subdivision.level != new.subdivision.level)
    note(.swing, old.subdivision.swing != new.subdivision.swing)
    note(.layer, old.layer != new.layer)
    note(.mute, old.isMuted != new.isMuted)
    note(.barMuting, old.barMuting != new.barMuting)
    note(.soloLevel, old.soloLevel != new.soloLevel)
    for level in Accent.allCases {
      note(
        .muteLevel(level), old.mutedLevels.contains(level) != new.mutedLevels.contains(level))
    }
    note(.countIn, old.countInBars != new.countInBars)
    note(.countInMute, old.isCountInMuted != new.isCountInMuted)
    note(.timer, old.timerMinutes != new.timerMinutes)
    note(.timerStops, old.timerStops != new.timerStops)
    note(.volume, old.volumeDecibels != new.volumeDecibels)
    if old.sounds != new.sounds {
      note(.beatSounds, old.sounds.beatNames != new.sounds.beatNames)
      note(.analogSync, old.sounds.syncPerQuarter != new.sounds.syncPerQuarter)
      for target in ControlCommand.SoundTarget.allCases {
        var (one, other) = (old.sounds[target], new.sounds[target])
        note(.level(target), one.decibels != other.decibels)
        one.decibels = 0
        other.decibels = 0
        note(.sound(target), one != other)
      }
    }
    note(.preset, old.preset != new.preset)
    note(.setlist, old.setlist != new.setlist || old.setlistEntry != new.setlistEntry)
    note(.map, old.map != new.map)
    note(.section, old.section != new.section)
    note(.audioOffset, old.audioOffsetMilliseconds != new.audioOffsetMilliseconds)
    note(.beatOffset, old.beatOffsetMilliseconds != new.beatOffsetMilliseconds)
    note(.follow, old.follow != new.follow)
    note(.link, old.linkMode != new.linkMode)
    note(.linkSync, old.sharesLinkPlaying != new.sharesLinkPlaying)
    note(.linkQuantum, old.linkQuantum != new.linkQuantum)
    if old.midiPorts != new.midiPorts {
      for port in new.midiPorts where !old.midiPorts.contains(port) {
        keys.append(.midi(port: port.name))
      }
    }
    return keys
  }
}
