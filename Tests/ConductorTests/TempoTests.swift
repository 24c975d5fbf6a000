import MetronomeModel
import MusicalTime
import RealtimeEngine
import Testing

@testable import Conductor

@Suite("Tempo")
struct TempoTests {
  @Test(
    "any input is rounded to a thousandth and echoed as given",
    arguments: [
      (120.5, 120_500), (99.95, 99_950), (113.125, 113_125), (120.0004, 120_000),
      (120.0005, 120_001), (5, 5_000), (999, 999_000), (4.9996, 5_000), (999.0004, 999_000),
    ] as [(Double, Int32)])
  func rounded(value: Double, thousandths: Int32) {
    var rig = Rig()
    #expect(rig.submit(.tempo(value, unit: nil, when: .beat)) == .effective(FrameIndex(1_000)))
    #expect(rig.state.tempo == Tempo(unchecked: thousandths, unit: .quarter))
  }

  @Test(
    "a tempo outside 5 to 999 quarters a minute is refused with value and range",
    arguments: [
      0, -1, 4.999, 999.001, 1e9, 1e300, .nan, .infinity, -.infinity, 4.9994,
    ] as [Double])
  func refused(value: Double) {
    var rig = Rig()
    rig.submit(.start)
    let before = rig.state
    #expect(rig.submit(.tempo(value, unit: nil, when: .beat)) == .refused(.value))
    #expect(rig.reason.contains(" 5 to 999 "))
    #expect(rig.actions.isEmpty)
    #expect(rig.state == before)
  }

  @Test("a bare tempo keeps the unit in force; 72 dotted quarters are 108 quarters")
  func units() throws {
    var rig = Rig()
    let dotted = try #require(NoteValue(text: "1/4."))
    rig.submit(.tempo(72, unit: dotted, when: .bar))
    #expect(rig.state.tempo.quarterThousandths == 108_000)
    rig.submit(.tempo(80, unit: nil, when: .beat))
    #expect(rig.state.tempo == Tempo(unchecked: 80_000, unit: dotted))
    rig.submit(.tempo(80, unit: .quarter, when: .beat))
    #expect(rig.state.tempo.quarterThousandths == 80_000)
  }

