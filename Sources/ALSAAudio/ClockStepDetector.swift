/// Tells a jump of a card's position from the jitter of its stamps.
///
/// A sound server moves a stream to another sink, or lets it stand for a while, without an error:
/// from then on every stamp is off by the same amount. Taken in as jitter, that would bend the clock
/// and with it every pulse. So what is far off is held back, and several such stamps that agree are
/// a break.
///
/// - Thread: audio; free of allocation and locks.
struct ClockStepDetector: BitwiseCopyable {
  enum Verdict: Equatable {
    /// An ordinary stamp.
    case steady
    /// Far off, but not often enough to be more than a wild stamp.
    case doubtful
    /// The position has jumped.
    case step
  }

  private var first: Int64 = 0
  private var count = 0

  /// The least error that is a jump, in nanoseconds: three times what a kernel tick of 4 ms leaves
  /// after smoothing, and less than a musician hears as a flam.
  private static var leastNanoseconds: Int64 { @_noAllocation @_noLocks get { 3_000_000 } }
  /// Stamps in a row that must agree; at 10 ms and more between them a tenth of a second or so.
  private static var needed: Int { @_noAllocation @_noLocks get { 5 } }

  @_noAllocation @_noLocks
  init() {}

  /// - Parameters:
  ///   - errorNanoseconds: of the clock's prediction; positive when the frame came late.
  ///   - jitterNanoseconds: what is usual.
  @_noAllocation @_noLocks
  mutating func take(errorNanoseconds error: Int64, jitterNanoseconds: Double) -> Verdict {
    let usual = jitterNanoseconds < 50_000_000 ? Int64(8 * jitterNanoseconds) : 400_000_000
    let least = ClockStepDetector.leastNanoseconds
    let limit = usual > least ? usual : least
    guard error > limit || error < 0 &- limit else {
      count = 0
      return .steady
    }
    let distance = error &- first
    if count > 0, distance < limit / 2, distance > 0 &- limit / 2 {
      count += 1
    } else {
      first = error
      count = 1
    }
    guard count >= ClockStepDetector.needed else { return .doubtful }
    count = 0
    return .step
  }
}
