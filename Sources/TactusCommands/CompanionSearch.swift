import CommandLineOptions
import Companion
import MetronomeModel
import OSCProtocol
import OSCWire
import RealtimeHost

/// Where `tactus companion` takes its daemon from: what was typed, the network, this machine.
enum CompanionSearch {
  /// A second is what the network needs to tell that there is no more.
  private static let patience: Int64 = 3_000_000_000

  /// Sets the host, or leaves it open where the network will say it later.
  ///
  /// - Returns: what goes on looking, where no address was given.
  static func find(
    _ parsed: ParsedOptions, _ settings: inout CompanionSettings, _ console: Console
  ) throws(OptionError) -> DaemonFinder? {
    let name = parsed.value("name")
    if let text = parsed.arguments.first ?? Console.environment("TACTUS_HOST") {
      guard name == nil else {
        throw .text("--name and HOST '\(OptionError.excerpt(text))': give one of the two")
      }
      try take(text, into: &settings)
      return nil
    }
    let finder: DaemonFinder
    do throws(ActuatorError) { finder = try start(name) } catch {
      guess(because: "\(error)", name, &settings, console)
      return nil
    }
    switch finder.search(atMost: patience) {
    case .one(let daemon):
      console.complain("found \(daemon)")
      settings.host = daemon.address
      settings.port = daemon.port
    case .several(let daemons):
      throw .text(several(daemons))
    case .none:
      guess(because: finder.directory.reason, name, &settings, console)
    }
    return finder
  }

  /// HOST, HOST:PORT or [IPv6]:PORT.
  static func take(
    _ text: String, into settings: inout CompanionSettings
  ) throws(OptionError) {
    guard let (host, port) = SocketAddress.split(text, defaultPort: Limits.oscPort) else {
      throw .value(
        "HOST", given: text, allowed: "HOST, HOST:PORT or [IPv6]:PORT with a port of 1 to 65535")
    }
    settings.host = host
    settings.port = port
  }

  /// What a person has to know to choose.
  static func several(_ daemons: [AnnouncedDaemon]) -> String {
    let list = daemons.map { "\n  \($0)" }.joined()
    let example = daemons.first.map { "'\($0.name)'" } ?? "NAME"
    return "several daemons are on the network: choose one with --name \(example), with --name and "
      + "its machine's name, or by HOST:PORT\(list)\n"
  }

  private static func start(_ name: String?) throws(ActuatorError) -> DaemonFinder {
    guard let program = ProgramFile.sibling("tactus-web") else {
      throw ActuatorError(
        name: "tactus-web", code: 2, help: "install it beside tactus, or give HOST")
    }
    return try DaemonFinder(program: program, wanted: name)
  }

  private static func guess(
    because reason: String?, _ name: String?, _ settings: inout CompanionSettings,
    _ console: Console
  ) {
    let failure = reason.map { "the network cannot be searched (\($0))" }
    let way = reason == nil ? "" : "; give HOST, or install and start avahi-daemon"
    if let name {
      console.complain(
        "\(failure ?? "no daemon '\(OptionError.excerpt(name))' is announced yet"): waiting for it"
          + way)
      settings.host = nil
    } else {
      console.complain(
        "\(failure ?? "no daemon is announced on the network"): trying this machine, port "
          + "\(settings.port)\(way)")
      settings.isGuess = true
    }
  }
}
