public import MetronomeModel
public import MusicalTime

/// A fact with its frame, announced by the engine ahead of the instant at which it is due.
///
/// Facts leave in score order. An announced fact is not recalled, except by `stopped`, which voids
/// every pulse, click and beat at or after its frame.
///
/// - Thread: made on the audio thread, read by the one consumer of each queue.
@frozen
public enum EngineEvent: Sendable, BitwiseCopyable {
  case pulse(PulseEvent)
  case beat(BeatEvent)
  case click(ClickEvent)
  /// The transport starts: `frame` is beat one of bar 1.
  case started(StartEvent)
  /// The transport resumes: `frame` is that of the first pulse.
  case continued(ContinueEvent)
  /// The transport stops at `frame`; see the type for what it voids.
  case stopped(StopEvent)
  /// A tempo is in force from `frame` on.
  case tempo(TempoEvent)
  /// A meter is in force from the bar line at `frame` on.
  case meter(MeterEvent)
  /// The score position jumps at the bar line at `frame` while pulses run on.
  case jumped(JumpEvent)
  case section(SectionEvent)
  case trainer(TrainerEvent)
  case timer(TimerEvent)
  /// A command was taken; it acts from `frame` on.
  case effective(EffectiveEvent)
  /// A command could not be taken.
  case refused(RefusedEvent)
  /// No voice uses this sound bank any more: its owner may free it.
  case retiredSounds(Int32)
  /// The engine no longer reads this score: its owner may free it.
  case retiredScore(Int32)

  /// The frame at which the fact is due.
  public var frame: FrameIndex {
    switch self {
    case .pulse(let event): event.frame
    case .beat(let event): event.frame
    case .click(let event): event.frame
    case .started(let event): event.frame
    case .continued(let event): event.frame
    case .stopped(let event): event.frame
    case .tempo(let event): event.frame
    case .meter(let event): event.frame
    case .jumped(let event): event.frame
    case .section(let event): event.frame
    case .trainer(let event): event.frame
    case .timer(let event): event.frame
    case .effective(let event): event.frame
    case .refused(let event): event.frame
    case .retiredSounds, .retiredScore: .distantPast
    }
  }
}

/// A MIDI clock pulse (24 a quarter).
@frozen
public struct PulseEvent: Sendable, BitwiseCopyable {
  public var frame: FrameIndex
  /// Counts from beat one of the run (0); negative in a count-in. After Continue it goes on from
  /// where Stop left it. Free pulses count on their own.
  public var number: Int64
  /// The place in the song, in pulses from bar 1: what song position counts (6 = one MIDI beat).
  public var songPulse: Int64
  /// How far the exact instant lies from the frame, in 2^-32 frames: a MIDI cable knows no frames,
  /// and whole ones would be up to 10 us of jitter at 48 kHz.
  public var fraction: Int32
  public var flags: Flags

  @frozen
  public struct Flags: OptionSet, Sendable, BitwiseCopyable {
    public let rawValue: UInt8
    @inlinable @_noAllocation @_noLocks
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// The transport is stopped; only ports whose clock always runs send it.
    @inlinable public static var free: Flags {
      @_noAllocation @_noLocks get { Flags(rawValue: 1) }
    }
    @inlinable public static var countIn: Flags {
      @_noAllocation @_noLocks get { Flags(rawValue: 2) }
    }
    /// Falls on a bar line.
    @inlinable public static var barLine: Flags {
      @_noAllocation @_noLocks get { Flags(rawValue: 4) }
    }
  }

  @inlinable @_noAllocation @_noLocks
  public init(
    frame: FrameIndex, number: Int64, songPulse: Int64, fraction: Int32 = 0, flags: Flags
  ) {
    self.frame = frame
    self.number = number
    self.songPulse = songPulse
    self.fraction = fraction
    self.flags = flags
  }

  /// A pulse at its exact point on the sample clock.
  @inlinable @_noAllocation @_noLocks
  public init(at point: ExactFrame, number: Int64, songPulse: Int64, flags: Flags) {
    self.init(
      frame: point.nearest, number: number, songPulse: songPulse, fraction: point.fromNearest,
      flags: flags)
  }

