import CommandLineOptions
import OSCProtocol
import OSCWire

/// `tactus ctl`
enum ControlSubcommand {
  static let command = Subcommand(
    "ctl",
    OptionParser(
      command: "tactus ctl", summary: "Send commands to the metronome and show what it answers.",
      usage: "COMMAND [ARGUMENTS] [, COMMAND [ARGUMENTS]]... [OPTIONS]",
      positionals: [
        PositionalDeclaration(
          "COMMAND", "An address of 'tactus osc list' as words: tempo, tempo nudge, mute bars.",
          repeatable: true)
      ],
      options: [
        DaemonPeer.hostOption, DaemonPeer.timeoutOption,
        .value(
          "wait", "MS", "Go on listening for so long, for answers such as when a change is heard."),
        .flag("json", "Answers and errors as JSON, one object a line."),
      ],
      exitCodes: [
        ExitCode(0, "Done: every command was accepted."),
        ExitCode(1, "At least one was refused, for the reason shown; what was accepted is done."),
        ExitCode(2, "An argument or option is malformed, unknown or out of range."),
        .noAnswer,
      ],
      notes: [
        "Commands with a comma between them are one bundle, judged in order at one instant. A command without its "
          + "arguments shows the value. 'tactus ctl COMMAND --help' explains one command.",
        "Try:\n  tactus ctl tempo 132.5\n  tactus ctl meter 7/8 , pattern X.x.x.x\n"
          + "  tactus ctl ramp glide 120 140 30\n  tactus ctl state --json",
      ]),
    helpAbout: { words, width in ControlWords.help(words, width: width) }
  ) { (parsed, console) throws(CommandFailure) in
    let messages: [OSCMessage]
    let wait: Int
    do throws(OptionError) {
      messages = try ControlWords.messages(parsed.arguments)
      wait = try parsed.integer("wait", in: 0...600_000, unit: "ms") ?? 0
    } catch { throw CommandFailure(error) }
    let timeout = try DaemonPeer.timeout(parsed)
    let client = try DaemonPeer.client(parsed)
    let outcome: OSCClient.Outcome
    let sentAt = OSCClock.system.timetag(OSCClock.system.now())
    do throws(OSCClient.Failure) {
      outcome = try client.request(
        messages, timeoutMilliseconds: timeout, lingerMilliseconds: Int64(wait))
    } catch {
      let failure = DaemonPeer.failure(error)
      guard parsed.has("json") else { throw failure }
      console.print(AnswerText.json(error: failure.reason))
      return failure.code
    }
    show(outcome, sentAt: sentAt, asJSON: parsed.has("json"), console)
    return outcome.isDone ? 0 : 1
  }

  private static func show(
    _ outcome: OSCClient.Outcome, sentAt: OSCTimetag, asJSON: Bool, _ console: Console
  ) {
    for answer in outcome.answers {
      if asJSON {
        console.print(AnswerText.json(answer))
      } else {
        console.print(AnswerText.line(answer, sentAt: sentAt))
      }
    }
    for refusal in outcome.refusals {
      if asJSON {
        console.print(AnswerText.json(refusal))
      } else {
        console.complain("tactus ctl: \(refusal.reason)")
      }
    }
  }
}