  @Test(
    "the limits are those of the quarter tempo, said in the unit",
    arguments: [
      // eighths: 10 to 1998; dotted quarters: 3.333 (5 / 1.5 = 3.3333..., so 3.334) to 666
      ("1/8", 10, true), ("1/8", 9.999, false), ("1/8", 1998, true), ("1/8", 1998.001, false),
      ("1/4.", 3.334, true), ("1/4.", 3.333, false), ("1/4.", 666, true),
      ("1/4.", 666.001, false),
    ])
  func unitLimits(unit: String, value: Double, isLegal: Bool) throws {
    var rig = Rig()
    let unit = try #require(NoteValue(text: unit))
    let outcome = rig.submit(.tempo(value, unit: unit, when: .beat))
    #expect(outcome == (isLegal ? .effective(FrameIndex(1_000)) : .refused(.value)))
    if !isLegal { #expect(rig.reason.contains("\(unit) notes a minute")) }
  }

  @Test("the boundary asked for reaches the engine", arguments: ChangeBoundary.allCases)
  func boundary(when: ChangeBoundary) {
    var rig = Rig()
    rig.submit(.tempo(90, unit: nil, when: when))
    guard case .tempo(_, let boundary) = rig.actions.first else {
      Issue.record("no tempo")
      return
    }
    #expect(boundary == when)
  }

  @Test(
    "nudge moves the value in the tempo's own unit",
    arguments: [
      ("1/4", 120, 1, 121_000), ("1/4", 120, -0.5, 119_500), ("1/8", 240, 1, 241_000),
      ("1/4", 5, -1, nil), ("1/4", 999, 1, nil), ("1/4", 998, 1, 999_000),
      ("1/4", 120, .nan, nil), ("1/4", 120, .infinity, nil),
    ] as [(String, Double, Double, Int32?)])
  func nudge(unit: String, start: Double, difference: Double, result: Int32?) throws {
    var rig = Rig()
    let noteValue = try #require(NoteValue(text: unit))
    rig.submit(.tempo(start, unit: noteValue, when: .beat))
    let outcome = rig.submit(.nudge(difference))
    if let result {
      #expect(outcome == .effective(FrameIndex(1_000)))
      #expect(rig.state.tempo.thousandths == result)
    } else {
      #expect(outcome == .refused(.value))
      #expect(rig.state.tempo.value == start)
    }
  }

  @Test(
    "double and half outside the limits are refused with value and range",
    arguments: [
      (499.5, 999_000, 249_750), (499.501, nil, 249_751), (10, 20_000, 5_000),
      (9.998, 19_996, nil), (60.001, 120_002, 30_001),
    ] as [(Double, Int32?, Int32?)])
  func doubleAndHalf(start: Double, double: Int32?, half: Int32?) {
    for (command, result) in [(ControlCommand.doubleTempo, double), (.halfTempo, half)] {
      var rig = Rig()
      rig.submit(.tempo(start, unit: nil, when: .beat))
      let outcome = rig.submit(command)
      if let result {
        #expect(outcome == .effective(FrameIndex(1_000)))
        #expect(rig.state.tempo.thousandths == result)
      } else {
        #expect(outcome == .refused(.value))
        #expect(rig.reason.contains("5 to 999"))
        #expect(rig.state.tempo.value == start)
      }
    }
  }

  @Test("resume is the tempo before the last change, and again the other one")
  func resume() {
    var rig = Rig()
    #expect(rig.submit(.resumeTempo) == .refused(.state))
    rig.submit(.tempo(90, unit: nil, when: .beat))
    rig.submit(.tempo(100, unit: nil, when: .beat))
    // The same tempo once more is no change.
    rig.submit(.tempo(100, unit: nil, when: .beat))
    rig.submit(.resumeTempo)
    #expect(rig.state.tempo == .quarters(90))
    rig.submit(.resumeTempo)
    #expect(rig.state.tempo == .quarters(100))
  }

  @Test("push is 4 % up and pull 4 % down while held, both cancel out, release is exact")
  func bend() {
    var rig = Rig()
    rig.submit(.push(true))
    #expect(rig.sent == ["bend(thousandths: 1040)"])
    // Held is held: a repeated press changes nothing.
    #expect(rig.submit(.push(true)) == .accepted)
    #expect(rig.sent.isEmpty)
    rig.submit(.pull(true))
    #expect(rig.sent == ["bend(thousandths: 1000)"])
    rig.submit(.push(false))
    #expect(rig.sent == ["bend(thousandths: 960)"])
    rig.submit(.pull(false))
    #expect(rig.sent == ["bend(thousandths: 1000)"])
    #expect(rig.submit(.pull(false)) == .accepted)
    #expect(rig.sent.isEmpty)
    #expect(rig.state.tempo == .quarters(120))
    #expect(rig.state.previousTempo == nil)
  }

  @Test("a tempo that the engine refuses leaves the tempo that is in force")
  func engineRefuses() {
    var rig = Rig()
    rig.tempo(100_000, at: 0)
    rig.refusal = .outOfRange
    #expect(rig.submit(.tempo(90, unit: nil, when: .beat)) == .refused(.value))
    #expect(rig.state.tempo == .quarters(100))
  }

  @Test("a fact that is older than the request does not undo it")
  func staleFact() {
    var rig = Rig()
    rig.frame = FrameIndex(24_000)
    rig.submit(.tempo(90, unit: nil, when: .beat))
    rig.tempo(120_000, at: 12_000)
    #expect(rig.state.tempo == .quarters(90))
    rig.tempo(95_000, at: 24_000)
    #expect(rig.state.tempo == .quarters(95))
  }
}
