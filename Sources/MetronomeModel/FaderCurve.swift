import Glibc

/// A fader's travel, its gain and its decibels.
///
/// The gain is the cube of the position, so that half way down is about -18 dB: close to what a
/// mixer's fader does, and silent at its end.
///
/// - Unit: position 0 to 1; gain 0 to 1, linear; decibels of full gain
/// - Thread: any but the audio thread
public enum FaderCurve {
  /// Positions are clamped to 0 to 1; what lies under the lowest legal level is silence.
  public static func decibels(position: Double) -> Double {
    guard position > 0 else { return -.infinity }
    let decibels = 60 * log10(min(position, 1))
    return decibels < Limits.gainDecibels.lowerBound ? -.infinity : decibels
  }

  /// The position that gives a level; 0 for silence.
  public static func position(decibels: Double) -> Double {
    guard decibels > -.infinity else { return 0 }
    return min(max(pow(10, decibels / 60), 0), 1)
  }

  public static func gain(decibels: Double) -> Float {
    guard decibels > -.infinity else { return 0 }
    return Float(pow(10, decibels / 20))
  }
}