  /// The exact instant less that of the frame, in nanoseconds.
  ///
  /// - Parameter framesPerSecond: 1 or more.
  public func nanosecondsFromFrame(framesPerSecond: Int64) -> Int64 {
    // A whole nanosecond a frame too few is half a nanosecond here.
    (Int64(fraction) * (1_000_000_000 / max(framesPerSecond, 1)) + (1 << 31)) >> 32
  }
}

/// A beat of the meter, sounding or not.
@frozen
public struct BeatEvent: Sendable, BitwiseCopyable {
  public var frame: FrameIndex
  /// 0-based in the code; negative in a count-in (-1 is its last bar).
  public var bar: Int32
  /// 0-based.
  public var beat: UInt8
  public var beatCount: UInt8
  public var accent: Accent
  public var flags: BeatFlags
  /// Quarter notes a minute in thousandths, at this instant.
  public var quarterThousandths: Int32

  @inlinable @_noAllocation @_noLocks
  public init(
    frame: FrameIndex, bar: Int32, beat: UInt8, beatCount: UInt8, accent: Accent,
    flags: BeatFlags, quarterThousandths: Int32
  ) {
    self.frame = frame
    self.bar = bar
    self.beat = beat
    self.beatCount = beatCount
    self.accent = accent
    self.flags = flags
    self.quarterThousandths = quarterThousandths
  }

  /// The bar as people count it: bar 1 is the first, the last bar of a count-in is -1.
  public var barForPeople: Int32 { bar >= 0 ? bar + 1 : bar }
}

/// What holds at a beat; the raw values are those of the beat message.
@frozen
public struct BeatFlags: OptionSet, Sendable, BitwiseCopyable {
  public let rawValue: UInt8
  @inlinable @_noAllocation @_noLocks
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  @inlinable public static var mutedBar: BeatFlags {
    @_noAllocation @_noLocks get { BeatFlags(rawValue: 1) }
  }
  @inlinable public static var mute: BeatFlags {
    @_noAllocation @_noLocks get { BeatFlags(rawValue: 2) }
  }
  @inlinable public static var countIn: BeatFlags {
    @_noAllocation @_noLocks get { BeatFlags(rawValue: 4) }
  }
}

/// A click: the beat's own, one of its subdivisions, or one of the layer's.
@frozen
public struct ClickEvent: Sendable, BitwiseCopyable {
  @frozen
  public enum Source: UInt8, Sendable, BitwiseCopyable {
    case beat, subdivision, layer
  }

  public var frame: FrameIndex
  public var bar: Int32
  public var beat: UInt8
  /// 0 for the beat's own click, 1 and up for those that divide it; the layer's index in the bar.
  public var sub: UInt8
  public var source: Source
  public var accent: Accent
  public var flags: BeatFlags
  public var quarterThousandths: Int32

  @inlinable @_noAllocation @_noLocks
  public init(
    frame: FrameIndex, bar: Int32, beat: UInt8, sub: UInt8, source: Source, accent: Accent,
    flags: BeatFlags, quarterThousandths: Int32
  ) {
    self.frame = frame
    self.bar = bar
    self.beat = beat
    self.sub = sub
    self.source = source
    self.accent = accent
    self.flags = flags
    self.quarterThousandths = quarterThousandths
  }
}

@frozen
public struct StartEvent: Sendable, BitwiseCopyable {
  /// Beat one of bar 1: the instant of pulse 0.
  public var frame: FrameIndex
  /// The first pulse of the run: that of beat one, or of the count-in.
  public var firstFrame: FrameIndex
  /// The number of the first pulse: 0, or negative with a count-in.
  public var firstPulse: Int64

  @inlinable @_noAllocation @_noLocks
  public init(frame: FrameIndex, firstFrame: FrameIndex, firstPulse: Int64) {
    self.frame = frame
    self.firstFrame = firstFrame
    self.firstPulse = firstPulse
  }
}

@frozen
public struct ContinueEvent: Sendable, BitwiseCopyable {
  public var frame: FrameIndex
  public var firstPulse: Int64
  public var songPulse: Int64

  @inlinable @_noAllocation @_noLocks
  public init(frame: FrameIndex, firstPulse: Int64, songPulse: Int64) {
    self.frame = frame
    self.firstPulse = firstPulse
    self.songPulse = songPulse
  }
}

