import Conductor
import MetronomeModel
import MusicalTime
import OSCProtocol
import OSCWire
import Testing

@testable import TactusDaemon

@Suite("Published values")
struct PublishedValueTests {
  @Test("each stands in the address table, and OSCQuery can show it in the types it names")
  func described() throws {
    var state = MetronomeState()
    state.midiPorts = [MIDIPortConfiguration(name: "Clock")]
    let messages = PublishedValues.everything(state)
    #expect(messages.count > 60)
    for message in messages {
      let row = try #require(OSCAddressTable.row(for: message.address)?.row, "\(message)")
      let shown = try #require(row.queryValues(message.arguments), "\(message)")
      let tree = OSCAddressTree(ports: ["Clock"]) {
        $0 == message.address ? message.arguments : nil
      }
      let type = try #require(tree.json(attribute: "TYPE", at: message.address))
      let tags = String(shown.map { $0.tag == "F" ? "T" : $0.tag })
      #expect(type == "{\"TYPE\":\"\(tags)\"}", "\(message)")
    }
  }

  /// A conductor that was told these, and nothing of an engine.
  private func conductor(_ commands: [(String, [OSCValue])]) throws -> Conductor {
    var state = MetronomeState()
    state.midiPorts = [MIDIPortConfiguration(name: "Clock")]
    var conductor = Conductor(rate: 48_000, state: state)
    for (path, arguments) in commands {
      #expect(try send(OSCMessage("/tactus/\(path)", arguments), to: &conductor) == nil, "\(path)")
    }
    return conductor
  }

  /// - Returns: why it was refused.
  private func send(_ message: OSCMessage, to conductor: inout Conductor) throws -> String? {
    guard case .command(let command) = try OSCAddressTable.decode(message) else {
      return "no command"
    }
    let now = ControlInstant(time: MonotonicTime(nanoseconds: 1_000_000_000), frame: FrameIndex(0))
    for output in conductor.submit(command, request: 1, now: now) {
      if case .refused(_, let refusal) = output { return refusal.reason }
    }
    return nil
  }

  private func reported(_ conductor: Conductor) -> [String: [OSCValue]] {
    Dictionary(
      PublishedValues.everything(conductor.state).map { ($0.address, $0.arguments) },
      uniquingKeysWith: { $1 })
  }

  /// The same to 32-bit floats: a level is told as a fader and in decibels.
  private func same(_ left: [OSCValue], _ right: [OSCValue]) -> Bool {
    guard left.count == right.count else { return false }
    return zip(left, right).allSatisfy { left, right in
      guard let one = left.number, let other = right.number else { return left == right }
      return abs(one - other) <= 1e-5 * max(1, abs(other))
    }
  }

  /// States in which every value is another than at the start.
  private static let states: [[(String, [OSCValue])]] = [
    [],
    [
      ("tempo", [.double(132.501), .string("1/8")]), ("tap/phase", [.true]),
      ("tap/limit", [.float(3.5)]), ("ramp/end", [.string("loop")]),
      ("meter", [.string("2+2+3/8")]),
      ("pattern", [.string("Xx-.-x-")]), ("subdivision", [.int32(4)]),
      ("subdivision/level", [.string("normal")]), ("swing", [.string("triplet")]),
      ("layer", [.int32(5)]), ("mute", [.true]), ("mute/bars", [.int32(4), .int32(2)]),
      ("mute/soft", [.true]), ("solo", [.string("strong")]), ("countin", [.int32(2)]),
      ("countin/mute", [.true]), ("timer", [.float(12.5)]), ("timer/stops", [.false]),
      ("volume", [.float(0)]), ("level/strong", [.float(0.3)]), ("sound/soft", [.string("bell")]),
      ("pitch/normal", [.float(-3.5)]), ("route/layer", [.int32(3), .int32(4)]),
      ("sound/beats", [.string("one"), .string("-")]), ("analogsync", [.int32(24), .int32(2)]),
      ("offset/audio", [.float(12.5)]), ("offset/beats", [.float(-20)]),
      ("midi/Clock/offset", [.float(5)]), ("midi/Clock/clock", [.string("always")]),
      ("midi/Clock/transport", [.false]), ("midi/Clock/notes", [.true]),
    ],
    [("mute/random", [.float(30.25), .int32(7)]), ("swing", [.float(62.5)])],
    [("mute/growing", [.int32(2), .int32(3)]), ("volume/db", [.float(-90)])],
  ]

  @Test("each is accepted as it was told, and then told the same", arguments: 0..<4)
  func sentBack(index: Int) throws {
    var conductor = try conductor(PublishedValueTests.states[index])
    let before = reported(conductor)
    for message in PublishedValues.everything(conductor.state) {
      guard OSCAddressTable.row(for: message.address)?.row.access == .value else { continue }
      #expect(try send(message, to: &conductor) == nil, "\(message)")
      let now = reported(conductor)[message.address]
      #expect(now.map { same($0, message.arguments) } == true, "\(message)")
    }
    // The end that is told of what is not in force ends nothing else.
    let after = reported(conductor)
    for (address, arguments) in before {
      #expect(after[address].map { same($0, arguments) } == true, "\(address)")
    }
  }

  @Test(
    "the end of a thing is told like its start",
    arguments: [
      ("mute/bars", [.int32(4), .int32(4)], "mute/off", [], [.int32(1), .int32(0)]),
      ("mute/random", [.float(30), .int32(7)], "mute/off", [], [.float(0), .int32(1)]),
      (
        "mute/random", [.float(30), .int32(7)], "mute/growing", [.int32(2), .int32(3)],
        [.float(0), .int32(1)]
      ),
      ("mute/growing", [.int32(2), .int32(3)], "mute/off", [], [.int32(1), .int32(0)]),
      ("timer", [.int32(5)], "timer/cancel", [], [.float(0)]),
      ("timer", [.int32(5)], "timer", [.int32(0)], [.float(0)]),
      ("solo", [.string("soft")], "solo", [.string("off")], [.string("none")]),
      ("layer", [.int32(3)], "layer", [.int32(0)], [.int32(0)]),
      ("countin", [.int32(3)], "countin", [.int32(0)], [.int32(0)]),
      ("analogsync", [.int32(24)], "analogsync", [.int32(0)], [.int32(0)]),
      ("sound/beats", [.string("one")], "sound/beats", [.string("-")], [.string("-")]),
      ("sound/soft", [.string("bell")], "sound/soft", [.string("wood")], [.string("wood")]),
    ] as [(String, [OSCValue], String, [OSCValue], [OSCValue])])
  func ends(
    path: String, start: [OSCValue], end: String, with arguments: [OSCValue],
    reported off: [OSCValue]
  ) throws {
    var conductor = try conductor([(path, start)])
    let address = "/tactus/\(path)"
    #expect(reported(conductor)[address] != off)
    #expect(try send(OSCMessage("/tactus/\(end)", arguments), to: &conductor) == nil)
    #expect(reported(conductor)[address] == off)
  }
}
