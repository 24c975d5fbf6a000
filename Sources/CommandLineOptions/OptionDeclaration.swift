/// One option that a program understands.
///
/// - Thread: any
public struct OptionDeclaration: Equatable, Sendable {
  /// Without the dashes: `osc-port`.
  public let name: String
  /// A single letter that means the same, as in `-h`.
  public let letter: Character?
  /// What stands for the value in the help, `PORT`; nil for a switch, which takes none.
  public let placeholder: String?
  public let help: String
  public let isRepeatable: Bool
  /// Whether the value may be left out.
  public let mayStandAlone: Bool
  /// The heading under which the help lists it.
  public let group: String

  private init(
    name: String, letter: Character?, placeholder: String?, help: String, isRepeatable: Bool,
    mayStandAlone: Bool = false, group: String
  ) {
    self.mayStandAlone = mayStandAlone
    self.name = name
    self.letter = letter
    self.placeholder = placeholder
    self.help = help
    self.isRepeatable = isRepeatable
    self.group = group
  }

  /// An option that takes a value: `--name VALUE` or `--name=VALUE`.
  public static func value(
    _ name: String, _ placeholder: String, _ help: String, repeatable: Bool = false,
    letter: Character? = nil, group: String = "Options"
  ) -> OptionDeclaration {
    OptionDeclaration(
      name: name, letter: letter, placeholder: placeholder, help: help, isRepeatable: repeatable,
      group: group)
  }

  /// An option whose value may be left out: `--name` or `--name VALUE`.
  public static func optional(
    _ name: String, _ placeholder: String, _ help: String, group: String = "Options"
  ) -> OptionDeclaration {
    OptionDeclaration(
      name: name, letter: nil, placeholder: placeholder, help: help, isRepeatable: false,
      mayStandAlone: true, group: group)
  }

  /// An option that is there or not: `--name`.
  public static func flag(
    _ name: String, _ help: String, letter: Character? = nil, group: String = "Options"
  ) -> OptionDeclaration {
    OptionDeclaration(
      name: name, letter: letter, placeholder: nil, help: help, isRepeatable: false, group: group)
  }

  /// What every program understands.
  public static let standard: [OptionDeclaration] = [
    .flag("help", "Print this help and exit.", letter: "h"),
    .flag("version", "Print the version and exit."),
  ]
}

/// An argument known by its place.
///
/// - Thread: any
public struct PositionalDeclaration: Equatable, Sendable {
  /// As the help names it: `METER`.
  public let name: String
  public let help: String
  /// The last one may stand for any number of words.
  public let isRepeatable: Bool

  public init(_ name: String, _ help: String, repeatable: Bool = false) {
    self.name = name
    self.help = help
    isRepeatable = repeatable
  }
}

/// A number that a program ends with, and what it means.
///
/// - Thread: any
public struct ExitCode: Equatable, Sendable {
  public let code: Int32
  public let meaning: String

  public init(_ code: Int32, _ meaning: String) {
    self.code = code
    self.meaning = meaning
  }

  public static let done = ExitCode(0, "Done.")
  public static let failed = ExitCode(
    1, "What was asked for could not be done; the reason is on standard error.")
  public static let misused = ExitCode(
    2, "An argument or option is malformed, unknown or out of range.")
}
