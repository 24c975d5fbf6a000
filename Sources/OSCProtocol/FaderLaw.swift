internal import Glibc
internal import MetronomeModel

/// What a fader's place means: gain is its cube, so that the upper half is where one plays.
///
/// - Thread: any
public enum FaderLaw {
  /// Decibels of a fader from 0 to 1: 20 log10(x^3); 0 is silence, as is what lies below the
  /// quietest level.
  public static func decibels(fader: Double) -> Double {
    guard fader > 0 else { return -.infinity }
    let decibels = 60 * log10(min(fader, 1))
    return decibels < Limits.gainDecibels.lowerBound ? -.infinity : decibels
  }

  /// The fader's place for a level in decibels.
  public static func fader(decibels: Double) -> Double {
    decibels == -.infinity ? 0 : pow(10, min(decibels, 0) / 60)
  }
}
