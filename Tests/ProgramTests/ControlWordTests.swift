import CommandLineOptions
import OSCProtocol
import OSCWire
import Testing

@testable import TactusCommands

/// Addresses and values as words on a command line.
@Suite struct ControlWordTests {
  static let lines: [(words: String, messages: [OSCMessage])] = [
    ("tempo 132.5", [OSCMessage("/tactus/tempo", .double(132.5))]),
    ("/tactus/tempo 120", [OSCMessage("/tactus/tempo", .int32(120))]),
    ("tempo nudge -2", [OSCMessage("/tactus/tempo/nudge", .int32(-2))]),
    ("tempo/nudge 2", [OSCMessage("/tactus/tempo/nudge", .int32(2))]),
    (
      "ramp glide bars 120 140 4",
      [OSCMessage("/tactus/ramp/glide/bars", .int32(120), .int32(140), .int32(4))]
    ),
    ("mute on", [OSCMessage("/tactus/mute", .true)]),
    ("mute toggle", [OSCMessage("/tactus/mute", .string("toggle"))]),
    (
      "midi Clock offset -12",
      [OSCMessage("/tactus/midi/Clock/offset", .int32(-12))]
    ),
    (
      "meter 7/8 , pattern X.x.x.x",
      [
        OSCMessage("/tactus/meter", .string("7/8")),
        OSCMessage("/tactus/pattern", .string("X.x.x.x")),
      ]
    ),
    ("state", [OSCMessage("/tactus/state")]),
  ]

  @Test(arguments: lines)
  func `words are the longest address they make, and its arguments`(
    words: String, messages: [OSCMessage]
  ) throws {
    let read = try ControlWords.messages(words.split(separator: " ").map(String.init))
    #expect(read == messages)
  }

  @Test func `every address is a sub-command with its own help`() {
    for row in OSCAddressTable.rows where row.access != .event {
      let words = row.path.split(separator: "/").map { $0 == "<port>" ? "Clock" : String($0) }
      let found = ControlWords.address(words)
      #expect(found?.count == words.count, "\(row.path)")
      let help = CommandRun(["ctl"] + words + ["--help"])
      #expect(help.code == 0)
      #expect(help.text.contains("Usage: tactus ctl "), "\(row.path)")
      #expect(help.text.contains(row.documentation), "\(row.path)")
    }
  }

  @Test func `an unknown command names its neighbour and sends nothing`() {
    let run = CommandRun("ctl tempoo 120")
    #expect(run.code == 2)
    #expect(run.error.contains("'tempoo' is unknown: did you mean 'tempo'?"))
    #expect(CommandRun("ctl").code == 2)
    #expect(CommandRun("ctl tempo 120 ,").code == 2)
    #expect(CommandRun("ctl tempo --timeout 5").error.contains("10 to 60000 ms"))
    #expect(CommandRun("ctl tempo --host x:99999").code == 2)
    // Beats are only sent, never received.
    #expect(CommandRun("ctl beat 1").code == 2)
  }

  @Test func `quotes, comments and kinds of values in a script line`() throws {
    let words = try CommandWords.split("tempo 1.5 \"7 8\" 'x' T # rest", source: "x:1")
    #expect(words.map(\.text) == ["tempo", "1.5", "7 8", "x", "T"])
    let values = words.dropFirst().map { CommandWords.value($0) }
    #expect(values == [.double(1.5), .string("7 8"), .string("x"), .true])
    #expect(CommandWords.value(.init(text: "4294967296", isQuoted: false)) == .int64(4_294_967_296))
    #expect(CommandWords.value(.init(text: "12", isQuoted: true)) == .string("12"))
    #expect(CommandWords.value(.init(text: "nan", isQuoted: false)) == .string("nan"))
  }

  @Test func `the addresses are listed, all or those below a word`() {
    let all = CommandRun("osc list")
    #expect(all.code == 0)
    for row in OSCAddressTable.rows { #expect(all.text.contains(row.address)) }
    let some = CommandRun("osc list tempo").text.split(separator: "\n")
    #expect(some.count > 3)
    #expect(some.allSatisfy { $0.hasPrefix("/tactus/tempo") })
    let page = CommandRun("osc list --markdown").text
    #expect(page.hasPrefix("- `/tactus/start` (trigger, players): "))
    #expect(page.split(separator: "\n").allSatisfy { $0.count <= 160 })
    #expect(CommandRun("osc list --json").text.hasPrefix("{"))
    #expect(CommandRun("osc list zzz").code == 2)
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func `completion knows every command, option and address`(shell: String) {
    let run = CommandRun("completion \(shell)")
    #expect(run.code == 0)
    for command in TactusProgram.commands {
      for option in command.parser.options { #expect(run.text.contains(option.name)) }
    }
    for row in OSCAddressTable.rows where row.access != .event && !row.path.contains("<") {
      let last = row.path.split(separator: "/").last ?? ""
      #expect(run.text.contains(last), "\(row.path)")
    }
    // Words that are neither commands nor addresses.
    for word in ["open-stage-control", "fish"] { #expect(run.text.contains(word)) }
    // `:1:name` is a modifier in zsh, which has its own way of naming words.
    #expect(shell != "zsh" || !run.text.contains("COMP_WORDS"))
    #expect(CommandRun("completion tcsh").code == 2)
  }
}
