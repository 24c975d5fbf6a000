/// Tells a change of the leader from its jitter: a cumulated sum (CUSUM) of the errors in each
/// direction.
///
/// - Thread: control
struct ChangeDetector: Sendable {
  /// Errors up to this many deviations are jitter.
  static let allowance = 1.0
  /// One pulse counts no more than this: three at least are a change.
  static let most = 5.0
  /// With errors that are normally distributed a false alarm comes about once in e^(2 x 9) pulses
  /// over two: 32 million, eight days at 120.
  static let alarm = 9.0

  private var late = 0.0
  private var early = 0.0
  private var lateRun = 0
  private var earlyRun = 0

  /// Takes in an error, in deviations; late is positive.
  ///
  /// - Returns: how many pulses ago the leader changed, once that is certain.
  mutating func add(_ error: Double) -> Int? {
    let error = min(max(error, -ChangeDetector.most), ChangeDetector.most)
    late = max(0, late + error - ChangeDetector.allowance)
    early = max(0, early - error - ChangeDetector.allowance)
    lateRun = late > 0 ? lateRun + 1 : 0
    earlyRun = early > 0 ? earlyRun + 1 : 0
    if late > ChangeDetector.alarm { return max(lateRun, 3) }
    if early > ChangeDetector.alarm { return max(earlyRun, 3) }
    return nil
  }
}
