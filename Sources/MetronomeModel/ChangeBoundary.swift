/// The kind of place at which a change may land.
///
/// - Thread: any
@frozen
public enum ChangeBoundary: UInt8, Sendable, BitwiseCopyable, CaseIterable {
  /// The next clock pulse: what a person calls now.
  case now
  case beat
  case bar

  public var name: String {
    switch self {
    case .now: "now"
    case .beat: "beat"
    case .bar: "bar"
    }
  }

  public init?(name: some StringProtocol) {
    switch name {
    case "now", "pulse": self = .now
    case "beat": self = .beat
    case "bar": self = .bar
    default: return nil
    }
  }
}
