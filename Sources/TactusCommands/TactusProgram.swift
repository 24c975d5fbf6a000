import CommandLineOptions

/// What a person types: `tactus` and its commands.
///
/// - Thread: main
public enum TactusProgram {
  public static let commands: [Subcommand] =
    [
      ControlSubcommand.command, MonitorCommand.command, RenderCommand.command,
      OSCListCommand.command, ImportCommand.command, CompanionCommand.command, MIDICommands.ports,
      MIDICommands.measure, LearnSubcommand.command, LearnSubcommand.learned,
      LearnSubcommand.forget, CalibrateCommand.command, LayoutCommand.command,
      QRCommand.command, DoctorCommand.command, CompletionCommand.command, ManCommand.command,
      HelpCommand.command, VersionCommand.command,
    ] + CalibrationListCommands.commands + ServiceCommands.commands + ListCommands.all
    + TakeCommands.commands

  /// Runs a command line, without the program's name.
  ///
  /// - Returns: the exit code.
  public static func run(_ arguments: [String], console: Console) -> Int32 {
    let code = carryOut(arguments, console)
    guard let reason = console.outputFailure else { return code }
    console.complain("tactus: standard output: \(reason)")
    return code == ExitCode.done.code ? ExitCode.failed.code : code
  }

  private static func carryOut(_ arguments: [String], _ console: Console) -> Int32 {
    let words = arguments.prefix { !$0.hasPrefix("-") }
    guard let first = words.first else { return runWithoutCommand(arguments, console) }
    // The longest name wins: `osc list` before `osc`.
    let named = commands.filter { command in
      let name = command.name.split(separator: " ").map(String.init)
      return words.starts(with: name)
    }
    guard let command = named.max(by: { $0.name.count < $1.name.count }) else {
      return refuseUnknown(first, console)
    }
    let count = command.name.split(separator: " ").count
    return run(command, Array(arguments.dropFirst(count)), console)
  }

  private static func run(
    _ command: Subcommand, _ arguments: [String], _ console: Console
  ) -> Int32 {
    let failure: CommandFailure
    if arguments.contains(where: { $0 == "--help" || $0 == "-h" }),
      !arguments.contains("--")
    {
      let words = arguments.filter { !$0.hasPrefix("-") }
      console.write(
        command.helpAbout(words, helpWidth(console))
          ?? command.parser.helpText(width: helpWidth(console)))
      return 0
    }
    do throws(OptionError) {
      let parsed = try command.parser.parse(arguments)
      if parsed.has("version") {
        console.print("tactus \(ProgramVersion.text)")
        return 0
      }
      do throws(CommandFailure) { return try command.run(parsed, console) } catch {
        failure = error
      }
    } catch {
      failure = CommandFailure(error)
    }
    console.complain("tactus \(command.name): \(failure.reason)")
    if failure.code == ExitCode.misused.code {
      console.complain("Try 'tactus \(command.name) --help'.")
    }
    return failure.code
  }

  private static func runWithoutCommand(_ arguments: [String], _ console: Console) -> Int32 {
    switch arguments.first {
    case nil:
      console.writeError(helpText(width: helpWidth(console)))
      return ExitCode.misused.code
    case "--help", "-h":
      console.write(helpText(width: helpWidth(console)))
      return 0
    case "--version":
      console.print("tactus \(ProgramVersion.text)")
      return 0
    case let option?:
      return complain(
        OptionError.unknown(
          option,
          suggestion: NearestName.of(option, among: ["--help", "--version"])), console)
    }
  }

  private static func refuseUnknown(_ word: String, _ console: Console) -> Int32 {
    let names = commands.map(\.name)
    let near = NearestName.of(word, among: names).map { "did you mean '\($0)'?" }
    // `tactus 120` is a slip for the daemon.
    let hint = Double(word) != nil || word.contains("/") ? "the metronome itself is 'tactusd'" : nil
    return complain(
      .text(
        "unknown command '\(OptionError.excerpt(word))': "
          + (near ?? hint ?? "there are \(names.joined(separator: ", "))")), console)
  }

  private static func complain(_ error: OptionError, _ console: Console) -> Int32 {
    console.complain("tactus: \(error)")
    console.complain("Try 'tactus --help'.")
    return ExitCode.misused.code
  }

  static func helpText(width: Int) -> String {
    var parser = "Usage: tactus COMMAND [ARGUMENTS] [OPTIONS]\n\n"
    parser += "What a person types beside the metronome tactusd: control, monitor, render.\n"
    parser += "\nCommands:\n"
    let column = (commands.map(\.name.count).max() ?? 0) + 2
    for command in commands {
      let gap = String(repeating: " ", count: column - command.name.count)
      parser += "  \(command.name)\(gap)\(command.parser.summary)\n"
    }
    parser += "\n'tactus COMMAND --help' says more: arguments, options and exit codes;\n"
    parser += "'tactus help' lists subjects such as tempo, midi, latency and service.\n"
    parser += "\nOptions:\n  -h, --help  Print this help and exit.\n"
    parser += "  --version   Print the version and exit.\n"
    parser += "\nExit codes:\n"
    for code in [ExitCode.done, .failed, .misused, .noAnswer] {
      parser += "  \(code.code)  \(code.meaning)\n"
    }
    return parser
  }

  private static func helpWidth(_ console: Console) -> Int {
    let columns = console.outputColumns
    return columns > 0 ? columns : 80
  }
}

enum VersionCommand {
  static let command = Subcommand(
    "version",
    OptionParser(
      command: "tactus version", summary: "Print the version.", exitCodes: [.done, .misused])
  ) { _, console in
    console.print("tactus \(ProgramVersion.text)")
    return 0
  }
}
