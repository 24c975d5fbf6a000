import MetronomeModel
import MusicalTime
import Testing

@testable import OSCProtocol
@testable import OSCWire

func decode(_ address: String, _ arguments: OSCValue...) -> Result<OSCIntent, OSCRefusal> {
  Result { () throws(OSCRefusal) in
    try OSCAddressTable.decode(OSCMessage("/tactus/" + address, arguments))
  }
}

@Suite struct OSCAddressTableTests {
  static let accepted: [(address: String, arguments: [OSCValue], command: ControlCommand)] = [
    ("start", [], .start),
    ("start", [.float(1)], .start),
    ("start", [.true], .start),
    ("start", [.impulse], .start),
    ("start", [.null], .start),
    ("start", [.string("1")], .start),
    ("stop", [.int32(1), .int32(99)], .stop),
    ("locate", [.float(3), .float(2)], .locate(bar: 3, beat: 2)),
    ("locate", [.int32(3)], .locate(bar: 3, beat: 1)),
    ("tempo", [.int32(120)], .tempo(120, unit: nil, when: .beat)),
    ("tempo", [.double(99.95)], .tempo(99.95, unit: nil, when: .beat)),
    ("tempo", [.int64(90)], .tempo(90, unit: nil, when: .beat)),
    ("tempo", [.string("133.5")], .tempo(133.5, unit: nil, when: .beat)),
    (
      "tempo", [.float(72), .string("1/4.")],
      .tempo(72, unit: NoteValue(4, dotted: true), when: .beat)
    ),
    ("tempo", [.float(72), .string("bar")], .tempo(72, unit: nil, when: .bar)),
    (
      "tempo", [.float(72), .string("1/8"), .string("now")],
      .tempo(72, unit: NoteValue(8), when: .now)
    ),
    ("tempo", [.array([.float(80)])], .tempo(80, unit: nil, when: .beat)),
    ("tempo", [.float(80), .int32(0), .int32(0), .int32(5)], .tempo(80, unit: nil, when: .beat)),
    ("tempo/nudge", [], .nudge(1)),
    ("tempo/nudge", [.int32(-2)], .nudge(-2)),
    ("tempo/push", [.float(1)], .push(true)),
    ("tempo/push", [.float(0)], .push(false)),
    (
      "ramp", [.int32(100), .int32(140), .int32(60)],
      .trainer(from: 100, to: 140, step: 5, share: .totalMilliseconds(60_000))
    ),
    (
      "ramp/every", [.int32(100), .int32(140), .float(2.5), .int32(10)],
      .trainer(from: 100, to: 140, step: 10, share: .millisecondsPerLevel(2500))
    ),
    (
      "ramp/bars", [.int32(100), .int32(140), .float(4), .int32(10)],
      .trainer(from: 100, to: 140, step: 10, share: .barsPerLevel(4))
    ),
    (
      "ramp/glide", [.int32(120), .int32(140), .int32(30)],
      .glide(from: 120, to: 140, length: .seconds(30), when: .bar)
    ),
    (
      "ramp/glide/bars", [.int32(120), .int32(140), .int32(4), .string("beat")],
      .glide(from: 120, to: 140, length: .bars(4), when: .beat)
    ),
    ("ramp/end", [.string("loop")], .trainerEnd(.loop)),
    ("pattern", [.string("X..x")], .pattern("X..x")),
    ("subdivision", [.float(3)], .subdivision(3)),
    ("subdivision", [.float(3.4)], .subdivision(3)),
    ("swing", [.int32(58)], .swing(.percentHundredths(5800))),
    ("swing", [.float(66.67)], .swing(.percentHundredths(6667))),
    ("swing", [.string("triplet")], .swing(.triplet)),
    ("layer", [.int32(5)], .layer(5)),
    ("layer", [.int32(0)], .layer(0)),
    ("mute", [.true], .mute(true)),
    ("mute", [.false], .mute(false)),
    ("mute", [.string("toggle")], .toggleMute),
    ("mute", [.string("on")], .mute(true)),
    ("mute/bars", [.int32(3), .int32(1)], .muteBars(.cycle(play: 3, mute: 1))),
    (
      "mute/random", [.int32(30), .int32(7)],
      .muteBars(.random(percentHundredths: 3000, seed: 7))
    ),
    ("mute/growing", [.int32(4), .int32(3)], .muteBars(.growing(play: 4, maximum: 3))),
    ("mute/off", [], .muteBars(.off)),
    ("solo", [.string("none")], .soloLevel(nil)),
    ("solo", [.string("strong")], .soloLevel(.strong)),
    ("volume", [.int32(1)], .volume(decibels: 0)),
    ("volume", [.float(0)], .volume(decibels: -.infinity)),
    ("volume/db", [.int32(-12)], .volume(decibels: -12)),
    ("level/strong", [.float(1)], .level(.strong, decibels: 0)),
    ("sound/strong", [.string("wood")], .sound(.strong, name: "wood")),
    ("route/soft", [.int32(3), .int32(4)], .route(.soft, channels: [3, 4])),
    ("analogsync", [.int32(24), .int32(8)], .analogSync(perQuarter: 24, channel: 8)),
    ("countin", [.float(2)], .countIn(bars: 2)),
    ("timer", [.string("5")], .timer(minutes: 5)),
    ("preset", [.float(3)], .preset(.number(3))),
    ("preset", [.string("3")], .preset(.name("3"))),
    ("preset", [.string("")], .endPreset), ("setlist", [.string("")], .endSetlist),
    ("section", [.string("Verse 1/2")], .section(.name("Verse 1/2"))),
    ("section", [.int32(0)], .clearMap), ("section", [.string("0")], .clearMap),
    ("timer", [.int32(0)], .cancelTimer),
    ("mute/bars", [.int32(1), .int32(0)], .muteBars(.cycle(play: 1, mute: 0))),
    ("mute/random", [.int32(0)], .muteBars(.random(percentHundredths: 0, seed: 1))),
    ("mute/growing", [.int32(4), .int32(0)], .muteBars(.growing(play: 4, maximum: 0))),
    ("volume/db", [.int32(-90)], .volume(decibels: -.infinity)),
    ("swing", [.float(66.666664)], .swing(.triplet)),
    ("solo", [.string("off")], .soloLevel(nil)), ("solo", [.false], .soloLevel(nil)),
    ("midi/Clock/clock", [.false], .midi(port: "Clock", .clock(.off))),
    ("preset", [.string("Slow waltz")], .preset(.name("Slow waltz"))),
    ("preset/save", [.string("mine")], .savePreset(name: "mine")),
    ("midi/Clock/offset", [.int32(-20)], .midi(port: "Clock", .offset(milliseconds: -20))),
    ("midi/Clock/clock", [.string("always")], .midi(port: "Clock", .clock(.always))),
    ("midi/Clock/connect", [.string("Drum:1")], .midi(port: "Clock", .connect(name: "Drum:1"))),
    ("offset/beats", [.int32(-300)], .beatOffset(milliseconds: -300)),
    ("quit", [], .quit),
  ]

