import MetronomeModel
import MusicalTime
import RealtimeEngine
import Testing

@testable import Conductor

@Suite("Meter, pattern, subdivision")
struct MeterTests {
  static func meter(_ text: String) throws -> Meter { try Meter(text: text) }

  @Test(
    "a new meter brings its default pattern",
    arguments: [
      ("4/4", "Xxxx"), ("3/4", "Xxx"), ("7/8", "Xxxxxxx"), ("2+2+3/8", "X-x-x--"),
      ("6/8", "X--x--"), ("9/8", "X--x--x--"), ("12/8", "X--x--x--x--"), ("6/8.", "Xx"),
      ("5/4", "Xxxxx"),
    ])
  func defaults(text: String, pattern: String) throws {
    var rig = Rig()
    #expect(rig.submit(.meter(try Self.meter(text))) == .effective(FrameIndex(1_000)))
    #expect(rig.state.pattern.description == pattern)
    guard case .meter(_, let sent) = rig.actions.first else {
      Issue.record("no meter")
      return
    }
    #expect(sent.description == pattern)
  }

  @Test("a meter brings the pattern it was last used with")
  func lastUsed() throws {
    var rig = Rig()
    rig.submit(.pattern("X.-."))
    rig.submit(.meter(try Self.meter("3/4")))
    rig.submit(.pattern("Xxx"))
    rig.submit(.meterAndPattern(try Self.meter("3/4"), "X-."))
    rig.submit(.meter(.common))
    #expect(rig.state.pattern.description == "X.-.")
    rig.submit(.meter(try Self.meter("3/4")))
    #expect(rig.state.pattern.description == "X-.")
    // The grouped seven is another meter than the plain one.
    rig.submit(.meterAndPattern(try Self.meter("2+2+3/8"), "X.X.X.."))
    rig.submit(.meter(try Self.meter("7/8")))
    #expect(rig.state.pattern.description == "Xxxxxxx")
  }

  @Test("a pattern of another length than the bar is refused, naming both lengths")
  func length() {
    for text in ["Xxx", "Xxxxx", "", String(repeating: "x", count: 1_000)] {
      var rig = Rig()
      let before = rig.state
      #expect(rig.submit(.pattern(text)) == .refused(.value))
      #expect(rig.reason.contains("\(text.count) letters"))
      #expect(rig.reason.contains("4 beats"))
      #expect(rig.state == before)
    }
    var rig = Rig()
    #expect(rig.submit(.pattern("Xyxx")) == .refused(.value))
    #expect(rig.reason.contains("'y'"))
  }

  @Test("meter and pattern together are checked together")
  func together() throws {
    var rig = Rig()
    let five = try Self.meter("5/4")
    #expect(rig.submit(.meterAndPattern(five, "X-x--")) == .effective(FrameIndex(1_000)))
    #expect(rig.actions.count == 1)
    #expect(rig.state.pattern.description == "X-x--")
    let before = rig.state
    #expect(rig.submit(.meterAndPattern(try Self.meter("3/4"), "X-x--")) == .refused(.value))
    #expect(rig.state == before)
  }

  @Test("a meter of the engine's song is read back; a refused one is undone")
  func facts() throws {
    var rig = Rig()
    let three = try Self.meter("3/4")
    rig.receive(
      .meter(
        MeterEvent(frame: FrameIndex(5_000), meter: three, pattern: .standard(for: three))))
    #expect(rig.state.meter == three)
    rig.refusal = .outOfRange
    #expect(rig.submit(.meter(try Self.meter("5/4"))) == .refused(.value))
    #expect(rig.state.meter == three)
  }

  @Test(
    "subdivision is 1 to 9",
    arguments: [(1, true), (9, true), (0, false), (10, false), (-1, false), (Int.max, false)])
  func subdivision(count: Int, isLegal: Bool) {
    var rig = Rig()
    let outcome = rig.submit(.subdivision(count))
    #expect(outcome == (isLegal ? .effective(FrameIndex(1_000)) : .refused(.value)))
    if isLegal { #expect(Int(rig.state.subdivision.count) == count) }
  }

  @Test("its level and its swing stay when the count changes")
  func keeps() {
    var rig = Rig()
    rig.submit(.subdivision(2))
    rig.submit(.subdivisionLevel(.normal))
    rig.submit(.swing(.triplet))
    rig.submit(.subdivision(4))
    #expect(
      rig.state.subdivision == Subdivision(unchecked: 4, level: .normal, swing: .triplet))
  }

  @Test(
    "swing is 50 to 75 per cent",
    arguments: [
      (.percentHundredths(5_000), true), (.percentHundredths(7_500), true), (.triplet, true),
      (.percentHundredths(4_999), false), (.percentHundredths(7_501), false),
      (.percentHundredths(12_000), false), (.percentHundredths(.min), false),
    ] as [(Swing, Bool)])
  func swing(swing: Swing, isLegal: Bool) {
    var rig = Rig()
    rig.submit(.subdivision(2))
    let outcome = rig.submit(.swing(swing))
    #expect(outcome == (isLegal ? .effective(FrameIndex(1_000)) : .refused(.value)))
    #expect(rig.notices.isEmpty)
  }

  @Test("swing on an odd subdivision is stored and reported inactive", arguments: 1...9)
  func oddSwing(count: Int) {
    var rig = Rig()
    rig.submit(.subdivision(count))
    rig.submit(.swing(.percentHundredths(5_850)))
    #expect(rig.state.subdivision.swing == .percentHundredths(5_850))
    #expect(rig.state.subdivision.swingIsActive == (count % 2 == 0))
    #expect(rig.notices.isEmpty == (count % 2 == 0))
    if count % 2 == 1 { #expect(rig.notices.first?.contains("58.5 % is kept") == true) }
  }

  @Test(
    "a layer has 2 to 16 clicks a bar, or 0 for none",
    arguments: [(0, true), (2, true), (16, true), (1, false), (17, false), (-1, false)])
  func layer(count: Int, isLegal: Bool) {
    var rig = Rig()
    let outcome = rig.submit(.layer(count))
    #expect(outcome == (isLegal ? .effective(FrameIndex(1_000)) : .refused(.value)))
  }
}
