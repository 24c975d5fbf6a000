import CommandLineOptions
import MetronomeModel
import OSCProtocol
import OSCWire
import ScoreFormats

/// `tactus calibrate list`, `show` and `forget`: what was measured, by route.
enum CalibrationListCommands {
  static let commands = [list, show, forget]

  private static func store(_ parsed: ParsedOptions) -> CalibrationStore {
    CalibrationStore(folder: ProgramFolders.here(user: parsed.value("folder")).user)
  }

  private static func records(
    _ parsed: ParsedOptions
  ) throws(CommandFailure) -> [CalibrationRecord] {
    do throws(StoreError) { return try store(parsed).load() } catch {
      throw CommandFailure(.failed, error.description)
    }
  }

  private static let numberPositional = PositionalDeclaration(
    "NUMBER", "As 'tactus calibrate list' counts them.")

  private static let list = Subcommand(
    "calibrate list",
    OptionParser(
      command: "tactus calibrate list", summary: "List the latencies that were measured.",
      options: [TakeCommands.folderOption])
  ) { (parsed, console) throws(CommandFailure) in
    let found = try records(parsed)
    if found.isEmpty { console.print("no latency has been measured: 'tactus calibrate'") }
    for (index, record) in found.enumerated() {
      console.print(
        "\(index + 1)  \(record.verdict)  round trip \(text(record.roundTripMilliseconds)) ms  "
          + "\(record.route)")
    }
    return 0
  }

  private static let show = Subcommand(
    "calibrate show",
    OptionParser(
      command: "tactus calibrate show", summary: "Show everything about one measured latency.",
      usage: "NUMBER [OPTIONS]", positionals: [numberPositional],
      options: [TakeCommands.folderOption])
  ) { (parsed, console) throws(CommandFailure) in
    let record = try records(parsed)[try index(parsed)]
    console.print("output         \(record.route.output)")
    console.print("input          \(record.route.input)")
    console.print("verdict        \(record.verdict), \(record.accepted) of \(record.count) sweeps")
    console.print("round trip     \(text(record.roundTripMilliseconds)) ms")
    console.print(
      "output share   \(text(record.outputMilliseconds)) ms; input share "
        + "\(text(record.inputMilliseconds)) ms\(record.isCable ? " (by cable)" : "")")
    console.print("spread         \(text(record.madMilliseconds)) ms (median absolute deviation)")
    if let spread = record.spreadMilliseconds {
      console.print("opens          \(text(spread)) ms apart")
    }
    if let address = record.route.output.bluetoothAddress {
      console.print("Bluetooth      \(address)")
    }
    console.print("measured       \(record.measuredAt) s since 1970, machine \(record.machine)")
    return 0
  }

  private static let forget = Subcommand(
    "calibrate forget",
    OptionParser(
      command: "tactus calibrate forget", summary: "Forget a measured latency, or all of them.",
      usage: "NUMBER|all [OPTIONS]", positionals: [numberPositional],
      options: [TakeCommands.folderOption, DaemonPeer.hostOption])
  ) { (parsed, console) throws(CommandFailure) in
    let isAll = parsed.arguments.first == "all"
    let number = isAll ? 0 : try index(parsed) + 1
    // A daemon that runs has its own view of them: it is asked, so that it forgets as well.
    guard try !askDaemon(number, parsed) else {
      console.print(isAll ? "forgot all" : "forgot \(number)")
      return 0
    }
    var left = try records(parsed)
    if isAll { left = [] } else { left.remove(at: number - 1) }
    do throws(StoreError) { try store(parsed).save(left) } catch {
      throw CommandFailure(.failed, error.description)
    }
    console.print(isAll ? "forgot all" : "forgot \(number)")
    return 0
  }

  /// - Returns: false where no daemon runs here and none was named.
  private static func askDaemon(
    _ number: Int, _ parsed: ParsedOptions
  ) throws(CommandFailure) -> Bool {
    let client = try DaemonPeer.client(parsed)
    let outcome: OSCClient.Outcome
    do throws(OSCClient.Failure) {
      outcome = try client.request(
        [OSCMessage("/tactus/calibrate/forget", .int32(Int32(number)))],
        timeoutMilliseconds: 2_000)
    } catch {
      if case .refused = error, parsed.value("host") == nil { return false }
      throw DaemonPeer.failure(error)
    }
    if let refusal = outcome.refusals.first { throw CommandFailure(.failed, refusal.reason) }
    return true
  }

  private static func index(_ parsed: ParsedOptions) throws(CommandFailure) -> Int {
    guard let word = parsed.arguments.first else {
      throw CommandFailure(.missingArgument("NUMBER"))
    }
    let count = try records(parsed).count
    guard let number = Int(word), (1...max(count, 1)).contains(number), count > 0 else {
      throw CommandFailure(
        .misused, "NUMBER '\(OptionError.excerpt(word))': there are \(count), counted from 1")
    }
    return number - 1
  }

  private static func text(_ milliseconds: Double) -> Double {
    (milliseconds * 1_000).rounded() / 1_000
  }
}
