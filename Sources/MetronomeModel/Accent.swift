/// How strongly a beat or subdivision is played.
///
/// - Thread: any
@frozen
public enum Accent: UInt8, Sendable, BitwiseCopyable, CaseIterable {
  case silent = 0
  case soft = 1
  case normal = 2
  case strong = 3

  /// The letter in a written pattern: `X` `x` `-` `.`
  public var letter: Character {
    switch self {
    case .strong: "X"
    case .normal: "x"
    case .soft: "-"
    case .silent: "."
    }
  }

  public init?(letter: Character) {
    switch letter {
    case "X": self = .strong
    case "x": self = .normal
    case "-": self = .soft
    case ".": self = .silent
    default: return nil
    }
  }

  public var name: String {
    switch self {
    case .strong: "strong"
    case .normal: "normal"
    case .soft: "soft"
    case .silent: "silent"
    }
  }
}
