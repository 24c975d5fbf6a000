/// The closed forms of a continuous ramp; nothing is stepped or added up.
///
/// With a and b the quarter tempos at either end, in quarters a second:
/// - linear in time over T seconds, position q(t) = a t + (b - a) t^2 / 2T, so
///   t(q) = 2 q / (a + sqrt(a^2 + 2 (b - a) q / T)), a form without cancellation;
/// - linear in score position over L quarters, t(q) = L / (b - a) x ln(1 + (b - a) q / (a L)).
///
/// - Unit: seconds, ticks; tempos in thousandths
/// - Thread: any; free of allocation and locks.
enum Glide {
  @_noAllocation @_noLocks
  static func quarters(_ ticks: Int64) -> Double {
    Double(ticks) / Double(ScorePosition.ticksPerQuarter)
  }

  @_noAllocation @_noLocks
  static func quartersPerSecond(_ tempo: Tempo) -> Double {
    Double(tempo.quarterNumerator) / (60_000.0 * Double(tempo.quarterDenominator))
  }

  /// Seconds from the origin to a place, for a glide that is linear in time.
  @_noAllocation @_noLocks
  static func seconds(ticks: Int64, from: Tempo, to: Tempo, overSeconds total: Double) -> Double {
    let a = quartersPerSecond(from)
    let slope = (quartersPerSecond(to) - a) / total
    let q = quarters(ticks)
    return 2 * q / (a + RealtimeMath.squareRoot(a * a + 2 * slope * q))
  }

  /// Seconds from the origin to a place, for a glide that is linear in score position.
  @_noAllocation @_noLocks
  static func seconds(ticks: Int64, from: Tempo, to: Tempo, overTicks total: Int64) -> Double {
    let a = quartersPerSecond(from)
    let difference = quartersPerSecond(to) - a
    let q = quarters(ticks)
    let slope = difference / quarters(total)
    return RealtimeMath.logOnePlus(slope * q / a) / slope
  }

  /// Where a glide over seconds ends, in ticks with a fraction: the mean tempo times the time.
  @_noAllocation @_noLocks
  static func endTicks(from: Tempo, to: Tempo, seconds: Double) -> Double {
    (quartersPerSecond(from) + quartersPerSecond(to)) / 2 * seconds
      * Double(ScorePosition.ticksPerQuarter)
  }

  @_noAllocation @_noLocks
  static func quarterThousandths(
    ticks: Int64, from: Tempo, to: Tempo, overSeconds total: Double
  ) -> Int32 {
    let fraction = seconds(ticks: ticks, from: from, to: to, overSeconds: total) / total
    return interpolate(from, to, fraction)
  }

  @_noAllocation @_noLocks
  static func quarterThousandths(
    ticks: Int64, from: Tempo, to: Tempo, overTicks total: Int64
  ) -> Int32 {
    interpolate(from, to, Double(ticks) / Double(total))
  }

  @_noAllocation @_noLocks
  private static func interpolate(_ from: Tempo, _ to: Tempo, _ fraction: Double) -> Int32 {
    let a = from.quartersPerMinute * 1000
    let b = to.quartersPerMinute * 1000
    return Int32(a + (b - a) * fraction + 0.5)
  }
}
