import MusicalTime
import OSCProtocol
import OSCWire
import Testing

@testable import TactusCommands

@Suite struct MonitorTests {
  static let second: Int64 = 1_000_000_000

  static func time(_ seconds: Double) -> MonotonicTime {
    MonotonicTime(nanoseconds: Int64(seconds * 1e9))
  }

  /// run, sequence, bar, beat, quarter tempo, beats, accent, flags, due
  static func beat(_ sequence: Int32, bar: Int32, _ beat: Int32, flags: Int32 = 0) -> OSCMessage {
    OSCMessage(
      "/tactus/beat", .int32(7), .int32(sequence), .int32(bar), .int32(beat), .float(120),
      .int32(4), .int32(beat == 1 ? 3 : 2), .int32(flags), .int64(0))
  }

  static func model() -> MonitorModel {
    var model = MonitorModel()
    let messages = [
      OSCMessage("/tactus/transport", .string("rolling")),
      OSCMessage("/tactus/tempo", .float(120), .string("1/4")),
      OSCMessage("/tactus/meter", .string("4/4")), OSCMessage("/tactus/pattern", .string("Xxxx")),
      OSCMessage("/tactus/info/version", .string("9.9")),
      OSCMessage("/tactus/info/audio", .string("playing")),
      OSCMessage("/tactus/info/midi", .string("Clock")),
      OSCMessage("/tactus/midi/Clock/clock", .string("rolling")),
      OSCMessage("/tactus/stats/xruns", .int64(3)),
      OSCMessage("/tactus/stats/midi/Clock/pulses", .int64(4321)),
      OSCMessage("/tactus/stats/midi/Clock/lateness", .int64(17_000)),
      OSCMessage("/tactus/stats/osc/subscribers", .int64(2)),
      // 95 a minute, level 4 of 9, a quarter done, 90 s left.
      OSCMessage(
        "/tactus/ramp/progress", .float(95), .int32(4), .int32(9), .float(0.25), .float(90)),
      OSCMessage("/tactus/timer", .float(5)),
      OSCMessage("/tactus/timer/progress", .float(60), .float(240)),
    ]
    for message in messages { model.take(message, at: time(1), now: time(1)) }
    return model
  }

  static let view = MonitorView(columns: 80, usesColour: false, peer: "127.0.0.1:9700")

  @Test func `a beat is shown from the instant at which it is heard`() {
    var model = Self.model()
    model.take(Self.beat(1, bar: 12, 3), at: Self.time(2), now: Self.time(1.9))
    #expect(model.advance(to: Self.time(1.99)).isEmpty)
    #expect(model.nextBeat == Self.time(2))
    #expect(model.advance(to: Self.time(2)).map(\.sequence) == [1])
    #expect(
      Self.view.lines(model, now: Self.time(2)).contains { $0.hasPrefix("12.3    1  2 [3] 4 ") })
    #expect(model.advance(to: Self.time(3)).isEmpty)
  }

  @Test func `a cancelled beat is never shown`() {
    var model = Self.model()
    for n in 1...3 {
      model.take(
        Self.beat(Int32(n), bar: 1, Int32(n)), at: Self.time(2 + Double(n)), now: Self.time(2))
    }
    model.take(
      OSCMessage("/tactus/beat/cancel", .int32(7), .int32(2), .int32(3)), at: Self.time(2),
      now: Self.time(2))
    #expect(model.advance(to: Self.time(9)).map(\.sequence) == [1])
  }

  @Test func `everything that matters stands on the page`() {
    var model = Self.model()
    model.take(Self.beat(1, bar: -1, 1, flags: 4), at: Self.time(1), now: Self.time(1))
    _ = model.advance(to: Self.time(1))
    let page = Self.view.lines(model, now: Self.time(1)).joined(separator: "\n")
    for part in [
      "tactusd 9.9", "rolling", "-1.1", "[1]", "count-in", "120 BPM", "4/4", "Xxxx", "ramp [",
      "4/9", "1:30 left", "timer [", "4:00 left", "playing", "xruns 3", "MIDI Clock: rolling",
      "pulses 4321", "at most 17 us", "subscribers 2",
    ] {
      #expect(page.contains(part), "\(part)")
    }
    // A quarter of 30 signs; 60 of 300 s.
    #expect(page.contains("ramp [#######-----------------------]"))
    #expect(page.contains("timer [######------------------------]"))
  }

  @Test func `a ramp grows between its reports and goes when it is over`() {
    let model = Self.model()
    // 45 of 90 s later half of the rest is done: 0.25 + 0.375.
    let half = Self.view.lines(model, now: Self.time(46)).joined(separator: "\n")
    #expect(half.contains("ramp [##################------------]"))
    #expect(half.contains("0:45 left"))
    #expect(!Self.view.lines(model, now: Self.time(92)).contains { $0.hasPrefix("ramp") })
  }

  @Test(arguments: [10, 20, 40, 79, 200])
  func `no line is wider than the terminal and colour is only where it is welcome`(columns: Int) {
    var model = Self.model()
    model.take(Self.beat(1, bar: 100_000, 1), at: Self.time(1), now: Self.time(1))
    model.take(
      OSCMessage("/tactus/error", .string("/tactus/x"), .int32(1), .string("a\u{1B}[2Jb")),
      at: Self.time(1), now: Self.time(1))
    _ = model.advance(to: Self.time(1))
    let plain = MonitorView(columns: columns, usesColour: false, peer: "[::1]:9700")
    for line in plain.lines(model, now: Self.time(1)) { #expect(line.count <= columns) }
    let page = plain.lines(model, now: Self.time(1)).joined()
    #expect(columns < 79 || !page.contains("\u{1B}"))
    let coloured = MonitorView(columns: columns, usesColour: true, peer: "[::1]:9700")
    #expect(
      columns < 40 || coloured.lines(model, now: Self.time(1)).joined().contains("\u{1B}[1;31m"))
  }

  @Test func `a daemon that is silent is said to be`() {
    let model = Self.model()
    #expect(Self.view.lines(model, now: Self.time(6))[0].contains("silent for 5 s"))
    #expect(Self.view.lines(MonitorModel(), now: Self.time(6))[0].contains("waiting"))
  }
}
