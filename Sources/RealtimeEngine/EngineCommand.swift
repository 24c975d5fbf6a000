public import MetronomeModel
public import MusicalTime

/// A request to the engine, already checked against its limits by the Conductor.
///
/// - Thread: made by the control thread, taken on the audio thread.
@frozen
public struct EngineCommand: Sendable, BitwiseCopyable {
  /// Comes back in `EngineEvent.effective` or `.refused`; 0 asks for no answer.
  public var identifier: UInt32
  /// The first frame at which the command may be taken; `.distantPast` is as soon as possible.
  public var notBefore: FrameIndex
  /// Counts the commands as they were made, from 1; the status names the latest one taken.
  public var ordinal: Int64
  /// Where a setting that could act at once does act.
  public var boundary: Boundary
  public var action: Action

  @frozen
  public enum Boundary: UInt8, Sendable, BitwiseCopyable {
    /// At `notBefore`, or as soon as possible.
    case frame
    /// At the next bar line; while stopped, at once. The next setting of the same kind replaces
    /// one that waits.
    case bar
  }

  @inlinable @_noAllocation @_noLocks
  public init(
    _ action: Action, identifier: UInt32 = 0, notBefore: FrameIndex = .distantPast,
    boundary: Boundary = .frame, ordinal: Int64 = 0
  ) {
    self.action = action
    self.boundary = boundary
    self.ordinal = ordinal
    self.identifier = identifier
    self.notBefore = notBefore
  }

  @frozen
  public enum Action: Sendable, BitwiseCopyable {
    /// From bar 1, after the lead-in (and a count-in where bars are above 0). With `beatOne` the
    /// first beat is due at that frame, or as soon as the lead-in allows.
    case start(countInBars: Int32, beatOne: FrameIndex)
    case stop
    case panic
    /// Where Stop left it, after the lead-in.
    case resume
    /// The same, with its first pulse due at a frame, or as soon as the lead-in allows.
    case resumeAt(FrameIndex)
    /// While stopped: where Continue resumes; 0-based bar and beat.
    case locate(bar: Int32, beat: Int32)

    case tempo(Tempo, ChangeBoundary)
    /// A temporary factor in thousandths (1000 is none): push and pull while held. Acts now.
    case bend(thousandths: Int32)
    /// Moves the beat nearest to `tap` towards it, by at most 10 % of tempo until caught up.
    case phase(tap: FrameIndex)
    case trainer(SpeedTrainer)
    case glide(GlideRamp, ChangeBoundary)
    case cancelRamp

    /// At the next bar line.
    case meter(Meter, AccentPattern)
    case pattern(AccentPattern)
    case subdivision(Subdivision)
    /// Clicks a bar of the second layer, 0 for none.
    case layer(count: UInt8, accent: Accent)
    case barMuting(BarMuting)
    case countInMuted(Bool)

    /// At once, with a fade of 5 ms.
    case mute(Bool)
    /// Levels that sound, bit n for `Accent(rawValue: n)`; at once.
    case audibleLevels(UInt8)
    /// Linear gain of everything; at once, smoothed.
    case masterGain(Float)
    /// Linear gain of one level; from the next click.
    case levelGain(Accent, Float)
    /// From the next click; the bank is retired when its last voice has ended.
    case sounds(SoundBankReference)
    /// Pulses a quarter note of the analog sync output, 0 for none.
    case sync(perQuarter: UInt8)

    /// Milliseconds of playing after which the timer ends, 0 for none; whether it stops then.
    case timer(milliseconds: Int64, stops: Bool)
    /// The song to walk through; acts at the next bar line, or at Start.
    case score(ScoreReference)
    /// To the first bar of a section at the next bar line.
    case jump(section: Int32)
    case clearScore

    /// Pulses run while stopped, for ports whose clock is always on.
    case freeClock(Bool)
    /// How far ahead facts are announced, and how long before a beat a change may land on it.
    case announce(horizon: FrameCount, commit: FrameCount)
    case leadIn(FrameCount)
    /// Clicks sound so much later than everything else; from the next announced click.
    case audioOffset(FrameCount)
  }
}

extension EngineCommand {
  var waitsForBar: Bool {
    @_noAllocation @_noLocks get {
      if case .bar = boundary { return true }
      return false
    }
  }

  /// Passes whatever waits or is held: a Stop, a panic or a mute for now.
  public var isUrgent: Bool {
    @_noAllocation @_noLocks get {
      switch action {
      case .stop, .panic, .mute: return !waitsForBar
      default: return false
      }
    }
  }
}

extension EngineCommand.Action {
  /// Whether it starts or resumes the transport.
  var isStart: Bool {
    @_noAllocation @_noLocks get {
      switch self {
      case .start, .resume, .resumeAt: return true
      default: return false
      }
    }
  }

  var isStop: Bool {
    @_noAllocation @_noLocks get {
      switch self {
      case .stop, .panic: return true
      default: return false
      }
    }
  }

  /// Settings that can wait for a bar line, by kind, 0 up to `WaitingSettings.kinds`; else -1.
  var settingKind: Int {
    @_noAllocation @_noLocks get {
      switch self {
      case .mute: return 0
      case .audibleLevels: return 1
      case .masterGain: return 2
      case .levelGain(let accent, _): return 3 &+ Int(accent.rawValue)
      case .sounds: return 7
      case .sync: return 8
      case .countInMuted: return 9
      case .timer: return 10
      case .audioOffset: return 11
      default: return -1
      }
    }
  }

  /// Whether it acts on what is heard now, not on what is announced ahead.
  var actsOnOutput: Bool {
    @_noAllocation @_noLocks get { settingKind >= 0 && settingKind <= 2 }
  }
}