  @Test(arguments: accepted)
  func `what a tablet sends is understood`(
    address: String, arguments: [OSCValue], command: ControlCommand
  ) throws {
    #expect(
      try OSCAddressTable.decode(OSCMessage("/tactus/" + address, arguments)) == .command(command))
  }

  @Test func `a meter is a text or two numbers of any type`() throws {
    let seven = try Meter(7, 8)
    #expect(decode("meter", .string("7/8")) == .success(.command(.meter(seven))))
    #expect(decode("meter", .float(7), .float(8)) == .success(.command(.meter(seven))))
    #expect(decode("meter", .string("7"), .string("8")) == .success(.command(.meter(seven))))
    #expect(
      decode("meter", .string("2+2+3/8"))
        == .success(.command(.meter(try Meter(groups: [2, 2, 3], denominator: 8)))))
  }

  @Test func `the upper half of a fader is where one plays`() throws {
    // 20 log10(0.5^3) = -18.0618 dB; 0.03^3 = -91.4 dB is below -90 dB, which is silence.
    guard case .success(.command(.volume(let half))) = decode("volume", .float(0.5)) else {
      Issue.record("no volume")
      return
    }
    #expect(abs(half + 18.0618) < 0.0001)
    #expect(decode("volume", .float(0.03)) == .success(.command(.volume(decibels: -.infinity))))
    #expect(abs(FaderLaw.fader(decibels: -18.0618) - 0.5) < 0.0001)
    #expect(FaderLaw.fader(decibels: -.infinity) == 0)
  }

  static let refused:
    [(address: String, arguments: [OSCValue], code: OSCRefusal.Code, words: [String])] = [
      ("tempo", [.float(.nan)], .range, ["tempo", "nan", "5 to 999"]),
      ("tempo", [.float(.infinity)], .range, ["tempo", "inf", "5 to 999"]),
      ("tempo", [.double(1e9)], .range, ["tempo", "1000000000", "5 to 999"]),
      ("tempo", [.int32(0)], .range, ["tempo 0", "5 to 999"]),
      ("tempo", [.int32(-120)], .range, ["-120", "difference", "tempo nudge"]),
      ("tempo", [.string("+5")], .range, ["'+5'", "difference", "tempo nudge"]),
      ("tempo", [.string("132,5")], .malformed, ["'132,5'", "with a point: 132.5"]),
      ("swing", [.string("quick")], .range, ["'quick'", "50 to 75 %", "straight, triplet"]),
      ("swing", [.string("62,5")], .range, ["with a point: 62.5", "50 to 75 %"]),
      ("mute", [.string("maybe")], .range, ["'maybe'", "1 or 0", "toggle"]),
      ("solo", [.string("loud")], .range, ["'loud'", "none, soft, normal, strong"]),
      ("section", [.string("")], .range, ["label", "1 to 200"]),
      ("tempo", [.string("abc")], .malformed, ["tempo", "'abc'", "5 to 999"]),
      ("tempo", [.string("nan")], .range, ["tempo"]),
      ("tempo", [.true], .malformed, ["tempo", "true"]),
      ("tempo", [.blob([1])], .malformed, ["tempo", "blob"]),
      ("tempo", [.float(1000), .string("1/4")], .range, ["1000", "1/4", "5 to 999"]),
      ("tempo", [.float(100), .string("soon")], .malformed, ["'soon'", "now, beat, bar"]),
      ("tempo/nudge", [.float(.nan)], .range, ["difference"]),
      ("meter", [.string("0/4")], .range, ["0", "1 to 64"]),
      ("meter", [.string("4/0")], .range, ["0", "1, 2, 4, 8, 16 and 32"]),
      ("meter", [.string("5/7")], .range, ["7"]),
      ("meter", [.int32(4), .int32(5)], .range, ["5"]),
      ("meter", [.int32(7)], .malformed, ["unit", "missing", "/tactus/meter beats unit"]),
      ("ramp", [.int32(100)], .malformed, ["to is missing", "[step]"]),
      ("ramp", [], .malformed, ["from is missing"]),
      ("ramp", [.int32(100), .int32(100), .int32(10)], .range, ["both 100"]),
      ("ramp", [.int32(100), .int32(140), .int32(10), .int32(0)], .range, ["step 0"]),
      ("ramp", [.int32(100), .int32(140), .int32(10), .string("x")], .malformed, ["'x'", "step"]),
      ("swing", [.int32(80)], .range, ["swing 80", "50 to 75 %", "straight, triplet"]),
      ("layer", [.int32(1)], .range, ["clicks 1", "2 to 16"]),
      ("subdivision", [.int32(10)], .range, ["clicks 10", "1 to 9"]),
      ("volume", [.float(1.5)], .range, ["fader 1.5", "0 to 1"]),
      ("volume/db", [.int32(-91)], .range, ["-91", "-90 to 0 dB"]),
      ("countin", [.int32(17)], .range, ["bars 17", "0 to 16 bars"]),
      ("timer", [.float(0.5)], .range, ["minutes 0.5", "0 (off)", "1 to 180 minutes"]),
      ("timer", [.int32(181)], .range, ["minutes 181", "180 minutes"]),
      ("preset", [.string("../etc")], .range, ["name", "'../etc'", "'/'"]),
      ("preset", [.string(".hidden")], .range, ["leading '.'"]),
      ("preset", [.string(String(repeating: "x", count: 129))], .range, ["128 bytes"]),
      ("preset", [.int32(0)], .range, ["name 0", "number from 1"]),
      ("start", [.string("now")], .malformed, ["/tactus/start", "'now'"]),
      ("start", [.float(.nan)], .malformed, ["nan"]),
      ("beat", [.int32(1)], .malformed, ["only sent"]),
      ("nothing", [], .unknown, ["/tactus/nothing"]),
      ("midi/.x/clock", [.string("off")], .unknown, ["/tactus/midi/.x/clock"]),
      ("subscribe", [.int32(70_000)], .range, ["port 70000", "2 to 65535"]),
      ("subscribe", [.string("beats")], .range, ["'beats'", "beat, sub, state, all"]),
      (
        "subscribe", [.int32(9000), .string("all"), .float(0.5)], .range,
        ["seconds 0.5", "1 to 600"]
      ),
      ("sync", [.int32(1)], .malformed, ["t1 is missing"]),
    ]

  @Test(arguments: refused)
  func `a refusal names the argument, its value and the range`(
    address: String, arguments: [OSCValue], code: OSCRefusal.Code, words: [String]
  ) {
    do {
      let intent = try OSCAddressTable.decode(OSCMessage("/tactus/" + address, arguments))
      Issue.record("accepted as \(intent)")
    } catch {
      #expect(error.code == code)
      for word in words { #expect(error.reason.contains(word), "\(error.reason)") }
    }
  }

  @Test func `the release of a button does nothing to a trigger`() {
    for row in OSCAddressTable.rows where row.access == .trigger {
      for value: OSCValue in [.float(0), .int32(0), .false, .double(0), .string("0")] {
        #expect(decode(row.path, value) == .success(.release))
      }
    }
  }

  @Test func `no argument asks a value for its value`() {
    for row in OSCAddressTable.rows where row.access == .value {
      let path = row.path.split(separator: "/").map { $0 == "<port>" ? "Clock" : String($0) }
        .joined(separator: "/")
      #expect(decode(path) == .success(.ask))
      #expect(decode(path, .null) == .success(.ask))
    }
  }

  @Test func `subscriptions name port, topics and seconds in this order, each left out at will`() {
    #expect(
      decode("subscribe") == .success(.subscribe(port: nil, topics: nil, seconds: nil)))
    #expect(
      decode("subscribe", .float(9000))
        == .success(.subscribe(port: 9000, topics: nil, seconds: nil)))
    #expect(
      decode("subscribe", .string("beat"), .string("sub"), .int32(30))
        == .success(.subscribe(port: nil, topics: [.beat, .sub], seconds: 30)))
    #expect(
      decode("subscribe", .int32(9000), .string("beat state"), .int32(30))
        == .success(.subscribe(port: 9000, topics: [.beat, .state], seconds: 30)))
    #expect(
      decode("subscribe", .string("9000"), .string("all"))
        == .success(.subscribe(port: 9000, topics: .all, seconds: nil)))
  }

  /// A button's 1 and T mean the port that asks.
  @Test(arguments: [OSCValue.float(1), .int32(1), .true, .false, .int32(0), .string("1")])
  func `no button is a port`(value: OSCValue) {
    #expect(
      decode("subscribe", value) == .success(.subscribe(port: nil, topics: nil, seconds: nil)))
    #expect(decode("unsubscribe", value) == .success(.unsubscribe(port: nil)))
  }

  // Every address, every plausible type: the table alone says what is right.
  static let samples: [OSCValue] = [
    .int32(1), .float(1), .double(1), .int64(1), .string("1"), .true, .false, .null, .impulse,
    .string("abc"), .float(.nan), .int32(.max), .blob([1, 2]), .timetag(.immediately),
    .character(65), .colour(1), .midi(1), .symbol("1"), .array([.int32(1)]),
  ]

  @Test func `every address answers every type as the table says`() {
    var decoded = 0
    for row in OSCAddressTable.rows {
      let path = row.path.split(separator: "/").map { $0 == "<port>" ? "Clock" : String($0) }
        .joined(separator: "/")
      let most = row.forms.map(\.count).max() ?? 0
      for sample in OSCAddressTableTests.samples {
        for count in [1, max(most, 1), most + 4] {
          let values = [OSCValue](repeating: sample, count: count)
          let result = Result { () throws(OSCRefusal) in
            try OSCAddressTable.decode(OSCMessage("/tactus/" + path, values))
          }
          switch result {
          case .success(let intent):
            decoded += 1
            check(intent, of: row, sample: sample)
          case .failure(let refusal):
            #expect(refusal.code != .unknown, "\(row.path) \(refusal.reason)")
            #expect(!refusal.reason.isEmpty)
            if case .trigger = row.access { #expect(OSCArgument.flag(sample) == nil) }
          }
        }
      }
    }
    #expect(decoded > 1000)
  }

  private func check(_ intent: OSCIntent, of row: OSCAddressRow, sample: OSCValue) {
    switch row.access {
    case .trigger:
      #expect(
        (intent == .release) == (sample != .null && OSCArgument.flag(sample) == false),
        "\(row.path) \(sample)")
    case .value:
      if sample == .null {
        #expect(intent == .ask)
      } else {
        // Where the page is, is the server's own affair and not the metronome's.
        if case .page = intent { return }
        guard case .command = intent else {
          Issue.record("\(row.path) \(sample) is \(intent)")
          return
        }
      }
    case .event:
      Issue.record("\(row.path) is only sent")
    case .action, .report:
      break
    }
  }

  @Test func `a wildcard reaches what it matches, but nothing that only the owner may do`() throws {
    let all = OSCAddressTable.addresses(
      matching: try #require(OSCAddressPattern("/tactus/*")), known: ["/tactus/midi/Clock/clock"])
    #expect(all.contains("/tactus/tempo"))
    #expect(!all.contains("/tactus/quit"))
    #expect(!all.contains("/tactus/lock"))
    let ports = OSCAddressTable.addresses(
      matching: try #require(OSCAddressPattern("/tactus/midi/*/{offset,connect}")),
      known: ["/tactus/midi/Clock/offset", "/tactus/midi/Clock/connect", "/tactus/midi/B/offset"])
    #expect(ports == ["/tactus/midi/Clock/offset", "/tactus/midi/B/offset"])
  }

  @Test func `no address stands twice`() {
    #expect(Set(OSCAddressTable.rows.map(\.path)).count == OSCAddressTable.rows.count)
  }

  @Test func `the listings have one line for each address`() throws {
    let rows = OSCAddressTable.rows
    #expect(OSCAddressListing.plain().split(separator: "\n").count == rows.count)
    let lines = OSCAddressListing.markdown().split(separator: "\n")
    #expect(lines.count { $0.hasPrefix("- `/tactus/") } == rows.count)
    // The rest are their further lines.
    #expect(lines.allSatisfy { $0.hasPrefix("- `/tactus/") || $0.hasPrefix("  ") })
    #expect(lines.allSatisfy { $0.count <= 160 })
  }

  @Test func `the tree has values, ranges and the ports that there are`() throws {
    let tree = OSCAddressTree(ports: ["Clock"]) {
      $0 == "/tactus/tempo" ? [.float(99.95)] : nil
    }
    let tempo = try #require(tree.json(at: "/tactus/tempo"))
    #expect(tempo.hasPrefix("{\"FULL_PATH\":\"/tactus/tempo\""))
    #expect(tempo.contains("\"RANGE\":[{\"MIN\":5,\"MAX\":999}]"))
    #expect(tempo.contains("\"VALUE\":[99.95]"))
    #expect(tree.json(attribute: "VALUE", at: "/tactus/tempo") == "{\"VALUE\":[99.95]}")
    #expect(tree.json(at: "/tactus/midi/Clock/clock")?.contains("\"VALS\":[\"off\"") == true)
    #expect(tree.json(at: "/tactus/none") == nil)
    let whole = try #require(tree.json())
    #expect(whole.filter { $0 == "{" }.count == whole.filter { $0 == "}" }.count)
  }
}
