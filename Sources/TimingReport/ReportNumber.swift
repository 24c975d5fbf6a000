import Glibc

/// Numbers for people.
enum ReportNumber {
  /// With so many decimals, rounded half away from zero.
  static func text(_ value: Double, _ decimals: Int) -> String {
    guard value.isFinite, abs(value) < 1e12 else { return "-" }
    let scale = pow(10, Double(decimals))
    let whole = Int64((abs(value) * scale).rounded())
    let sign = value < 0 && whole > 0 ? "-" : ""
    guard decimals > 0 else { return "\(sign)\(whole)" }
    let fraction = "\(whole % Int64(scale))"
    let zeros = String(repeating: "0", count: decimals - fraction.count)
    return "\(sign)\(whole / Int64(scale)).\(zeros)\(fraction)"
  }

  /// Always with its sign: late is `+`.
  static func signed(_ value: Double, _ decimals: Int) -> String {
    let text = text(value, decimals)
    return text.hasPrefix("-") ? text : "+\(text)"
  }

  static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}
