import CommandLineOptions
import MusicalTime
import OSCProtocol
import OSCWire

/// `tactus midi learn`
enum LearnSubcommand {
  static let command = Subcommand(
    "midi learn",
    OptionParser(
      command: "tactus midi learn",
      summary: "Bind the next note, controller, program or key to a command.",
      usage: "COMMAND [ARGUMENTS] [OPTIONS]",
      positionals: [
        PositionalDeclaration(
          "COMMAND", "tap, or a command of 'tactus osc list' such as preset/next or tempo 60..180.",
          repeatable: true)
      ],
      options: [
        DaemonPeer.hostOption, DaemonPeer.timeoutOption,
        .value("for", "SECONDS", "Wait so long for it to be played, 1 to 600; 30 unless given."),
      ],
      exitCodes: [
        ExitCode(0, "It was played and bound."),
        ExitCode(1, "It was refused, or nothing was played."),
        ExitCode(2, "An argument or option is malformed, unknown or out of range."), .noAnswer,
      ],
      notes: [
        "A command that ends in hold gets 1 while pressed and 0 after: tempo/push hold. What is "
          + "learned is kept in learned.json of the daemon's folder, holds after a restart and stands "
          + "above the \"mappings\" of presets. 'tactus midi learned' lists it, 'tactus midi forget' "
          + "takes it back. The learn ends with this command, however it ends."
      ])
  ) { (parsed, console) throws(CommandFailure) in
    let seconds: Double
    do throws(OptionError) {
      guard !parsed.arguments.isEmpty else { throw OptionError.missingArgument("COMMAND") }
      seconds = try parsed.number("for", in: 1...600, unit: "s") ?? 30
    } catch { throw CommandFailure(error) }
    let client = try DaemonPeer.client(parsed)
    let action = parsed.arguments.joined(separator: " ")
    do {
      // A few seconds at a time: where this command is killed, the daemon soon listens no more.
      let learn = OSCMessage("/tactus/midi/learn", .string(action), .int32(lease))
      let outcome = try client.request(
        [OSCMessage("/tactus/subscribe", .int32(0), .string("state")), learn],
        timeoutMilliseconds: try DaemonPeer.timeout(parsed))
      if let refusal = outcome.refusals.first { throw CommandFailure(.failed, refusal.reason) }
      console.print("now play what is to do '\(action)'")
      let start = OSCClock.system.now()
      let end = start.advanced(byNanoseconds: Int64(seconds * 1e9))
      var renewal = start.advanced(byNanoseconds: 1_000_000_000)
      while OSCClock.system.now() < end {
        let left = min(end, renewal).nanoseconds(since: OSCClock.system.now())
        guard let got = try client.receive(waitNanoseconds: max(left, 0)) else {
          if OSCClock.system.now() >= renewal {
            client.send([learn])
            renewal = renewal.advanced(byNanoseconds: 1_000_000_000)
          }
          continue
        }
        guard got.message.address == "/tactus/midi/learned" else { continue }
        let words = got.message.arguments.compactMap(\.text)
        console.print("'\(words.first ?? "")' is now '\(words.last ?? "")'")
        client.send([OSCMessage("/tactus/unsubscribe")])
        return 0
      }
      _ = try client.request(
        [OSCMessage("/tactus/midi/learn/cancel"), OSCMessage("/tactus/unsubscribe")],
        timeoutMilliseconds: try DaemonPeer.timeout(parsed))
      throw CommandFailure(.failed, "nothing was played within \(RangeText.number(seconds)) s")
    } catch { throw failure(error) }
  }

  /// Seconds for which the daemon learns without hearing from us.
  private static let lease: Int32 = 3

  static let learned = Subcommand(
    "midi learned",
    OptionParser(
      command: "tactus midi learned", summary: "List what was learned of pedals, pads and keys.",
      usage: "[OPTIONS]", options: [DaemonPeer.hostOption, DaemonPeer.timeoutOption],
      exitCodes: [.done, .failed, .misused, .noAnswer])
  ) { (parsed, console) throws(CommandFailure) in
    let client = try DaemonPeer.client(parsed)
    do {
      let outcome = try client.request(
        [OSCMessage("/tactus/midi/learned/list")],
        timeoutMilliseconds: try DaemonPeer.timeout(parsed))
      if let refusal = outcome.refusals.first { throw CommandFailure(.failed, refusal.reason) }
      let words =
        outcome.answers.first { $0.address == "/tactus/midi/learned/list" }?
        .arguments.compactMap(\.text) ?? []
      if words.isEmpty { console.print("nothing was learned") }
      for index in stride(from: 0, to: words.count - 1, by: 2) {
        console.print("\(words[index]): \(words[index + 1])")
      }
    } catch { throw failure(error) }
    return 0
  }

  static let forget = Subcommand(
    "midi forget",
    OptionParser(
      command: "tactus midi forget",
      summary: "Forget what was learned for a trigger; the preset's own mapping acts again.",
      usage: "TRIGGER [OPTIONS]",
      positionals: [
        PositionalDeclaration(
          "TRIGGER", "As 'tactus midi learned' lists it, such as note 36 channel 10; or all.",
          repeatable: true)
      ],
      options: [DaemonPeer.hostOption, DaemonPeer.timeoutOption],
      exitCodes: [.done, .failed, .misused, .noAnswer])
  ) { (parsed, console) throws(CommandFailure) in
    guard !parsed.arguments.isEmpty else {
      throw CommandFailure(OptionError.missingArgument("TRIGGER"))
    }
    let trigger = parsed.arguments.joined(separator: " ")
    let client = try DaemonPeer.client(parsed)
    do {
      let outcome = try client.request(
        [OSCMessage("/tactus/midi/forget", .string(trigger))],
        timeoutMilliseconds: try DaemonPeer.timeout(parsed))
      if let refusal = outcome.refusals.first { throw CommandFailure(.failed, refusal.reason) }
      console.print("'\(trigger)' is forgotten")
    } catch { throw failure(error) }
    return 0
  }

  private static func failure(_ error: any Error) -> CommandFailure {
    if let failure = error as? CommandFailure { return failure }
    if let failure = error as? OSCClient.Failure { return DaemonPeer.failure(failure) }
    return CommandFailure(.failed, "\(error)")
  }
}
