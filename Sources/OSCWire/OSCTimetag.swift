/// An NTP time stamp: seconds since 1900-01-01 in 32.32 bits; 1 means immediately.
///
/// - Unit: 2^-32 s, wall clock
/// - Thread: any
public struct OSCTimetag: Hashable, Comparable, Sendable, CustomStringConvertible {
  public var rawValue: UInt64

  public static let immediately = OSCTimetag(rawValue: 1)

  public init(rawValue: UInt64) { self.rawValue = rawValue }

  // 70 years with 17 leap days lie between the NTP and the Unix epoch:
  // (70 x 365 + 17) x 86400 = 2208988800 s.
  static let epochSeconds: UInt64 = 2_208_988_800

  /// An instant of the wall clock, in nanoseconds since 1970; rounded to the nearest 2^-32 s.
  ///
  /// Seconds wrap in 2036 (NTP era 1), as the standard has it.
  public init(wallNanoseconds: Int64) {
    let nanoseconds = max(wallNanoseconds, 0)
    let seconds = UInt64(nanoseconds / 1_000_000_000) &+ OSCTimetag.epochSeconds
    let rest = UInt64(nanoseconds % 1_000_000_000)
    // At most (1e9 - 1) x 2^32 + 5e8, which is below 2^62.
    let fraction = ((rest << 32) + 500_000_000) / 1_000_000_000
    rawValue = ((seconds << 32) &+ fraction) & UInt64.max
  }

  /// Nanoseconds since 1970 on the wall clock, rounded to the nearest; the NTP era is the one that
  /// lies nearest to now: below 1968 it is taken as era 1 (2036 to 2104).
  public var wallNanoseconds: Int64 {
    var seconds = Int64(rawValue >> 32)
    if seconds < 0x8000_0000 { seconds += 0x1_0000_0000 }
    let fraction = rawValue & 0xFFFF_FFFF
    let nanoseconds = Int64((fraction * 1_000_000_000 + 0x8000_0000) >> 32)
    return (seconds - Int64(OSCTimetag.epochSeconds)) * 1_000_000_000 + nanoseconds
  }

  public static func < (left: OSCTimetag, right: OSCTimetag) -> Bool {
    left.wallNanoseconds < right.wallNanoseconds
  }

  public var description: String {
    guard self != .immediately else { return "immediately" }
    let nanoseconds = wallNanoseconds
    let fraction = String(abs(nanoseconds) % 1_000_000_000 + 1_000_000_000).dropFirst()
    return "\(nanoseconds / 1_000_000_000).\(fraction)"
  }
}
