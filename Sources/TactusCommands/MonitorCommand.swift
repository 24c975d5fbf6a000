import CLinux
import CommandLineOptions
import MusicalTime
import OSCProtocol
import OSCWire

/// `tactus monitor`
enum MonitorCommand {
  static let command = Subcommand(
    "monitor",
    OptionParser(
      command: "tactus monitor",
      summary: "Watch the metronome: beats, tempo, progress, outputs, clients.",
      usage: "[OPTIONS]",
      options: [
        DaemonPeer.hostOption, DaemonPeer.timeoutOption,
        .flag("once", "Show it once and exit."),
        .flag("json", "Everything that comes as JSON, one object a line."),
        .value("for", "SECONDS", "End after so long, 0.1 to 86400."),
      ],
      exitCodes: [
        ExitCode(0, "Ended by Ctrl-C, --once or --for."), .failed, .misused, .noAnswer,
      ],
      notes: [
        "On a terminal it is one living page; elsewhere a line a beat. NO_COLOR is heeded."
      ])
  ) { (parsed, console) throws(CommandFailure) in
    let timeout = try DaemonPeer.timeout(parsed)
    let client = try DaemonPeer.client(parsed)
    var seconds: Double?
    do throws(OptionError) {
      seconds = try parsed.number("for", in: 0.1...86_400, unit: "s")
    } catch { throw CommandFailure(error) }
    var watch = MonitorWatch(client: client, console: console, asJSON: parsed.has("json"))
    // Nobody is told any more who does not listen any more.
    defer { client.send([OSCMessage("/tactus/unsubscribe")]) }
    do throws(OSCClient.Failure) {
      try watch.begin(timeoutMilliseconds: timeout)
      if parsed.has("once") {
        watch.showOnce()
      } else {
        try watch.run(seconds: seconds)
      }
    } catch { throw DaemonPeer.failure(error) }
    return 0
  }
}

/// Keeps the subscription alive and the page up to date.
struct MonitorWatch {
  private let client: OSCClient
  private let console: Console
  private let asJSON: Bool
  private var model = MonitorModel()
  private let clock = OSCClock.system
  private var shownLines = 0
  private var lastPage: [String] = []

  private static let questions = [
    OSCMessage("/tactus/info"), OSCMessage("/tactus/stats"),
  ]

  init(client: OSCClient, console: Console, asJSON: Bool) {
    self.client = client
    self.console = console
    self.asJSON = asJSON
  }

  /// Asks for everything; the answers are the first page.
  mutating func begin(timeoutMilliseconds: Int64) throws(OSCClient.Failure) {
    let outcome = try client.request(
      [subscription, OSCMessage("/tactus/state")] + MonitorWatch.questions,
      timeoutMilliseconds: timeoutMilliseconds)
    let now = clock.now()
    for answer in outcome.answers {
      model.take(answer, at: now, now: now)
      if asJSON { console.print(AnswerText.json(answer)) }
    }
  }

  /// The lease lasts 60 s after the last message; one a second keeps it.
  private var subscription: OSCMessage { OSCMessage("/tactus/subscribe", .string("all")) }

  mutating func showOnce() {
    guard !asJSON else { return }
    let view = page
    console.print(view.lines(model, now: clock.now()).joined(separator: "\n"))
  }

  mutating func run(seconds: Double?) throws(OSCClient.Failure) {
    let signals = clinux_signal_descriptor()
    defer { clinux_close(signals) }
    let start = clock.now()
    var nextQuestion = start
    while clinux_signal_next(signals) == 0 {
      let now = clock.now()
      if let seconds, Double(now.nanoseconds(since: start)) >= seconds * 1e9 { break }
      if now.nanoseconds >= nextQuestion.nanoseconds {
        client.send([subscription] + MonitorWatch.questions)
        nextQuestion = now.advanced(byNanoseconds: 1_000_000_000)
      }
      try hear()
      show(model.advance(to: clock.now()))
    }
    if shownLines > 0 { console.write("\n") }
  }

  /// Waits for a message, but no longer than to the next beat or for 50 ms.
  private mutating func hear() throws(OSCClient.Failure) {
    let now = clock.now()
    let toBeat = model.nextBeat.map { $0.nanoseconds(since: now) } ?? 50_000_000
    var wait = max(0, min(toBeat, 50_000_000))
    do throws(OSCClient.Failure) {
      while let got = try client.receive(waitNanoseconds: wait) {
        var instant = got.receivedAt
        if got.timetag != .immediately {
          let tagged = clock.instant(got.timetag)
          // Another machine whose clock is set differently: what came is shown as it came.
          if tagged.nanoseconds(since: instant).magnitude < 3_000_000_000 { instant = tagged }
        }
        model.take(got.message, at: instant, now: got.receivedAt)
        if asJSON { console.print(AnswerText.json(got.message)) }
        wait = 0
      }
    } catch {
      // A daemon that is started again is heard again; the page says that it is silent.
      guard case .refused = error else { throw error }
    }
  }

  private mutating func show(_ beats: [BeatMessage]) {
    guard !asJSON else { return }
    guard console.outputColumns > 0 else {
      for beat in beats {
        let accents = [".", "-", "x", "X"]
        let accent = accents[Int(max(0, min(beat.accent, 3)))]
        let flags = (beat.flags & 4 != 0 ? " count-in" : "") + (beat.flags & 3 != 0 ? " muted" : "")
        console.print(
          "\(beat.bar).\(beat.beat) \(NumberText.text(Double(beat.quarterTempo))) \(accent)\(flags)"
        )
      }
      return
    }
    let lines = page.lines(model, now: clock.now())
    guard lines != lastPage else { return }
    lastPage = lines
    // Back to the first line, each line to its end, and nothing of an older page below.
    var text = shownLines > 1 ? "\u{1B}[\(shownLines - 1)A\r" : "\r"
    text += lines.map { $0 + "\u{1B}[K" }.joined(separator: "\n") + "\u{1B}[J"
    console.write(text)
    shownLines = lines.count
  }

  private var page: MonitorView {
    let columns = console.outputColumns
    return MonitorView(
      columns: columns > 0 ? columns : 80, usesColour: console.allowsColour,
      peer: "\(client.peer)")
  }
}
