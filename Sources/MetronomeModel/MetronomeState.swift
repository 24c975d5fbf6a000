public import MusicalTime

/// Whether music runs.
///
/// - Thread: any
public enum TransportState: String, Equatable, Sendable, CaseIterable {
  case stopped
  case countingIn = "counting in"
  case rolling
}

/// Everything that a person can set and read back: the requests that were accepted, corrected by
/// the facts that the engine announced.
///
/// - Thread: any; the Conductor owns the one that counts.
public struct MetronomeState: Equatable, Sendable {
  // Transport
  public var transport: TransportState = .stopped
  /// The bar of the latest announced beat as people count it: 1 is the first, -1 the last one of
  /// a count-in.
  public var bar: Int = 1
  /// 1-based.
  public var beat: Int = 1

  // Tempo
  /// As it was given last; during a trainer its level's.
  public var tempo = Tempo(unchecked: 120_000, unit: .quarter)
  /// Quarter notes a minute at the latest fact, in thousandths.
  public var quarterThousandths: Int32 = 120_000
  /// The tempo before the last change.
  public var previousTempo: Tempo?
  public var isPushed = false
  public var isPulled = false
  public var movesPhaseByTaps = false
  public var tapLimitMilliseconds: Int64 = 2_000
  /// What one tap is.
  public var tapUnit = TapUnit.beat

  // Ramps
  /// How the next trainer ends.
  public var trainerEnd: SpeedTrainer.End = .hold
  public var ramp: RampState?

  // Meter and clicks
  public var meter = Meter.common
  public var pattern = AccentPattern.standard(for: .common)
  public var patterns = PatternMemory()
  public var subdivision = Subdivision.none
  /// Clicks a bar of the layer; 0 is none.
  public var layer: Int = 0

  // Mutes
  public var isMuted = false
  public var barMuting = BarMuting.off
  /// Levels that are muted.
  public var mutedLevels: Set<Accent> = []
  public var soloLevel: Accent?

  /// Whose MIDI clock gives tempo and transport.
  public var follow = FollowSource.off

  // Ableton Link
  public var linkMode = LinkMode.off
  /// Whether start and stop are shared with the session.
  public var sharesLinkPlaying = false
  public var linkQuantum = LinkQuantum.bar

  // Count-in and timer
  public var countInBars: Int = 0
  public var isCountInMuted = false
  /// Minutes of the timer that is set; nil without one.
  public var timerMinutes: Double?
  public var timerStops = true

  // Levels and sounds
  /// Decibels of full scale; `-.infinity` is silence.
  public var volumeDecibels: Double = Limits.defaultLevelDecibels
  public var sounds = SoundSettings()

  // Presets and songs
  public var preset: String?
  public var setlist: String?
  /// 0-based entry of the setlist that was loaded last.
  public var setlistEntry: Int?
  public var map: String?
  /// 0-based section of the map that plays; nil outside one.
  public var section: Int?

  // Outputs
  public var audioOffsetMilliseconds: Double = 0
  public var beatOffsetMilliseconds: Double = 0
  public var midiPorts: [MIDIPortConfiguration] = []

  public init() {}

  /// Whether the transport counts in or rolls.
  public var isRunning: Bool { transport != .stopped }

  /// Levels that sound: the solo alone, or all that are not muted.
  public func sounds(_ level: Accent) -> Bool {
    guard let soloLevel else { return !mutedLevels.contains(level) }
    return level == soloLevel
  }
}
