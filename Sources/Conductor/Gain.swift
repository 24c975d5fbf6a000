import Glibc

/// Levels as the engine multiplies with them.
///
/// - Unit: decibels in, linear gain out
/// - Thread: control
public enum Gain {
  /// 10^(dB/20); minus infinity is silence.
  public static func linear(decibels: Double) -> Float {
    guard decibels > -.infinity else { return 0 }
    return Float(pow(10, decibels / 20))
  }
}
