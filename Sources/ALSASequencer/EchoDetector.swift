public import MusicalTime

/// Notices that the pulses which arrive at an input are our own.
///
/// That a clock stays a few milliseconds behind ours proves nothing: one that we follow does, and
/// so does another crystal at our tempo. Ours is what goes along when our tempo is changed on
/// purpose: by anyone while we follow nobody, and by a person while we follow.
///
/// - Thread: control
public struct EchoDetector: Sendable {
  /// A loop through USB and a device's soft thru takes 1 to 3 ms.
  public static let window: Int64 = 4_000_000
  /// Pulses whose mean delay is compared: a loop through USB jitters by half a millisecond.
  static let block = 24
  /// Nanoseconds by which the mean delay of an echo may differ.
  static let spread = 500_000.0
  /// Nanoseconds by which ours must have moved against the line of its old tempo: what another
  /// clock cannot have done by itself in the same time and to half a millisecond.
  static let moved = 4_000_000.0
  /// Nanoseconds in which that must be: slower changes are two crystals.
  static let patience: Int64 = 15_000_000_000

  /// The mean of a block of pulses.
  private struct Block: Sendable {
    var delay = 0.0
    var firstSent = MonotonicTime.distantPast
    var lastSent = MonotonicTime.distantPast
    var lastPulse: Int64 = 0
    /// Whether our tempo was changed on purpose since.
    var isBeforeChange = false
    /// Nanoseconds a pulse of ours.
    var interval = 0.0
  }

  private var anchor: Block?
  private var current = Block()
  private var count = 0
  private var hasReported = false
  private var lastPulses: Int64 = -1

  public init() {}

  /// Takes in that an F8 has arrived.
  ///
  /// - Parameters:
  ///   - lastSent: when our newest pulse left; `pulses` is how many had.
  ///   - isFollowing: whether our tempo is another's, so that its changes prove nothing.
  /// - Returns: true once, when it is certain.
  public mutating func observe(
    arrival: MonotonicTime, lastSent: MonotonicTime, pulses: Int64, isFollowing: Bool
  ) -> Bool {
    let delay = arrival.nanoseconds(since: lastSent)
    // Each of our pulses may come back once; a second arrival after it is another's.
    let isAnothers = pulses == lastPulses
    lastPulses = pulses
    guard delay >= 0, delay <= EchoDetector.window, !isAnothers else {
      anchor = nil
      count = 0
      return false
    }
    if count == 0 { current = Block(firstSent: lastSent) }
    current.delay += Double(delay) / Double(EchoDetector.block)
    count += 1
    guard count == EchoDetector.block else { return false }
    count = 0
    current.interval =
      Double(lastSent.nanoseconds(since: current.firstSent)) / Double(EchoDetector.block - 1)
    current.lastSent = lastSent
    current.lastPulse = pulses
    guard let anchor, lastSent.nanoseconds(since: anchor.lastSent) < EchoDetector.patience,
      abs(current.delay - anchor.delay) <= EchoDetector.spread
    else {
      anchor = current
      return false
    }
    guard !isFollowing || anchor.isBeforeChange else { return false }
    let expected = Double(pulses &- anchor.lastPulse) * anchor.interval
    let passed = Double(lastSent.nanoseconds(since: anchor.lastSent))
    guard abs(passed - expected) >= EchoDetector.moved, !hasReported else { return false }
    hasReported = true
    return true
  }

  /// A person has changed our tempo.
  public mutating func tempoWasChanged() { anchor?.isBeforeChange = true }

  /// The loop may have been broken: it may be told again.
  public mutating func reset() { self = EchoDetector() }
}
