public import MusicalTime

/// A tempo as a session can carry it: under 20 a minute it is shown twice or four times as fast, and
/// its beats fall on every second or fourth of the session's.
///
/// - Thread: any
public struct LinkMultiple: Equatable, Sendable {
  /// Whole microseconds a quarter of the session.
  public let quarterMicroseconds: Int64
  /// Quarters of the session for each of ours: 1, 2 or 4.
  public let factor: Int64

  public init(_ tempo: Tempo) { self.init(tempo.microsecondsPerQuarter) }

  /// Of a tempo as events carry it, in thousandths of a quarter note a minute.
  public init(quarterThousandths: Int32) {
    self.init((60_000_000_000, Int64(max(quarterThousandths, 5_000))))
  }

  private init(_ exact: (numerator: Int64, denominator: Int64)) {
    var factor: Int64 = 1
    while factor < 4, LinkMultiple.rounded(exact, factor) > LinkBeat.lengths.upperBound {
      factor *= 2
    }
    self.factor = factor
    quarterMicroseconds = min(
      max(LinkMultiple.rounded(exact, factor), LinkBeat.lengths.lowerBound),
      LinkBeat.lengths.upperBound)
  }

  private static func rounded(
    _ exact: (numerator: Int64, denominator: Int64), _ factor: Int64
  ) -> Int64 {
    (2 * exact.numerator + exact.denominator * factor) / (2 * exact.denominator * factor)
  }
}
