/// How long a quarter note lasts, as MIDI files and other programs say it.
///
/// Whole microseconds are exact. The finer grid of 1/256 us is for the mean of a beat within which
/// a file changes its tempo: rounding to it costs 2 ns a quarter, and who adds such lengths can
/// carry that along.
///
/// - Unit: 1/256 us; 999 to 5 quarters a minute are 60 060 to 12 000 000 us.
/// - Thread: any
@frozen
public struct QuarterLength: Hashable, Sendable, BitwiseCopyable {
  public let microseconds256: UInt32

  public init(microseconds256: UInt32) { self.microseconds256 = microseconds256 }

  /// - Returns: nil where it is not above 0 or passes 32 bits, 16 s.
  public init?(microseconds: Int) {
    guard microseconds > 0, microseconds < 1 << 24 else { return nil }
    microseconds256 = UInt32(microseconds) * 256
  }

  public var microseconds: Double { Double(microseconds256) / 256 }

  /// Whether it is a whole number of microseconds, which a MIDI file can say.
  public var isWhole: Bool { microseconds256 % 256 == 0 }

  /// The tempo that people would call it: of all tempos whose quarter rounds to these microseconds
  /// the one with the fewest decimals, of those the nearest.
  ///
  /// 205 479 us are 292.0006 a minute, and so is what a file makes of 292: it is shown as 292.
  ///
  /// - Unit: thousandths of a quarter note a minute; nil where none is in 5 to 999.
  public var shownThousandths: Int32? {
    guard microseconds256 > 0 else { return nil }
    let length = Int64(microseconds256)
    // 60 000 000 us x 256 x 1000.
    let minute: Int64 = 15_360_000_000_000
    let nearest = (2 * minute + length) / (2 * length)
    // Half a microsecond is 128 of 256: tempos in minute / (length + 128) ... minute / (length - 128).
    let least = (minute + length + 127) / (length + 128)
    let greatest = length > 128 ? minute / (length - 128) : Int64.max
    var best = nearest
    if isWhole, nearest <= 1_000_000 {
      for step in [1_000, 100, 10, 1] as [Int64] {
        let first = (least + step - 1) / step * step
        let candidates = stride(from: first, through: greatest, by: Int(step))
        guard
          let found = candidates.min(by: {
            abs($0 * length - minute) < abs($1 * length - minute)
          })
        else { continue }
        best = found
        break
      }
    }
    return Tempo.quarterThousandthsRange.contains(best) ? Int32(best) : nil
  }
}

extension Tempo {
  /// A tempo of an exact length; where that is a whole number of thousandths it is that tempo.
  ///
  /// - Returns: nil where it is not 5 to 999 quarters a minute.
  public init?(_ length: QuarterLength) {
    guard let shown = length.shownThousandths else { return nil }
    let product = Int64(shown) * Int64(length.microseconds256)
    self =
      product == 15_360_000_000_000
      ? Tempo(unchecked: shown, unit: .quarter)
      : Tempo(shown: shown, exactLength: length.microseconds256)
  }

  /// A tempo of an exact length that is shown as another one: as somebody asked for it, where the
  /// length is what became of that.
  ///
  /// - Parameter thousandths: of a quarter note a minute.
  /// - Returns: nil where either is not 5 to 999 quarters a minute.
  public init?(_ length: QuarterLength, shown thousandths: Int32) {
    // 60 000 000 us x 256, over 999 and over 5, and a tenth more for what leads back to such a tempo.
    guard (13_800_000...3_400_000_000).contains(length.microseconds256),
      Tempo.quarterThousandthsRange.contains(Int64(thousandths))
    else { return nil }
    let product = Int64(thousandths) * Int64(length.microseconds256)
    self =
      product == 15_360_000_000_000
      ? Tempo(unchecked: thousandths, unit: .quarter)
      : Tempo(shown: thousandths, exactLength: length.microseconds256)
  }

  /// The exact length of a quarter where the tempo was given as one.
  public var length: QuarterLength? {
    exactLength > 0 ? QuarterLength(microseconds256: exactLength) : nil
  }

  /// The exact microseconds of a quarter note as a fraction.
  public var microsecondsPerQuarter: (numerator: Int64, denominator: Int64) {
    // 60 000 000 us a minute, over thousandths.
    exactLength > 0
      ? (Int64(exactLength), 256)
      : (60_000_000_000 * quarterDenominator, quarterNumerator)
  }
}
