public import MusicalTime

/// Faults put into a test clock on purpose, for people who build receivers.
///
/// Written `jitter=5%,drop=1%,double=0.5%`: jitter in per cent of the interval, each pulse moved
/// by up to that much either way; drop and double as the share of pulses. The same seed brings
/// the same faults. A value.
///
/// - Thread: any
public struct ClockPerturbation: Equatable, Sendable, BitwiseCopyable {
  /// Shares of 1. Jitter stays below half an interval, so that no pulse overtakes another.
  public var jitter: Double
  public var drop: Double
  public var double: Double
  private var state: UInt64

  public struct Problem: Error, Equatable, Sendable, CustomStringConvertible {
    public var text: String
    public var description: String {
      "--inject '\(text)': allowed are jitter=0..45%, drop=0..90% and double=0..90%, joined by commas"
    }
  }

  public init(jitter: Double = 0, drop: Double = 0, double: Double = 0, seed: UInt64 = 1) {
    self.jitter = min(max(jitter, 0), 0.45)
    self.drop = min(max(drop, 0), 0.9)
    self.double = min(max(double, 0), 0.9)
    state = seed
  }

  public init(_ text: String, seed: UInt64 = 1) throws(Problem) {
    self.init(seed: seed)
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard sides.count == 2, sides[1].hasSuffix("%"), let value = Double(sides[1].dropLast()),
        value >= 0
      else { throw Problem(text: text) }
      switch sides[0] {
      case "jitter" where value <= 45: jitter = value / 100
      case "drop" where value <= 90: drop = value / 100
      case "double" where value <= 90: double = value / 100
      default: throw Problem(text: text)
      }
    }
  }

  /// The instants at which a pulse leaves: none where it is dropped, two where it is doubled.
  public mutating func instants(
    of due: MonotonicTime, intervalNanoseconds interval: Int64
  ) -> [MonotonicTime] {
    let shifts = shifts(intervalNanoseconds: interval)
    return [shifts.first, shifts.second].compactMap { $0.map(due.advanced(byNanoseconds:)) }
  }

  /// By how much a pulse is moved: nil where it is dropped, a second where it is doubled.
  mutating func shifts(
    intervalNanoseconds interval: Int64
  ) -> (first: Int64?, second: Int64?) {
    // Drawn in any case, so that one setting does not move the other's faults.
    let moved = next()
    let dropped = next()
    let doubled = next()
    if dropped < drop { return (nil, nil) }
    let first = Int64(Double(interval) * jitter * (2 * moved - 1))
    return (first, doubled < double ? first + interval / 20 : nil)
  }

  /// SplitMix64, as a share of 1.
  private mutating func next() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
    // 2^-53
    return Double((word ^ (word >> 31)) >> 11) / 9_007_199_254_740_992
  }
}
