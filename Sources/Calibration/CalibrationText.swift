import Glibc

/// Numbers for people.
enum CalibrationText {
  /// With so many decimals, rounded half away from zero; `-` where it is not finite.
  static func number(_ value: Double, _ decimals: Int) -> String {
    guard value.isFinite, abs(value) < 1e15 else { return "-" }
    let scale = pow(10, Double(decimals))
    let whole = (abs(value) * scale).rounded()
    let sign = value < 0 && whole > 0 ? "-" : ""
    let integer = Int64(whole / scale)
    guard decimals > 0 else { return "\(sign)\(Int64(whole))" }
    let fraction = "\(Int64(whole) - integer * Int64(scale))"
    let zeros = String(repeating: "0", count: decimals - fraction.count)
    return "\(sign)\(integer).\(zeros)\(fraction)"
  }
}
