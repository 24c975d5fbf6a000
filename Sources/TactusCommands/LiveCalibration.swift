import CLinux
import CommandLineOptions
import Glibc
import OSCProtocol
import OSCWire
import ScoreFormats

/// `tactus calibrate` with loudspeaker and microphone: the daemon measures, for it has the sample
/// clock; where none runs, one is started for as long as it takes.
enum LiveCalibration {
  static func run(_ parsed: ParsedOptions, _ console: Console) throws(CommandFailure) -> Int32 {
    let message = try request(parsed)
    var own: OwnDaemon?
    defer { own?.end() }
    let client: OSCClient
    if let found = try running(parsed) {
      client = found
      if parsed.has("device") || parsed.has("capture") {
        console.complain(
          "tactus calibrate: note: a tactusd runs: its own devices are measured, and --device and "
            + "--capture are for when none does")
      }
    } else {
      let started = try OwnDaemon(parsed)
      own = started
      client = started.client
    }
    client.send([OSCMessage("/tactus/subscribe", .string("state"), .int32(600))])
    let outcome: OSCClient.Outcome
    do throws(OSCClient.Failure) {
      outcome = try client.request([message], timeoutMilliseconds: 15_000)
    } catch { throw DaemonPeer.failure(error) }
    if let refusal = outcome.refusals.first { throw CommandFailure(.failed, refusal.reason) }
    return try follow(client, outcome.answers, parsed, console)
  }

  private static func request(_ parsed: ParsedOptions) throws(CommandFailure) -> OSCMessage {
    do throws(OptionError) {
      let count = try parsed.integer("count", in: 8...64) ?? 16
      let spacing = try parsed.number("spacing", in: 0.5...10, unit: "s") ?? 1
      let share = try parsed.number("input-latency", in: 0...200, unit: "ms") ?? -1
      let opens = try parsed.integer("reopen", in: 1...20) ?? 1
      return OSCMessage(
        "/tactus/calibrate", .int32(Int32(count)), .float(Float(spacing)), .float(Float(share)),
        .int32(parsed.has("cable") ? 1 : 0), .int32(parsed.has("force") ? 1 : 0),
        .int32(Int32(opens)))
    } catch { throw CommandFailure(error) }
  }

  /// The daemon that is there; nil where this machine has none, and none was named.
  private static func running(_ parsed: ParsedOptions) throws(CommandFailure) -> OSCClient? {
    let client = try DaemonPeer.client(parsed)
    do throws(OSCClient.Failure) {
      _ = try client.request([], timeoutMilliseconds: 1_000)
      return client
    } catch {
      if case .refused = error, parsed.value("host") == nil { return nil }
      throw DaemonPeer.failure(error)
    }
  }

  /// Shows the progress and waits for the result; Ctrl-C cancels.
  private static func follow(
    _ client: OSCClient, _ earlier: [OSCMessage], _ parsed: ParsedOptions, _ console: Console
  ) throws(CommandFailure) -> Int32 {
    let signals = clinux_signal_descriptor()
    defer { clinux_close(signals) }
    var bar = ProgressBar(columns: console.errorColumns)
    var waiting = earlier
    var quiet = 0
    while quiet < 600 {
      if clinux_signal_next(signals) != 0 {
        client.send([OSCMessage("/tactus/calibrate/cancel")])
        console.writeError(bar.clear())
        throw CommandFailure(.failed, "cancelled: nothing was changed")
      }
      let message: OSCMessage
      if waiting.isEmpty {
        do throws(OSCClient.Failure) {
          guard let got = try client.receive(waitNanoseconds: 200_000_000) else {
            quiet += 1
            continue
          }
          message = got.message
        } catch { throw DaemonPeer.failure(error) }
      } else {
        message = waiting.removeFirst()
      }
      quiet = 0
      switch message.address {
      case "/tactus/calibrate/progress":
        if let done = message.arguments.first?.number, message.arguments.count > 1,
          let total = message.arguments[1].number,
          let line = bar.line(done: Int64(done), total: Int64(total))
        {
          console.writeError(line)
        }
      case "/tactus/calibrate/failed":
        console.writeError(bar.clear())
        throw CommandFailure(.failed, message.arguments.first?.text ?? "it failed")
      case "/tactus/calibrate/result":
        console.writeError(bar.clear())
        return show(message.arguments, parsed, console)
      default: break
      }
    }
    throw CommandFailure(.noAnswer, "the daemon says nothing any more")
  }

  private static func show(
    _ values: [OSCValue], _ parsed: ParsedOptions, _ console: Console
  ) -> Int32 {
    func text(_ index: Int) -> String { index < values.count ? values[index].text ?? "" : "" }
    func number(_ index: Int) -> Double { index < values.count ? values[index].number ?? 0 : 0 }
    let isUsable = text(2) != "red"
    let share = number(4)
    if parsed.has("json") {
      console.write(
        JSONValue.members([
          ("verdict", .string(text(2))),
          ("answer", .string(text(0))),
          ("latencyMilliseconds", isUsable ? .number(rounded(number(3))) : .null),
          ("outputMilliseconds", isUsable ? .number(rounded(number(3) - share)) : .null),
          ("inputMilliseconds", isUsable ? .number(rounded(share)) : .null),
          ("madMilliseconds", .number(rounded(number(5)))),
          ("accepted", .integer(Int(number(6)))),
          ("count", .integer(Int(number(7)))),
          ("opensSpreadMilliseconds", .number(rounded(number(8)))),
          ("driftPPM", .number(rounded(number(9)))),
          ("advice", .string(text(1))),
        ]).text())
      return isUsable ? 0 : 1
    }
    console.print(text(0))
    if !text(1).isEmpty { console.print(text(1)) }
    if parsed.has("details") {
      console.print("round trip     \(rounded(number(3))) ms, beyond what ALSA knows")
      console.print(
        "of these       \(rounded(share)) ms are \(parsed.has("input-latency") ? "given" : "assumed")"
          + " for the input, \(rounded(number(3) - share)) ms are the output's")
      console.print("spread         \(rounded(number(5))) ms (median absolute deviation)")
      if number(8) > 0 { console.print("opens          \(rounded(number(8))) ms apart") }
      if number(9) != 0 { console.print("clocks         \(rounded(number(9))) ppm apart") }
      console.print(
        "What you hear of yourself through Bluetooth is late, too; that is not compensated.")
    }
    return isUsable ? 0 : 1
  }

  private static func rounded(_ value: Double) -> Double { (value * 1_000).rounded() / 1_000 }
}
