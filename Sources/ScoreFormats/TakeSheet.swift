public import MetronomeModel
public import MusicalTime

/// What is known about a take beside its samples: where bar 1 lies, how the tempo ran, how late the
/// recording is.
///
/// - Thread: any
public struct TakeSheet: Equatable, Sendable {
  public static let version = 1

  /// Frames a second of the take.
  public var rate: Int
  /// Channels of the take.
  public var channels: Int?
  /// Frame of the take at which beat one of bar 1 was played (not heard), with a fraction.
  public var barOneFrame: Double
  /// Bars before bar 1 in which only the metronome plays.
  public var countInBars: Int
  /// Frame of the take at which the metronome stopped; nil where it played to the end.
  public var stopFrame: Double?
  /// At least one; the first begins at bar 1.
  public var tempo: [Stretch]
  /// Names of the clicks' sounds by level; a level that is not named is not known.
  public var click: [ClickLevel: String]
  /// Frames from the instant a click is played to the instant it is recorded: the round trip.
  public var latencyFrames: Double?
  /// `green`, `yellow`, or a word of who stated it; nil where the latency is not known.
  public var latencyVerdict: String?
  /// Where it was recorded from and played to.
  public var route: String?
  /// Frame of the take at which the route changed, and what it became.
  public var routeChanges: [RouteChange]
  /// Frames that were lost and are silence of the exact length.
  public var gaps: [Gap]
  /// Samples at full scale.
  public var clipped: Int
  /// Frames written so far; nil where the take's own header says it.
  public var frames: Int64?
  /// Why the take ended, where nobody asked for it.
  public var ended: String?
  /// Seconds since 1970 at frame 0.
  public var recordedAt: Int64?

  public struct RouteChange: Equatable, Sendable {
    public var frame: Int64
    public var route: String

    public init(frame: Int64, route: String) {
      self.frame = frame
      self.route = route
    }
  }

  public struct Gap: Equatable, Sendable {
    public var frame: Int64
    public var frames: Int64

    public init(frame: Int64, frames: Int64) {
      self.frame = frame
      self.frames = frames
    }
  }

  public enum ClickLevel: String, Sendable, CaseIterable {
    case strong, normal, soft, subdivision
  }

  /// A part of the take in which meter and tempo run in one way.
  public struct Stretch: Equatable, Sendable {
    /// Bar and beat, both from 1, at which it begins.
    public var bar: Int
    public var beat: Int
    /// Frame of the take at which that beat was played; nil is where the stretch before leads.
    public var frame: Double?
    public var meter: Meter
    public var tempo: Tempo
    public var glide: Glide?
    public var subdivision: Subdivision
    /// nil is the meter's default.
    public var pattern: AccentPattern?
    /// Whether its clicks did not sound.
    public var isMuted: Bool

    public enum Length: Equatable, Sendable {
      /// Linear in score position.
      case bars(Double)
      /// Linear in time.
      case seconds(Double)
    }

    public struct Glide: Equatable, Sendable {
      public var to: Tempo
      public var over: Length

      public init(to: Tempo, over: Length) {
        self.to = to
        self.over = over
      }
    }

    public init(
      bar: Int = 1, beat: Int = 1, frame: Double? = nil, meter: Meter = .common, tempo: Tempo,
      glide: Glide? = nil, subdivision: Subdivision = .none, pattern: AccentPattern? = nil,
      isMuted: Bool = false
    ) {
      self.bar = bar
      self.beat = beat
      self.frame = frame
      self.meter = meter
      self.tempo = tempo
      self.glide = glide
      self.subdivision = subdivision
      self.pattern = pattern
      self.isMuted = isMuted
    }
  }

  public init(rate: Int, barOneFrame: Double, tempo: [Stretch]) {
    self.rate = rate
    self.barOneFrame = barOneFrame
    self.tempo = tempo
    countInBars = 0
    click = [:]
    routeChanges = []
    gaps = []
    clipped = 0
  }
}
