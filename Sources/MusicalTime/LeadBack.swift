/// Leads our beats to a leader's by a tempo that is a little off: from one side, without a jump,
/// anew at each beat.
///
/// - Thread: control
public struct LeadBack: Equatable, Sendable {
  /// Nanoseconds that our beats may be off before they are led: what the leader's line wavers by must
  /// not be heard. It ends within `near`.
  let tolerance: Double
  let near: Double
  /// A small difference bends the tempo by this share at the most.
  let mostCreeping: Double
  /// The tempo is bent by this share at the most.
  public static let most = 0.1
  /// Nanoseconds in which a difference is made up for. A small one that has crept in over minutes
  /// is made up for unheard: 1 ms in 6 s is 170 ppm, 3 us a pulse at 120.
  static let slow = 6e9
  static let fast = 0.6e9
  /// Differences above this are no creeping, in nanoseconds.
  static let small = 2e6
  /// Nanoseconds after a change of the leader in which every difference is its.
  static let afterChange = 3e9

  public private(set) var isLeading = false

  /// - Parameters:
  ///   - tolerance: nanoseconds of difference from which on our beats are led.
  ///   - near: nanoseconds of difference at which that ends.
  ///   - mostCreeping: the share by which the tempo is bent at most for what has crept in.
  public init(
    tolerance: Double = 1e6, near: Double = 0.25e6, mostCreeping: Double = LeadBack.most
  ) {
    self.tolerance = tolerance
    self.near = near
    self.mostCreeping = mostCreeping
  }

  /// The leader has changed: what is off is made up for at once.
  public mutating func leaderChanged() { isLeading = true }

  public mutating func reset() { isLeading = false }

  /// The factor of the leader's tempo to play at.
  ///
  /// - Parameters:
  ///   - error: nanoseconds by which our beats are early.
  ///   - quarter: nanoseconds of the leader's quarter.
  ///   - deviation: nanoseconds by which the error itself may be wrong.
  ///   - age: nanoseconds since the leader's last change.
  ///   - atBeat: whether it may begin and end, which it does at a beat.
  public mutating func factor(
    error: Double, quarter: Double, deviation: Double, age: Double, atBeat: Bool
  ) -> Double {
    let size = abs(error)
    if atBeat {
      if isLeading {
        isLeading = size >= max(near, 1.5 * deviation)
      } else {
        isLeading = size > max(tolerance, 5 * deviation)
      }
    }
    guard isLeading else { return 1 }
    let isCreeping = size <= LeadBack.small && age > LeadBack.afterChange
    // Of what is left at least a fifth is left at the next beat: it never passes zero.
    let length = max(isCreeping ? LeadBack.slow : LeadBack.fast, 1.25 * quarter)
    let most = isCreeping ? mostCreeping : LeadBack.most
    return 1 - min(max(error / length, -most), most)
  }
}
