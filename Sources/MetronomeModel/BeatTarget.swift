/// A program that is told about changes without having asked.
///
/// - Thread: any
public struct FeedbackTarget: Equatable, Sendable {
  public var host: String
  /// 1 to 65535.
  public var port: Int
  public var topics: Set<Topic>

  public enum Topic: String, Equatable, Sendable, CaseIterable {
    case beat, sub, state
  }

  public init(host: String, port: Int, topics: Set<Topic> = [.state]) {
    self.host = host
    self.port = port
    self.topics = topics
  }
}

/// Something that only takes a number and pulses on the beat: a lamp desk, a tablet, a gate.
///
/// Messages leave at the due instant plus the target's own offset, never ahead.
///
/// - Thread: any
public struct BeatTarget: Equatable, Sendable {
  public var host: String
  /// 1 to 65535.
  public var port: Int
  public var profile: Profile
  /// Milliseconds after the click; negative is earlier.
  public var offsetMilliseconds: Double
  /// Whether the beats of muted bars are sent as well.
  public var includesMutedBars: Bool
  /// The least accent that is sent.
  public var leastAccent: Accent

  public enum Profile: Equatable, Sendable {
    /// 1.0 on the beat and 0.0 after so many milliseconds.
    case gate(address: String, milliseconds: Double)
    /// The place in the beat, 0 to 1, so many times a second.
    case phase(address: String, perSecond: Double)
    /// A gate with an address for each beat: `{beat}` in it is the beat's number.
    case perBeat(address: String, milliseconds: Double)
    /// `address channel note velocity`, and velocity 0 after so many milliseconds.
    case notes(address: String, channel: Int, milliseconds: Double)
    /// Any message: `{bar}`, `{beat}`, `{beats}`, `{bpm}`, `{accent}` in the address or alone as an
    /// argument.
    case template(address: String, arguments: [CommandArgument])
  }

  public init(
    host: String, port: Int, profile: Profile, offsetMilliseconds: Double = 0,
    includesMutedBars: Bool = false, leastAccent: Accent = .silent
  ) {
    self.host = host
    self.port = port
    self.profile = profile
    self.offsetMilliseconds = offsetMilliseconds
    self.includesMutedBars = includesMutedBars
    self.leastAccent = leastAccent
  }
}
