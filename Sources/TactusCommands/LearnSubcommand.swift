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
          + "above the \"mappings\" of presets. Learn the same key again for something else, or take "
          + "its line out of the file."
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
      let outcome = try client.request(
        [
          OSCMessage("/tactus/subscribe", .int32(0), .string("state")),
          OSCMessage("/tactus/midi/learn", .string(action)),
        ], timeoutMilliseconds: try DaemonPeer.timeout(parsed))
      if let refusal = outcome.refusals.first { throw CommandFailure(.failed, refusal.reason) }
      console.print("now play what is to do '\(action)'")
      let end = OSCClock.system.now().advanced(byNanoseconds: Int64(seconds * 1e9))
      while true {
        let left = end.nanoseconds(since: OSCClock.system.now())
        guard left > 0, let got = try client.receive(waitNanoseconds: left) else {
          throw CommandFailure(.failed, "nothing was played within \(RangeText.number(seconds)) s")
        }
        guard got.message.address == "/tactus/midi/learned" else { continue }
        let words = got.message.arguments.compactMap(\.text)
        console.print("'\(words.first ?? "")' is now '\(words.last ?? "")'")
        return 0
      }
    } catch { throw failure(error) }
  }

  private static func failure(_ error: any Error) -> CommandFailure {
    if let failure = error as? CommandFailure { return failure }
    if let failure = error as? OSCClient.Failure { return DaemonPeer.failure(failure) }
    return CommandFailure(.failed, "\(error)")
  }
}
