/// What a calibration found.
///
/// - Thread: any
public struct CalibrationResult: Equatable, Sendable {
  /// How far it can be trusted: green can be used, yellow with care, red not at all.
  public enum Verdict: String, Sendable, CaseIterable {
    case green, yellow, red
  }

  /// What is amiss, from the gravest on.
  public enum Finding: Equatable, Sendable {
    /// Not one sample differs from zero.
    case silence
    /// Sweeps are heard before the first was played: not ours.
    case foreignSweeps
    /// The sweeps come a whole spacing late or more.
    case tooLong(seconds: Double)
    /// Sweeps go on after the last that was played, without an empty slot at the beginning.
    case moreSweepsThanPlayed
    /// The first sweep is missing and the recording ends before it could be told whether the
    /// latency is longer than the spacing.
    case endsEarly
    /// From this sweep on, counted from 1, the latency was another by so many milliseconds.
    case step(sweep: Int, milliseconds: Double)
    /// The parts of its band arrive at different instants: another sweep, or an effect.
    case unlike(correlation: Double)
    case noise
    case tooQuiet
    case clipped
    /// Sweeps are heard, but at no common latency.
    case disagreement
    /// The accepted ones lie far apart.
    case spread
  }

  public var verdict: Verdict
  /// Frames from the instant a sweep was played to the instant it was recorded, at the middle of
  /// the run; nil where the verdict is red.
  public var latencyFrames: Double?
  /// Median absolute deviation of the accepted sweeps, drift removed.
  public var madFrames: Double
  /// Frames a second.
  public var rate: Double
  public var accepted: Int
  /// Sweeps that count.
  public var count: Int
  /// Sweeps of the raise before them.
  public var raised: Int
  /// How much faster the recording's clock runs than the playback's; 0 where nothing shows.
  public var driftPPM: Double
  /// Seconds of playback at which the latency is stated.
  public var middleSecond: Double
  public var findings: [Finding]
  /// One a slot that counts.
  public var sweeps: [SweepOutcome]
  /// Channel of the recording that was used, from 0.
  public var channel: Int

  public struct SweepOutcome: Equatable, Sendable {
    /// Seconds of playback.
    public var second: Double
    /// What was accepted, or else the strongest that was seen, if any.
    public var sighting: SweepSighting?
    public var isAccepted: Bool
    /// The envelope of the normalised correlation in columns for a picture, from the earliest lag.
    public var picture: [Float]
  }

  public var latencyMilliseconds: Double? { latencyFrames.map { $0 / rate * 1_000 } }
  public var madMilliseconds: Double { madFrames / rate * 1_000 }

  /// Whether a latency in milliseconds may be used.
  public var isUsable: Bool { verdict != .red }
}
