import CommandLineOptions
import OSCProtocol
import OSCWire

/// `tactus osc list`
enum OSCListCommand {
  static let command = Subcommand(
    "osc list",
    OptionParser(
      command: "tactus osc list", summary: "List the OSC addresses with arguments and ranges.",
      usage: "[PREFIX] [OPTIONS]",
      positionals: [
        PositionalDeclaration("PREFIX", "Only addresses that begin so: tempo, /tactus/mute.")
      ],
      options: [
        .flag("markdown", "As the table of the README."),
        .flag("json", "As the tree that OSCQuery serves."),
      ])
  ) { (parsed, console) throws(CommandFailure) in
    if parsed.has("markdown") {
      console.write(OSCAddressListing.markdown())
    } else if parsed.has("json") {
      console.print(OSCAddressTree(ports: ["Clock"]).json() ?? "{}")
    } else if let prefix = parsed.arguments.first {
      let wanted = CommandWords.address(prefix)
      let lines = OSCAddressListing.plain().split(separator: "\n")
        .filter { $0.hasPrefix(wanted) }
      guard !lines.isEmpty else {
        throw CommandFailure(
          .misused, "no address begins with '\(OptionError.excerpt(prefix))': list them all")
      }
      console.print(lines.joined(separator: "\n"))
    } else {
      console.write(OSCAddressListing.plain())
    }
    return 0
  }
}
