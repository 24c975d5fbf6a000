import Glibc

/// Amplitudes and decibels.
public enum DecibelLaw {
  public static func gain(_ decibels: Double) -> Double { pow(10, decibels / 20) }

  /// -infinity for silence.
  public static func decibels(_ gain: Double) -> Double { 20 * log10(gain) }
}
