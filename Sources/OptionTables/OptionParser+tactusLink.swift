public import CommandLineOptions

extension OptionParser {
  /// The command line of `tactus-link`.
  public static let tactusLink = OptionParser(
    command: "tactus-link",
    summary: "Take part in a session of Ableton Link for tactusd, which starts this program.",
    usage: "[OPTIONS]",
    options: [],
    exitCodes: [
      ExitCode(0, "Ended by a signal, or with the daemon."),
      ExitCode(1, "Ableton's library failed."),
      ExitCode(2, "Not started by tactusd, or an argument that it does not know."),
    ])
}
