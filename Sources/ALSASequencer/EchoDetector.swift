public import MusicalTime

/// Notices that the pulses which arrive at an input are our own.
///
/// A pulse of ours that comes back does so a few milliseconds after it has left, and always the
/// same few; another clock near our tempo drifts through.
///
/// - Thread: control
public struct EchoDetector: Sendable {
  /// A loop through USB and a device's soft thru takes 1 to 3 ms.
  public static let window: Int64 = 4_000_000
  /// The jitter of a loop through USB. A clock that is a thousandth off drifts by this in 48
  /// pulses at 120.
  public static let spread: Int64 = 1_000_000
  /// A bar of 4/4.
  public static let enough = 96

  private var inARow = 0
  private var shortest: Int64 = 0
  private var longest: Int64 = 0
  private var hasReported = false
  private var lastPulses: Int64 = -1

  public init() {}

  /// Takes in that an F8 has arrived.
  ///
  /// - Parameters:
  ///   - lastSent: when our newest pulse left; `pulses` is how many had.
  /// - Returns: true once, when it is certain.
  public mutating func observe(
    arrival: MonotonicTime, lastSent: MonotonicTime, pulses: Int64
  ) -> Bool {
    let delay = arrival.nanoseconds(since: lastSent)
    // Each of our pulses may come back once; a second arrival after it is another's.
    let isAnothers = pulses == lastPulses
    lastPulses = pulses
    guard delay >= 0, delay <= EchoDetector.window, !isAnothers else {
      inARow = 0
      return false
    }
    shortest = inARow == 0 ? delay : min(shortest, delay)
    longest = inARow == 0 ? delay : max(longest, delay)
    inARow += 1
    guard longest - shortest <= EchoDetector.spread else {
      inARow = 0
      return false
    }
    guard inARow >= EchoDetector.enough, !hasReported else { return false }
    hasReported = true
    return true
  }

  /// The loop may have been broken: it may be told again.
  public mutating func reset() { self = EchoDetector() }
}
