public import MusicalTime

/// What one preset sets. What it does not name stays as it is.
///
/// - Thread: any
public struct Preset: Equatable, Sendable {
  /// For people; the file's name is what commands use.
  public var title: String?

  public var tempo: Tempo?
  public var meter: Meter?
  /// As many accents as the meter has beats; there only with a meter.
  public var pattern: AccentPattern?
  /// Clicks a beat.
  public var subdivision: Int?
  public var subdivisionLevel: Accent?
  public var swing: Swing?
  /// Clicks a bar of the second layer; 0 is none.
  public var layer: Int?

  /// Decibels of full scale; `-.infinity` is silence.
  public var volumeDecibels: Double?
  public var sounds: [ControlCommand.SoundTarget: Sound] = [:]
  /// One name for each beat of the bar, nil where the level's sound stays.
  public var beatSounds: [String?]?
  /// Pulses a quarter of the analog sync output; its channels are those of the `sync` sound.
  public var analogSync: Int?

  public var isMuted: Bool?
  public var mutedLevels: Set<Accent>?
  public var soloLevel: Setting<Accent>?
  public var barMuting: BarMuting?

  public var ramp: Setting<Ramp>?
  /// How trainers end that are set from now on.
  public var trainerEnd: SpeedTrainer.End?
  /// Bars.
  public var countIn: Int?
  public var isCountInMuted: Bool?
  public var timer: Setting<Timer>?
  public var movesPhaseByTaps: Bool?
  public var tapLimitSeconds: Double?
  public var tapUnit: TapUnit?

  public var audioOffsetMilliseconds: Double?
  public var beatOffsetMilliseconds: Double?
  /// Milliseconds by which beat events are made known ahead.
  public var horizonMilliseconds: Double?

  /// Names of files in the setlist and map folders.
  public var setlist: Setting<String>?
  public var map: Setting<String>?

  /// nil leaves what is followed.
  public var follow: FollowSource?
  /// nil leaves how we take part in a session of Ableton Link.
  public var linkMode: LinkMode?
  public var sharesLinkPlaying: Bool?
  public var linkQuantum: LinkQuantum?
  public var midiPorts: [MIDIPortConfiguration]?
  public var mappings: [MIDIMapping.Rule]?
  public var feedback: [FeedbackTarget]?
  public var beatTargets: [BeatTarget]?

  public init() {}

  /// Something that may also be turned off.
  public enum Setting<Value: Equatable & Sendable>: Equatable, Sendable {
    case off
    case on(Value)
  }

  /// What is set of one sound; nil stays as it is.
  public struct Sound: Equatable, Sendable {
    public var name: String?
    /// Decibels; `-.infinity` is silence.
    public var decibels: Double?
    public var semitones: Double?
    /// 1-based.
    public var channels: [Int]?
    public var keepsLeadingSilence: Bool?

    public init(
      name: String? = nil, decibels: Double? = nil, semitones: Double? = nil,
      channels: [Int]? = nil, keepsLeadingSilence: Bool? = nil
    ) {
      self.name = name
      self.decibels = decibels
      self.semitones = semitones
      self.channels = channels
      self.keepsLeadingSilence = keepsLeadingSilence
    }
  }

  public enum Ramp: Equatable, Sendable {
    case trainer(SpeedTrainer)
    case glide(GlideRamp, when: ChangeBoundary)
  }

  public struct Timer: Equatable, Sendable {
    /// `Limits.timerMinutes`
    public var minutes: Double
    /// Whether playing stops when it ends.
    public var stops: Bool

    public init(minutes: Double, stops: Bool = true) {
      self.minutes = minutes
      self.stops = stops
    }
  }

  /// This preset with another laid over it: what that one names is its.
  public func overlaid(by other: Preset) -> Preset {
    var result = self
    func take<Value>(_ key: WritableKeyPath<Preset, Value?>) {
      if let value = other[keyPath: key] { result[keyPath: key] = value }
    }
    // A pattern belongs to its meter, and a ramp would take a tempo away at once.
    if other.meter != nil { result.pattern = nil }
    if other.tempo != nil, result.ramp != nil { result.ramp = .off }
    take(\.title)
    take(\.tempo)
    take(\.meter)
    take(\.pattern)
    take(\.subdivision)
    take(\.subdivisionLevel)
    take(\.swing)
    take(\.layer)
    take(\.volumeDecibels)
    for (target, sound) in other.sounds {
      var merged = result.sounds[target] ?? Sound()
      merged.name = sound.name ?? merged.name
      merged.decibels = sound.decibels ?? merged.decibels
      merged.semitones = sound.semitones ?? merged.semitones
      merged.channels = sound.channels ?? merged.channels
      merged.keepsLeadingSilence = sound.keepsLeadingSilence ?? merged.keepsLeadingSilence
      result.sounds[target] = merged
    }
    take(\.beatSounds)
    take(\.analogSync)
    take(\.isMuted)
    take(\.mutedLevels)
    take(\.soloLevel)
    take(\.barMuting)
    take(\.ramp)
    take(\.trainerEnd)
    take(\.countIn)
    take(\.isCountInMuted)
    take(\.timer)
    take(\.movesPhaseByTaps)
    take(\.tapLimitSeconds)
    take(\.tapUnit)
    take(\.audioOffsetMilliseconds)
    take(\.beatOffsetMilliseconds)
    take(\.horizonMilliseconds)
    take(\.setlist)
    take(\.map)
    take(\.follow)
    take(\.linkMode)
    take(\.sharesLinkPlaying)
    take(\.linkQuantum)
    take(\.midiPorts)
    take(\.mappings)
    take(\.feedback)
    take(\.beatTargets)
    return result
  }

  /// The sounds as they are after this preset.
  public func applied(to settings: SoundSettings) -> SoundSettings {
    var result = settings
    for (target, sound) in sounds {
      var choice = result[target]
      if let name = sound.name { choice.name = name }
      if let decibels = sound.decibels { choice.decibels = decibels }
      if let semitones = sound.semitones { choice.semitones = semitones }
      if let channels = sound.channels { choice.channels = channels }
      if let keeps = sound.keepsLeadingSilence { choice.keepsLeadingSilence = keeps }
      result[target] = choice
    }
    if let beatSounds { result.beatNames = beatSounds }
    if let analogSync { result.syncPerQuarter = analogSync }
    return result
  }
}
