import ALSASequencer
import CommandLineOptions
import MetronomeModel
import MusicalTime
import RealtimeHost

/// `tactus midi ports` and `tactus midi measure`
enum MIDICommands {
  static let ports = Subcommand(
    "midi ports",
    OptionParser(
      command: "tactus midi ports",
      summary: "List the ports that --midi-connect and midi measure can name.")
  ) { (_, console) throws(CommandFailure) in
    do throws(SequencerError) {
      let handle = try SequencerHandle(name: "Tactus ports")
      defer { handle.close() }
      let all = handle.library.ports()
      var ordinals = DeviceOrdinals()
      ordinals.observe(all)
      for port in all where port.address.client != handle.client {
        let ways = [port.takesInput ? "takes" : nil, port.givesOutput ? "gives" : nil]
        let words = ways.compactMap(\.self).joined(separator: ", ")
        console.print("\(ordinals.name(of: port))  (\(port.address), \(words))")
      }
    } catch { throw CommandFailure(.failed, error.description) }
    return 0
  }

  static let measure = Subcommand("midi measure", measureParser) {
    (parsed, console) throws(CommandFailure) in
    var beats = parsed.has("no-clicks") ? nil : BeatListener(try DaemonPeer.client(parsed))
    do throws(OptionError) { return try runMeasure(parsed, console, &beats) } catch {
      throw CommandFailure(error)
    }
  }

  private static let measureParser = OptionParser(
    command: "tactus midi measure",
    summary: "Measure a MIDI clock: tempo, jitter, lost and doubled pulses.",
    usage: "[PORT] [OPTIONS]",
    positionals: [
      PositionalDeclaration(
        "PORT", "Client or Client:Port that sends the clock; Tactus:Clock unless given.")
    ],
    options: [
      .value("for", "SECONDS", "Listen so long, 1 to 86400; 10 unless given."),
      .value("tempo", "BPM", "The tempo it should have: its error is reported."),
      .value("csv", "FILE", "Write one line a pulse."),
      .value("svg", "FILE", "Draw the histogram of intervals."),
      .flag("wait", "Open a port and wait for others to connect to it."),
      DaemonPeer.hostOption,
      .flag("no-clicks", "Do not ask a tactusd when its clicks are heard."),
    ],
    notes: [
      "Pulses are stamped by the kernel when they arrive. Where a tactusd runs on this machine, it "
        + "tells when its clicks are heard, and each is compared with the pulse nearest to it. A test "
        + "port of tactusd that misbehaves on "
        + "purpose, for people who build receivers: tactusd 120 --inject jitter=5%,drop=1%"
    ])

  private static func runMeasure(
    _ parsed: ParsedOptions, _ console: Console, _ beats: inout BeatListener?
  ) throws(OptionError) -> Int32 {
    let seconds = try parsed.number("for", in: 1...86_400, unit: "s") ?? 10
    let tempo = try parsed.number("tempo", in: Limits.quarterTempo, unit: "BPM")
    var pattern: String? = parsed.arguments.first ?? "Tactus:Clock"
    if parsed.has("wait") { pattern = nil }
    let listener: ClockListener
    do throws(SequencerError) {
      listener = try ClockListener(from: pattern, nominalTempo: tempo)
    } catch {
      console.complain("tactus midi measure: \(error)")
      return 1
    }
    let place =
      listener.sources.isEmpty ? "Tactus measure:In" : listener.sources.joined(separator: ", ")
    console.complain("listening at \(place) for \(RangeText.number(seconds)) s")
    if let reason = beats?.begin() {
      console.complain("no offset against the clicks: \(reason)")
      beats = nil
    }
    let end = MonotonicClock.now().advanced(byNanoseconds: Int64(seconds * 1e9))
    while MonotonicClock.now() < end {
      // Often enough that no socket's buffer fills.
      listener.listen(until: min(end, MonotonicClock.now().advanced(byNanoseconds: 250_000_000)))
      beats?.service()
    }
    if let beats { listener.use(clicks: beats.instants) }
    for event in listener.transport { console.print("\(event.name)") }
    let report = ClockReport(listener.measurement)
    guard listener.measurement.figures() != nil else {
      console.complain("tactus midi measure: fewer than three pulses came: is the clock running?")
      return 1
    }
    console.write(report.text())
    try write(report.csv(), to: parsed.value("csv"), option: "--csv")
    try write(report.svg(), to: parsed.value("svg"), option: "--svg")
    return 0
  }

  private static func write(
    _ text: String, to path: String?, option: String
  ) throws(OptionError) {
    guard let path else { return }
    guard let file = TextLog(path: path) else {
      throw .value(option, given: path, allowed: "a file that can be written")
    }
    file.write(text)
  }
}