@frozen
public struct StopEvent: Sendable, BitwiseCopyable {
  /// The first frame not yet rendered. Pulses, clicks and beats at or after it are void; FC is due
  /// here.
  public var frame: FrameIndex
  /// Where Continue resumes: the number and song position of the first pulse that is void.
  public var nextPulse: Int64
  public var songPulse: Int64
  /// At once: pending output is dropped and notes are turned off.
  public var isPanic: Bool

  @inlinable @_noAllocation @_noLocks
  public init(frame: FrameIndex, nextPulse: Int64, songPulse: Int64, isPanic: Bool) {
    self.frame = frame
    self.nextPulse = nextPulse
    self.songPulse = songPulse
    self.isPanic = isPanic
  }
}

@frozen
public struct TempoEvent: Sendable, BitwiseCopyable {
  public var frame: FrameIndex
  /// As it was given; during a glide its target.
  public var tempo: Tempo
  /// Quarter notes a minute in thousandths, at this instant.
  public var quarterThousandths: Int32
  public var isGlide: Bool

  @inlinable @_noAllocation @_noLocks
  public init(frame: FrameIndex, tempo: Tempo, quarterThousandths: Int32, isGlide: Bool) {
    self.frame = frame
    self.tempo = tempo
    self.quarterThousandths = quarterThousandths
    self.isGlide = isGlide
  }
}

@frozen
public struct MeterEvent: Sendable, BitwiseCopyable {
  public var frame: FrameIndex
  public var meter: Meter
  public var pattern: AccentPattern

  @inlinable @_noAllocation @_noLocks
  public init(frame: FrameIndex, meter: Meter, pattern: AccentPattern) {
    self.frame = frame
    self.meter = meter
    self.pattern = pattern
  }
}

@frozen
public struct JumpEvent: Sendable, BitwiseCopyable {
  public var frame: FrameIndex
  /// The pulse of the run at the bar line.
  public var number: Int64
  public var songPulse: Int64

  @inlinable @_noAllocation @_noLocks
  public init(frame: FrameIndex, number: Int64, songPulse: Int64) {
    self.frame = frame
    self.number = number
    self.songPulse = songPulse
  }
}

@frozen
public struct SectionEvent: Sendable, BitwiseCopyable {
  public var frame: FrameIndex
  /// 0-based; -1 where the score has ended.
  public var index: Int32

  @inlinable @_noAllocation @_noLocks
  public init(frame: FrameIndex, index: Int32) {
    self.frame = frame
    self.index = index
  }
}

@frozen
public struct TrainerEvent: Sendable, BitwiseCopyable {
  @frozen
  public enum Kind: UInt8, Sendable, BitwiseCopyable {
    case level, skippedLevel, finished, looped, cancelled
  }

  public var frame: FrameIndex
  public var kind: Kind
  /// 0-based.
  public var level: Int32
  public var levelCount: Int32
  public var tempo: Tempo

  @inlinable @_noAllocation @_noLocks
  public init(frame: FrameIndex, kind: Kind, level: Int32, levelCount: Int32, tempo: Tempo) {
    self.frame = frame
    self.kind = kind
    self.level = level
    self.levelCount = levelCount
    self.tempo = tempo
  }
}

@frozen
public struct TimerEvent: Sendable, BitwiseCopyable {
  /// The bar line at which the practice timer ended.
  public var frame: FrameIndex

  @inlinable @_noAllocation @_noLocks
  public init(frame: FrameIndex) { self.frame = frame }
}

@frozen
public struct EffectiveEvent: Sendable, BitwiseCopyable {
  public var frame: FrameIndex
  /// The identifier that came with the command.
  public var command: UInt32

  @inlinable @_noAllocation @_noLocks
  public init(frame: FrameIndex, command: UInt32) {
    self.frame = frame
    self.command = command
  }
}

@frozen
public struct RefusedEvent: Sendable, BitwiseCopyable {
  @frozen
  public enum Reason: UInt8, Sendable, BitwiseCopyable {
    case alreadyRolling, alreadyStopped, rolling, rampRuns, noScore, outOfRange
  }

  public var frame: FrameIndex
  public var command: UInt32
  public var reason: Reason

  @inlinable @_noAllocation @_noLocks
  public init(frame: FrameIndex, command: UInt32, reason: Reason) {
    self.frame = frame
    self.command = command
    self.reason = reason
  }
}
