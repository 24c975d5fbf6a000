import CommandLineOptions
import ControllerLayouts

/// `tactus layout touchosc` and `tactus layout open-stage-control`
enum LayoutCommand {
  static let command = Subcommand(
    "layout",
    OptionParser(
      command: "tactus layout",
      summary: "Write a layout for a tablet: TouchOSC or Open Stage Control.",
      usage: "touchosc|open-stage-control [OPTIONS] > FILE",
      positionals: [
        PositionalDeclaration(
          "APP", "touchosc writes a .tosc file, open-stage-control a .json session.")
      ],
      options: [
        .value(
          "receive-port", "PORT",
          "Where TouchOSC listens (its Receive Port), 1 to 65535; "
            + "\(TouchOSCLayout.defaultReceivePort) unless given.")
      ],
      notes: [
        "TouchOSC: open the file, then Connections, OSC, Connection 1, UDP: the host of tactusd, "
          + "Send Port 9700, Receive Port \(TouchOSCLayout.defaultReceivePort).",
        "Open Stage Control: open-stage-control --load tactus.json --send HOST:9700",
      ])
  ) { (parsed, console) throws(CommandFailure) in
    let port: Int
    do throws(OptionError) {
      port =
        try parsed.integer("receive-port", in: 1...65_535)
        ?? TouchOSCLayout.defaultReceivePort
    } catch { throw CommandFailure(error) }
    switch parsed.arguments.first {
    case "touchosc":
      guard console.outputColumns == 0 else {
        throw CommandFailure(
          .misused, "a .tosc file is not for reading: write '> Tactus.tosc' behind the command")
      }
      console.write(TouchOSCLayout.file(receivePort: port))
    case "open-stage-control":
      console.write(OpenStageControlLayout.file())
    case let app?:
      throw CommandFailure(
        .misused, "app '\(app)' is unknown: allowed are touchosc, open-stage-control")
    case nil:
      throw CommandFailure(.misused, "APP is missing: allowed are touchosc, open-stage-control")
    }
    return 0
  }
}
