import Glibc

/// Amplitudes and decibels.
enum DecibelLaw {
  static func gain(_ decibels: Double) -> Double { pow(10, decibels / 20) }

  /// -infinity for silence.
  static func decibels(_ gain: Double) -> Double { 20 * log10(gain) }
}
