import CommandLineOptions
import OSCProtocol
import OSCWire

/// `tactus qr`
enum QRCommand {
  static let command = Subcommand(
    "qr",
    OptionParser(
      command: "tactus qr",
      summary: "Show the address of the page for tablets as a code to scan.",
      usage: "[OPTIONS]",
      options: [
        DaemonPeer.hostOption, DaemonPeer.timeoutOption,
        .flag("name", "The address by name (NAME.local) instead of by number."),
        .flag("plain", "In the terminal's own colours, for dark text on a light ground."),
      ],
      exitCodes: [
        ExitCode(0, "It was shown."), ExitCode(1, "No page is served, or its address is too long."),
        ExitCode(2, "An argument or option is malformed or unknown."), .noAnswer,
      ])
  ) { (parsed, console) throws(CommandFailure) in
    let client = try DaemonPeer.client(parsed)
    let timeout = try DaemonPeer.timeout(parsed)
    let outcome: OSCClient.Outcome
    do throws(OSCClient.Failure) {
      outcome = try client.request([OSCMessage("/tactus/page")], timeoutMilliseconds: timeout)
    } catch { throw DaemonPeer.failure(error) }
    let addresses = outcome.answers.last { $0.address == "/tactus/page" }?.arguments
      .compactMap(\.text)
    guard let addresses, !addresses.isEmpty else {
      throw CommandFailure(
        .failed,
        "no page is served there: tactus-web has to be installed beside tactusd, which was started "
          + "without --web-port off and --no-discovery")
    }
    guard let address = chosen(addresses, byName: parsed.has("name")) else {
      throw CommandFailure(.failed, "the machine has no name: leave --name out")
    }
    let isColoured = !parsed.has("plain") && console.outputColumns > 0
    guard let lines = QRPicture.lines(address, isColoured: isColoured) else {
      throw CommandFailure(.failed, "'\(address)' does not fit into a code")
    }
    console.print(lines.joined(separator: "\n"))
    console.print(address)
    return 0
  }

  /// Numbers come first: every tablet understands them.
  static func chosen(_ addresses: [String], byName: Bool) -> String? {
    byName ? addresses.first { $0.contains(".local:") } : addresses.first
  }
}
