import Glibc

/// The sweep that measures latency: x(t) = A sin^2(pi t/T) sin(2 pi 2000 T/ln 3 (3^(t/T) - 1)),
/// logarithmic from 2 to 6 kHz in T = 20 ms.
///
/// Its energy lies where small loudspeakers, headphones and their codecs are at their best, and
/// the window keeps the side lobes of its autocorrelation low.
///
/// - Thread: any
public enum Sweep {
  public static let seconds = 0.02
  /// Hertz at its two ends.
  public static let lowestHertz = 2_000.0
  public static let highestHertz = 6_000.0
  /// Peak of the loudest one: people wear these headphones.
  public static let loudest = 0.8

  /// Its value at an instant, for an amplitude of 1; 0 outside.
  public static func value(at second: Double) -> Double {
    guard second > 0, second < seconds else { return 0 }
    let share = second / seconds
    let window = sin(Double.pi * share)
    let ratio = highestHertz / lowestHertz
    let turns = lowestHertz * seconds / log(ratio) * (pow(ratio, share) - 1)
    return window * window * sin(2 * Double.pi * turns)
  }

  /// Its samples, for an amplitude of 1.
  ///
  /// - Parameter rate: frames a second.
  public static func samples(rate: Double) -> [Float] {
    (0..<Int((seconds * rate).rounded(.up))).map { Float(value(at: Double($0) / rate)) }
  }

  /// Seconds by which a sweep that is stretched by 1 correlates best late: where a stretch d is
  /// small, the phases differ least at d (T/2 + T/ln 3), for the instantaneous frequency f of a
  /// logarithmic sweep has f/f' = T/ln 3 everywhere.
  public static let stretchLagSeconds =
    seconds / 2 + seconds / log(highestHertz / lowestHertz)
}
