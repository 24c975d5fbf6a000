/// Whose MIDI clock is followed.
///
/// - Thread: any
public enum FollowSource: Equatable, Sendable, CustomStringConvertible {
  case off
  /// What others connect to our port `Sync`.
  case connected
  /// Also what has this name, connected by us: `Client`, `Client:Port`, as for clock ports.
  case named(String)

  /// Reads `off`, `on` or a name.
  public init(text: String) {
    switch text.lowercased() {
    case "off", "": self = .off
    case "on": self = .connected
    default: self = .named(text)
    }
  }

  /// As it is read.
  public var description: String {
    switch self {
    case .off: "off"
    case .connected: "on"
    case .named(let name): name
    }
  }
}
