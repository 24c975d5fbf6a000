public import CommandLineOptions

/// One thing that `tactus` can do.
///
/// - Thread: any
public struct Subcommand: Sendable {
  /// As it is typed: `render`, `osc list`.
  public let name: String
  public let parser: OptionParser
  /// Help about the words that follow, where there is more than the command's own.
  let helpAbout: @Sendable ([String], Int) -> String?
  /// - Returns: the exit code.
  let run: @Sendable (ParsedOptions, Console) throws(CommandFailure) -> Int32

  init(
    _ name: String, _ parser: OptionParser,
    helpAbout: @escaping @Sendable ([String], Int) -> String? = { _, _ in nil },
    run: @escaping @Sendable (ParsedOptions, Console) throws(CommandFailure) -> Int32
  ) {
    self.name = name
    self.parser = parser
    self.helpAbout = helpAbout
    self.run = run
  }
}

/// Why a command ends with another code than 0.
///
/// - Thread: any
public struct CommandFailure: Error, Equatable, Sendable {
  public var code: Int32
  /// Names the thing, the value, what is allowed and the way out.
  public var reason: String

  public init(_ code: ExitCode, _ reason: String) {
    self.code = code.code
    self.reason = reason
  }

  /// A malformed argument or option.
  init(_ error: OptionError) { self.init(.misused, error.description) }
}

extension ExitCode {
  /// Nobody answered within the time given.
  static let noAnswer = ExitCode(4, "Nobody answered: is tactusd running, and at that address?")
}
