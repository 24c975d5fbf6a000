public import MusicalTime

/// What survives a power cut: the settings, and what a preset does not hold.
///
/// - Thread: any
public struct LastState: Equatable, Sendable {
  public var settings: Preset
  /// The preset that was loaded last.
  public var preset: String?
  /// 0-based entry of the setlist.
  public var setlistEntry: Int?
  public var previousTempo: Tempo?
  public var trainerEnd: SpeedTrainer.End
  public var patterns: PatternMemory

  public init(
    settings: Preset, preset: String? = nil, setlistEntry: Int? = nil,
    previousTempo: Tempo? = nil, trainerEnd: SpeedTrainer.End = .hold,
    patterns: PatternMemory = PatternMemory()
  ) {
    self.settings = settings
    self.preset = preset
    self.setlistEntry = setlistEntry
    self.previousTempo = previousTempo
    self.trainerEnd = trainerEnd
    self.patterns = patterns
  }

  public init(of state: MetronomeState) {
    settings = Preset(of: state)
    if !state.midiPorts.isEmpty { settings.midiPorts = state.midiPorts }
    preset = state.preset
    setlistEntry = state.setlistEntry
    previousTempo = state.previousTempo
    trainerEnd = state.trainerEnd
    patterns = state.patterns
  }
}
