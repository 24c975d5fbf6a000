internal import OSCProtocol
public import OSCWire
public import MetronomeModel

/// A lamp desk, a tablet or anything else that takes numbers at the instant of the beat.
///
/// - Thread: any
public struct ProfileTarget: Equatable, Sendable {
  public var address: SocketAddress
  public var profile: BeatProfile
  /// Nanoseconds after (before, with a minus) the instant at which the click is heard.
  public var offsetNanoseconds: Int64
  /// Whether muted bars are shown too; they are not, as a rule: that is the exercise.
  public var showsMutedBars: Bool

  /// The least accent that is shown.
  public var leastAccent: Accent

  public init(
    address: SocketAddress, profile: BeatProfile, offsetNanoseconds: Int64 = 0,
    showsMutedBars: Bool = false, leastAccent: Accent = .silent
  ) {
    self.address = address
    self.profile = profile
    self.offsetNanoseconds = offsetNanoseconds
    self.showsMutedBars = showsMutedBars
    self.leastAccent = leastAccent
  }

  func plays(_ beat: BeatMessage) -> Bool {
    (showsMutedBars || beat.flags & 1 == 0) && beat.accent >= Int32(leastAccent.rawValue)
  }
}
