/// Sine, cosine and exponential from + - x / alone.
///
/// The mathematics library chooses its variant by the processor, and variants differ in the last
/// bit; a sound made from these is the same bytes on every machine.
///
/// - Thread: any
enum WaveArithmetic {
  static let twoPi = 6.283185307179586

  /// cos(2 pi x).
  static func cosine(turns x: Double) -> Double {
    let y = twoPi * (x - (x + 0.5).rounded(.down))
    // |y| <= pi, so the first term left out is below pi^30 / 30! = 3e-18.
    return evenSeries(y * y)
  }

  /// sin(2 pi x).
  static func sine(turns x: Double) -> Double { cosine(turns: x - 0.25) }

  /// e^x for |x| up to about 2.
  static func exponential(_ x: Double) -> Double {
    var sum = 1.0
    var term = 1.0
    for n in 1...30 {
      term = term * x / Double(n)
      sum += term
    }
    return sum
  }

  /// The frequency ratio of a distance in semitones.
  static func ratio(semitones: Double) -> Double {
    exponential(semitones / 12 * 0.6931471805599453)
  }

  /// 10^(dB / 20); silence for minus infinity.
  static func gain(decibels: Double) -> Double {
    guard decibels > -200 else { return 0 }
    // ln(10) / 20; a sixteenth of it, so that the series stays in its range, then squared four
    // times.
    var gain = exponential(decibels * 0.11512925464970229 / 16)
    for _ in 0..<4 { gain *= gain }
    return gain
  }

  private static func evenSeries(_ square: Double) -> Double {
    var sum = 1.0
    var term = 1.0
    for n in 1...15 {
      term = -term * square / Double((2 * n - 1) * (2 * n))
      sum += term
    }
    return sum
  }
}
