// The only functions of libm that the audio thread may reach: pure, without allocation, locks or
// system calls, and declared so for the compiler's real-time checks.

@_noAllocation @_noLocks @_extern(c, "sqrt")
private func libmSqrt(_ x: Double) -> Double

@_noAllocation @_noLocks @_extern(c, "log1p")
private func libmLog1p(_ x: Double) -> Double

/// Leaves of libm that are safe on the audio thread.
///
/// - Thread: any
public enum RealtimeMath {
  @_noAllocation @_noLocks
  public static func squareRoot(_ x: Double) -> Double { libmSqrt(x) }

  /// ln(1 + x), accurate for small x.
  @_noAllocation @_noLocks
  public static func logOnePlus(_ x: Double) -> Double { libmLog1p(x) }
}
