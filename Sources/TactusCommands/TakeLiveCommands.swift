import CLinux
import CommandLineOptions
import MusicalTime
import OSCProtocol
import OSCWire

/// `tactus take record` and `play`: the daemon does it, the command shows it and ends it.
enum TakeLiveCommands {
  static let record = Subcommand(
    "take record",
    OptionParser(
      command: "tactus take record",
      summary: "Record a take with the metronome: tactusd needs --capture.",
      usage: "[NAME] [OPTIONS]",
      positionals: [PositionalDeclaration("NAME", "Of the take; date and time unless given.")],
      options: [
        .value(
          "layer", "TAKE", "An earlier take that plays along, aligned; up to three.",
          repeatable: true),
        .value("seconds", "N", "End by itself after so long, 1 to 86400."),
        DaemonPeer.hostOption,
      ],
      notes: [
        "The metronome starts, with its count-in, where it stands. Ctrl-C ends the take, and the "
          + "metronome where the take started it; so does the end of timer, song or trainer, three "
          + "seconds later.",
        "Try:\n  tactus ctl countin 1\n  tactus take record solo\n  tactus take report solo",
      ])
  ) { (parsed, console) throws(CommandFailure) in
    let layers = parsed.values("layer")
    guard layers.count <= 3 else {
      throw CommandFailure(.misused, "--layer was given \(layers.count) times: three is the most")
    }
    let seconds: Int?
    do throws(OptionError) {
      seconds = try parsed.integer("seconds", in: 1...86_400, unit: "s")
    } catch { throw CommandFailure(error) }
    // Layers stand behind the name, so without one they have no place.
    guard layers.isEmpty || !parsed.arguments.isEmpty else {
      throw CommandFailure(.misused, "with --layer the new take needs a NAME")
    }
    let message = OSCMessage(
      "/tactus/take/start", (parsed.arguments + layers).map { .string($0) })
    return try run(message, seconds: seconds, parsed, console)
  }

  static let play = Subcommand(
    "take play",
    OptionParser(
      command: "tactus take play",
      summary: "Play takes aligned to a start of the metronome.",
      usage: "TAKE [TAKE] [TAKE] [OPTIONS]",
      positionals: [
        PositionalDeclaration(
          "TAKE", "Name; the metronome takes the tempo of the first.", repeatable: true)
      ],
      options: [
        .value("seconds", "N", "End by itself after so long, 1 to 86400."),
        DaemonPeer.hostOption,
      ])
  ) { (parsed, console) throws(CommandFailure) in
    guard (1...3).contains(parsed.arguments.count) else {
      throw CommandFailure(.misused, "name one to three takes: 'tactus take list' shows them")
    }
    let seconds: Int?
    do throws(OptionError) {
      seconds = try parsed.integer("seconds", in: 1...86_400, unit: "s")
    } catch { throw CommandFailure(error) }
    let message = OSCMessage("/tactus/take/play", parsed.arguments.map { .string($0) })
    return try run(message, seconds: seconds, parsed, console)
  }

  private static func run(
    _ message: OSCMessage, seconds: Int?, _ parsed: ParsedOptions, _ console: Console
  ) throws(CommandFailure) -> Int32 {
    let client = try DaemonPeer.client(parsed)
    client.send([OSCMessage("/tactus/subscribe", .string("state"), .int32(600))])
    let outcome: OSCClient.Outcome
    do throws(OSCClient.Failure) {
      outcome = try client.request([message], timeoutMilliseconds: 15_000)
    } catch { throw DaemonPeer.failure(error) }
    if let refusal = outcome.refusals.first { throw CommandFailure(.failed, refusal.reason) }
    for answer in outcome.answers where answer.address == "/tactus/notice" {
      if answer.arguments.count > 1 {
        console.complain("tactus take: note: \(answer.arguments[1].text ?? "")")
      }
    }
    let signals = clinux_signal_descriptor()
    defer { clinux_close(signals) }
    var view = TakeMeterLine(columns: console.errorColumns)
    let deadline = seconds.map {
      OSCClock.system.now().advanced(byNanoseconds: Int64($0) * 1_000_000_000)
    }
    var renewAt = OSCClock.system.now().advanced(byNanoseconds: 300_000_000_000)
    while true {
      let now = OSCClock.system.now()
      let isOver = deadline.map { $0 <= now } ?? false
      if isOver || clinux_signal_next(signals) != 0 { return try end(client, view, console) }
      if renewAt <= now {
        client.send([OSCMessage("/tactus/subscribe", .string("state"), .int32(600))])
        renewAt = now.advanced(byNanoseconds: 300_000_000_000)
      }
      do throws(OSCClient.Failure) {
        guard let got = try client.receive(waitNanoseconds: 100_000_000) else { continue }
        if let text = view.take(got.message) { console.writeError(text) }
      } catch { throw DaemonPeer.failure(error) }
      if let problem = view.problem {
        console.writeError(view.clear())
        throw CommandFailure(.failed, "the take ended: \(problem); what was recorded is kept")
      }
      if view.isIdle {
        console.writeError(view.clear())
        console.print(view.summary)
        return 0
      }
    }
  }

  private static func end(
    _ client: OSCClient, _ view: TakeMeterLine, _ console: Console
  ) throws(CommandFailure) -> Int32 {
    console.writeError(view.clear())
    do throws(OSCClient.Failure) {
      let outcome = try client.request(
        [OSCMessage("/tactus/take/stop")], timeoutMilliseconds: 15_000)
      if let refusal = outcome.refusals.first { throw .socket(refusal.reason) }
    } catch { throw DaemonPeer.failure(error) }
    console.print(view.summary)
    return 0
  }
}

/// The level of a take as a line that moves.
struct TakeMeterLine {
  private let columns: Int
  private var name = ""
  private var hasBegun = false
  private(set) var isIdle = false
  private(set) var problem: String?
  private var seconds = 0.0
  private var clipped = 0
  private var isShown = false

  init(columns: Int) { self.columns = columns }

  /// - Returns: what to print now; nil where nothing has changed or there is no terminal.
  mutating func take(_ message: OSCMessage) -> String? {
    let values = message.arguments
    switch message.address {
    case "/tactus/take" where values.count > 1:
      let word = values[0].text ?? ""
      if word == "idle" { isIdle = hasBegun } else { hasBegun = true }
      if let text = values[1].text, !text.isEmpty { name = text }
    case "/tactus/take/ended" where values.count > 1: problem = values[1].text ?? "it failed"
    case "/tactus/take/level" where values.count > 2:
      seconds = values[2].number ?? 0
      clipped = Int(values[1].number ?? 0)
      guard columns >= 40 else { return nil }
      isShown = true
      let decibels = values[0].number ?? -90
      let width = 30
      let full = Int(max(0, min(1, (decibels + 60) / 60)) * Double(width))
      let bar = String(repeating: "#", count: full) + String(repeating: "-", count: width - full)
      return "\r\(TimeText.text(milliseconds: Int64(seconds * 1_000)))  [\(bar)] "
        + "\(Int(decibels.rounded())) dB\(clipped > 0 ? "  clipped \(clipped)" : "")\u{1B}[K"
    default: break
    }
    return nil
  }

  func clear() -> String { isShown ? "\r\u{1B}[K" : "" }

  var summary: String {
    guard !name.isEmpty else { return "ended" }
    return "take '\(name)': \(TimeText.text(milliseconds: Int64(seconds * 1_000)))"
      + (clipped > 0 ? ", \(clipped) samples clipped" : "")
  }
}
