import CLinux
import CommandLineOptions
import Companion
import MetronomeModel
import MusicalTime
import RealtimeHost

/// `tactus companion`
enum CompanionCommand {
  static let command = Subcommand("companion", parser) {
    (parsed, console) throws(CommandFailure) in
    do throws(OptionError) { return try run(parsed, console) } catch {
      throw CommandFailure(error)
    }
  }

  private static let parser = OptionParser(
    command: "tactus companion",
    summary: "Follow a daemon's beats as a wristband or lamp does, and drive things with them.",
    usage: "[HOST[:PORT]] [OPTIONS]",
    positionals: [
      PositionalDeclaration(
        "HOST",
        "The daemon's host; unless given here or in TACTUS_HOST it is looked for on the network.")
    ],
    options: [
      .value(
        "name", "NAME",
        "Which daemon of several on the network: as it is announced, or its machine's name."),
      .value("led", "NAME", "A LED of /sys/class/leds.", repeatable: true),
      .value(
        "rumble", "DEVICE", "An input device that rumbles, /dev/input/event*.", repeatable: true),
      .value(
        "command", "PROGRAM",
        "A program started at each beat, no shell; {bar} {beat} {beats} {bpm} {accent} are filled in.",
        repeatable: true),
      .value(
        "note", "PORT", "Send General MIDI wood blocks to this Client or Client:Port.",
        repeatable: true),
      .flag("quiet", "No line on the terminal."),
      .value("offset", "MS", "Fire so much later, -300 to 500."),
      .value("length", "MS", "A beat's effect lasts so long, 5 to 500; 40 unless given."),
      .value(
        "hold", "BEATS", "Keep the pulse for so many beats when the network is lost, 0 to 64."),
      .flag("muted", "Fire in muted bars too."),
      .value("for", "SECONDS", "End after so long."),
      .value("log", "FILE", "A line a beat: announced, fired, late (ns), presumed."),
      .value(
        "trial-offset", "SECONDS", "For trials: pretend that this clock is set wrong by so much."),
      .value("trial-drift", "PPM", "For trials: pretend that this clock drifts by so much."),
    ],
    exitCodes: [
      ExitCode(0, "Ended by a signal or by --for."),
      ExitCode(1, "Something that was to be driven could not be opened."),
      ExitCode(
        2,
        "An argument or option is malformed, unknown or out of range, or several daemons were "
          + "found and none is named."),
    ])

  private static func run(
    _ parsed: ParsedOptions, _ console: Console
  ) throws(OptionError) -> Int32 {
    var settings = CompanionSettings()
    settings.offsetMilliseconds =
      try parsed.number("offset", in: Limits.eventOffsetMilliseconds, unit: "ms") ?? 0
    settings.lengthMilliseconds = try parsed.number("length", in: 5...500, unit: "ms") ?? 40
    settings.heldBeats = try parsed.integer("hold", in: 0...64, unit: "beats") ?? 8
    settings.skipsMutedBars = !parsed.has("muted")
    let trialOffset = try parsed.number("trial-offset", in: -1e6...1e6, unit: "s") ?? 0
    let trialDrift = try parsed.number("trial-drift", in: -500...500, unit: "ppm") ?? 0
    settings.clock = CompanionClock(offset: Int64(trialOffset * 1e9), driftPPM: trialDrift)
    let seconds = try parsed.number("for", in: 0.1...1e6, unit: "s")
    if let path = parsed.value("log") {
      guard let log = TextLog(path: path) else {
        throw .value("--log", given: path, allowed: "a file that can be written")
      }
      settings.fired = { beat, instant, isPresumed in
        log.write(
          "\(beat.due) \(instant.nanoseconds) \(instant.nanoseconds - beat.due) \(isPresumed ? 1 : 0)\n"
        )
      }
    }

    let finder = try CompanionSearch.find(parsed, &settings, console)
    let signals = clinux_signal_descriptor()
    let companion: Companion
    do throws(ActuatorError) {
      companion = try Companion(
        settings, actuators: try actuators(parsed, settings), finder: finder,
        say: { console.complain($0) })
    } catch {
      console.complain("tactus companion: \(error)")
      return 1
    }
    follow(companion, signals: signals, seconds: seconds)
    report(companion, console)
    return 0
  }

  /// On a thread of its own with real-time priority where the system allows it.
  private static func follow(_ companion: Companion, signals: Int32, seconds: Double?) {
    let end = seconds.map { MonotonicClock.now().advanced(byNanoseconds: Int64($0 * 1e9)) }
    let box = CompanionBox(companion)
    let thread = try? RealtimeThread.start(name: "tactus-companion", priority: .midi) {
      box.companion.run {
        clinux_signal_next(signals) != 0 || end.map { MonotonicClock.now() >= $0 } ?? false
      }
    }
    thread?.join()
  }

  private static func report(_ companion: Companion, _ console: Console) {
    let counters = companion.counters
    console.print(
      "\n\(counters.announced) beats announced, \(counters.repeated) repeated, "
        + "\(counters.missing) missing, \(counters.cancelled) cancelled, \(counters.late) late, "
        + "\(counters.presumed) presumed; \(counters.tardy) announced too late, "
        + "\(counters.unclocked) before the clock was known")
    console.print(
      companion.isSynchronised
        ? "clock: drift \(Int64(companion.driftPPM.rounded())) ppm, known to "
          + "\(companion.uncertainty / 1_000) us" : "clock: the daemon never told its own")
    console.write(companion.histogram.table)
  }

  private static func actuators(
    _ parsed: ParsedOptions, _ settings: CompanionSettings
  ) throws(ActuatorError) -> [any Actuator] {
    var actuators: [any Actuator] = []
    for name in parsed.values("led") { actuators.append(try LEDActuator(name)) }
    for path in parsed.values("rumble") {
      actuators.append(
        try RumbleActuator(path, milliseconds: Int(settings.lengthMilliseconds)))
    }
    for command in parsed.values("command") { actuators.append(try CommandActuator(command)) }
    for port in parsed.values("note") { actuators.append(try NoteActuator(port)) }
    if !parsed.has("quiet"), clinux_terminal_columns(1) > 0 {
      actuators.append(TerminalActuator())
    }
    return actuators
  }
}

/// The companion belongs to its thread alone once that runs.
private final class CompanionBox: @unchecked Sendable {
  let companion: Companion
  init(_ companion: Companion) { self.companion = companion }
}
