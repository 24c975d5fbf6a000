/// A second-order loop that follows a card's frames through jittery time stamps.
///
/// Each observation says "frame f was heard at t". The loop predicts t, moves its phase by a part
/// of the error and its rate by a smaller part, critically damped to 1/sqrt 2. It starts wide and
/// narrows as 0.45 Hz / elapsed seconds, which are the gains of a straight line fitted through all
/// stamps so far, until it reaches its bandwidth; from there on it forgets.
///
/// Observations need not be evenly spaced: gains follow the frames that really passed, so a missed
/// period is only a longer step.
///
/// - Thread: audio; free of allocation and locks.
public struct DelayLockedLoop: Sendable, BitwiseCopyable {
  /// The line as last fitted.
  public private(set) var clock: FrameClock
  /// The final bandwidth, in Hz.
  public let bandwidthHz: Double
  /// Running mean of the errors' sizes, in nanoseconds.
  public private(set) var jitterNanoseconds: Double
  private var learnedSeconds: Double

  /// The widest the loop opens: 2 Hz is 0.225 s of stamps, enough not to take the jitter of a
  /// few stamps for a drift.
  private static var widestHz: Double { @_noAllocation @_noLocks get { 2.0 } }
  /// Before anything is known, a wake-up's usual lateness.
  private static var firstJitter: Double { @_noAllocation @_noLocks get { 20_000 } }
  /// An error of half a second is no jitter: the line starts anew there.
  private static var breakNanoseconds: Int64 { @_noAllocation @_noLocks get { 500_000_000 } }

  /// A loop that starts from a known line.
  ///
  /// - Parameter bandwidthHz: 0.01 to 2 Hz; others are brought to the nearer end.
  @_noAllocation @_noLocks
  public init(clock: FrameClock, bandwidthHz: Double = 0.1) {
    self.clock = clock
    self.bandwidthHz = bandwidthHz >= 0.01 ? (bandwidthHz <= 2.0 ? bandwidthHz : 2.0) : 0.01
    self.jitterNanoseconds = DelayLockedLoop.firstJitter
    self.learnedSeconds = 0
  }

  /// Opens the loop again and keeps its phase and rate: a card has come back. Most often it is the
  /// same one, so the loop opens to 0.45 Hz only; another one is learned in a few seconds.
  @_noAllocation @_noLocks
  public mutating func relearnRate() {
    learnedSeconds = learnedSeconds < 1 ? 0 : 1
    jitterNanoseconds = DelayLockedLoop.firstJitter
  }

  /// Moves the loop to another line and opens it wide: a new epoch.
  @_noAllocation @_noLocks
  public mutating func restart(from clock: FrameClock) {
    self.clock = clock
    learnedSeconds = 0
    jitterNanoseconds = DelayLockedLoop.firstJitter
  }

  /// Takes in that `frame` was heard at `time`; an observation that is not later than the last one
  /// teaches nothing and is ignored.
  ///
  /// - Returns: the error of the prediction, in nanoseconds; positive when the frame came late.
  @_noAllocation @_noLocks @discardableResult
  public mutating func observe(frame: FrameIndex, heardAt time: MonotonicTime) -> Int64 {
    let frames = (frame - clock.anchorFrame).value
    guard frames > 0 else { return 0 }
    var line = clock.reanchored(at: frame)
    let error = time.nanoseconds(since: line.anchorTime)
    guard abs64(error) < DelayLockedLoop.breakNanoseconds else {
      restart(
        from: FrameClock(
          frame: frame, heardAt: time, framesPerSecond: clock.framesPerSecond,
          uncertaintyNanoseconds: clock.uncertaintyNanoseconds))
      return error
    }
    // The part of a nanosecond that the anchor holds belongs to the prediction.
    let exactError = Double(error) - Double(line.anchorFraction) / fractionScale
    let seconds = Double(frames) * Double(clock.frameDuration) / fractionScale / 1_000_000_000
    // A gap without stamps teaches no more than one step does.
    learnedSeconds += min64(seconds, 0.1)
    let bandwidth = currentBandwidth
    // Half a radian per step at most: beyond it a second-order loop starts to ring.
    let omega = min64(2 * Double.pi * bandwidth * seconds, 0.5)

    // A single wild stamp (a wake-up that came late where the stamp is just "now") must not move
    // the line; a lasting shift widens the limit within a few observations and gets through.
    let limit = 5 * jitterNanoseconds + 1_000
    let taken = exactError > limit ? limit : (exactError < -limit ? -limit : exactError)
    let size = exactError < 0 ? -exactError : exactError
    jitterNanoseconds += (size - jitterNanoseconds) / 64

    line.move(byNanoseconds: 1.414_213_562_373_095_1 * omega * taken)
    let slope = omega * omega * taken / Double(frames)
    line.frameDuration = bounded(line.frameDuration &+ Int64(slope * fractionScale))
    // A break ends on a whole frame, half of one off at most, judged by one stamp, which may be
    // four mean errors off and belongs to a position that is cut to whole frames.
    let frameLength = Double(line.frameDuration) / fractionScale
    line.uncertaintyNanoseconds = Int64(1.5 * frameLength + 4 * jitterNanoseconds)
    // The slope's own error is about the jitter times the loop's radian frequency; 500 ppb is how
    // far a warm crystal wanders.
    let slopeError = 2 * Double.pi * bandwidth * jitterNanoseconds
    line.uncertaintyPPB = 500 &+ Int64(slopeError < 1e9 ? slopeError : 1e9)
    clock = line
    return error
  }

  /// The bandwidth in force, in Hz.
  public var currentBandwidth: Double {
    @_noAllocation @_noLocks get {
      // 4 / n is the phase gain of a line fitted through n stamps; sqrt 2 * 2 pi * B * t / n
      // equals it for B = 0.45 / t.
      let fitted =
        learnedSeconds > 0.225 ? 0.45 / learnedSeconds : DelayLockedLoop.widestHz
      return fitted > bandwidthHz ? fitted : bandwidthHz
    }
  }

  /// A real card is within 0.1 % of its rate; 2 % leaves room for virtual ones.
  @_noAllocation @_noLocks
  private func bounded(_ duration: Int64) -> Int64 {
    let nominal = FrameClock.nominalDuration(framesPerSecond: clock.framesPerSecond)
    let room = nominal / 50
    if duration > nominal + room { return nominal + room }
    if duration < nominal - room { return nominal - room }
    return duration
  }
}

/// 2^40: FrameClock's fixed point.
private var fractionScale: Double { @_noAllocation @_noLocks get { 1_099_511_627_776 } }

@_noAllocation @_noLocks
private func abs64(_ value: Int64) -> Int64 { value < 0 ? 0 &- value : value }

@_noAllocation @_noLocks
private func min64(_ left: Double, _ right: Double) -> Double { left < right ? left : right }

extension FrameClock {
  /// Shifts the line in time; less than a second.
  @_noAllocation @_noLocks
  fileprivate mutating func move(byNanoseconds shift: Double) {
    let whole = Int64(shift)
    let part = Int64((shift - Double(whole)) * fractionScale)
    let fraction = anchorFraction &+ part
    // Arithmetic shift and mask bring a negative fraction back into 0 ..< 2^40.
    anchorTime = anchorTime.advanced(byNanoseconds: whole &+ (fraction >> 40))
    anchorFraction = fraction & ((Int64(1) << 40) - 1)
  }
}
