public import MetronomeModel
public import MusicalTime

/// A wish to the engine, already checked against its limits by the Conductor.
///
/// - Thread: made by the conductor, taken on the audio thread.
@frozen
public struct EngineCommand: Sendable, BitwiseCopyable {
  /// Comes back in `EngineEvent.effective` or `.refused`; 0 asks for no answer.
  public var identifier: UInt32
  /// The first frame at which the command may be taken; `.distantPast` is as soon as possible.
  public var notBefore: FrameIndex
  public var action: Action

  @inlinable @_noAllocation @_noLocks
  public init(_ action: Action, identifier: UInt32 = 0, notBefore: FrameIndex = .distantPast) {
    self.action = action
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
