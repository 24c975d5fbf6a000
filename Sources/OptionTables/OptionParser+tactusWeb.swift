public import CommandLineOptions

extension OptionParser {
  /// The command line of `tactus-web`.
  public static let tactusWeb = OptionParser(
    command: "tactus-web",
    summary: "Serve the page and OSCQuery over HTTP and WebSocket, and announce the daemon.",
    usage: "[OPTIONS]",
    options: [
      .value("osc-port", "PORT", "The daemon's OSC port on this machine; 9700 unless given."),
      .value("port", "PORT", "HTTP and WebSocket port, 0 for any free one; 9780 unless given."),
      .value(
        "allow", "CIDR", "A network that may play, besides the attached ones.", repeatable: true),
      .value("observe", "CIDR", "A network that may only look.", repeatable: true),
      .value("admin", "CIDR", "A network that may quit, save and connect.", repeatable: true),
      .flag("no-announce", "Do not announce on the network."),
      .flag("no-serve", "Serve nothing: announce only."),
      .flag(
        "browse",
        "Only look for daemons on the network and write what is seen, a line each, while read."),
    ],
    exitCodes: [
      ExitCode(0, "Ended by a signal, or with the daemon."),
      ExitCode(1, "No port could be opened, or the network library failed."),
      ExitCode(2, "An argument or option is malformed, unknown or out of range."),
    ])
}
