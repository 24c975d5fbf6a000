import MetronomeModel
import MusicalTime
import RealtimeEngine
import Testing

@testable import Conductor

@Suite("Taps")
struct TapTests {
  static func tap(_ rig: inout Rig, milliseconds: Int64, series: UInt64 = 1) -> Rig.Outcome {
    rig.submit(
      .tap(at: MonotonicTime(nanoseconds: milliseconds * 1_000_000), series: series),
      atSeconds: Double(milliseconds) / 1000)
  }

  @Test("two taps change nothing and are no error; the third gives the tempo at the next beat")
  func third() {
    var rig = Rig()
    rig.submit(.tempo(100, unit: nil, when: .beat))
    #expect(Self.tap(&rig, milliseconds: 0) == .accepted)
    #expect(Self.tap(&rig, milliseconds: 500) == .accepted)
    #expect(rig.state.tempo == .quarters(100))
    #expect(Self.tap(&rig, milliseconds: 1_000) == .effective(FrameIndex(1_000)))
    #expect(rig.state.tempo == .quarters(120))
    guard case .tempo(_, let boundary) = rig.actions.first else {
      Issue.record("no tempo")
      return
    }
    #expect(boundary == .beat)
  }

  @Test("taps never start the transport")
  func neverStarts() {
    var rig = Rig()
    for index in 0..<8 { _ = Self.tap(&rig, milliseconds: Int64(index) * 500) }
    #expect(rig.state.transport == .stopped)
    #expect(!rig.sent.contains { $0.hasPrefix("start") || $0.hasPrefix("resume") })
  }

  @Test(
    "tapping along with the heard beats keeps the tempo, whatever meter and unit",
    arguments: ["7/8", "6/8.", "6/8", "4/4", "3/2", "2+2+3/8"], ["1/4", "1/8", "1/4.", "1/2"])
  func along(meter: String, unit: String) throws {
    var rig = Rig()
    let meter = try Meter(text: meter)
    let unit = try #require(NoteValue(text: unit))
    rig.submit(.meter(meter))
    // 120 quarters a minute in that unit: 120 x 500 ms are 60 s.
    let value =
      120 * Double(unit.quartersDenominator) / Double(unit.quartersNumerator)
    rig.submit(.tempo(value, unit: unit, when: .beat))
    let beat = Int64(2000 * (meter.compound ? 3 : 1)) / Int64(meter.denominator)
    for index in 0..<5 { _ = Self.tap(&rig, milliseconds: Int64(index) * beat) }
    #expect(rig.state.tempo == Tempo(value, unit: unit))
  }

  @Test("tap/unit names a note value instead of the beat")
  func unit() throws {
    var rig = Rig()
    let dotted = try #require(NoteValue(text: "1/4."))
    rig.submit(.meter(try Meter(text: "7/8")))
    rig.submit(.tapUnit(.note(dotted)))
    for index in 0..<3 { _ = Self.tap(&rig, milliseconds: Int64(index) * 800) }
    // 60 000 / 800 = 75 dotted quarters, 112.5 quarters
    #expect(rig.state.tempo == .quarters(112.5))
    rig.submit(.tapUnit(.beat))
    for index in 0..<3 { _ = Self.tap(&rig, milliseconds: 9_000 + Int64(index) * 300) }
    // 200 eighths, 100 quarters.
    #expect(rig.state.tempo == .quarters(100))
  }

  @Test("each tap doubled after 11, 25 or 40 ms is one tap", arguments: [11, 25, 40] as [Int64])
  func doubled(later: Int64) {
    var rig = Rig()
    rig.submit(.tapPhase(true))
    rig.submit(.start)
    for index in 0..<6 {
      _ = Self.tap(&rig, milliseconds: Int64(index) * 500)
      #expect(Self.tap(&rig, milliseconds: Int64(index) * 500 + later) == .accepted)
    }
    #expect(rig.state.tempo == .quarters(120))
  }

  @Test("a shorter limit acts on a series that runs")
  func limitOfRunningSeries() {
    var rig = Rig()
    rig.submit(.tapLimit(seconds: 5))
    for time in [0, 3_000] as [Int64] { _ = Self.tap(&rig, milliseconds: time) }
    rig.submit(.tapLimit(seconds: 2))
    // The gap of 3 s is over the limit: this is the second tap of a series, not the third.
    #expect(Self.tap(&rig, milliseconds: 4_000) == .accepted)
    _ = Self.tap(&rig, milliseconds: 5_000)
    #expect(rig.state.tempo == .quarters(60))
  }

  @Test("every client has a series of its own")
  func series() {
    var rig = Rig()
    _ = Self.tap(&rig, milliseconds: 0, series: 1)
    _ = Self.tap(&rig, milliseconds: 250, series: 2)
    _ = Self.tap(&rig, milliseconds: 500, series: 1)
    #expect(Self.tap(&rig, milliseconds: 850, series: 2) == .accepted)
    #expect(Self.tap(&rig, milliseconds: 1_000, series: 1) == .effective(FrameIndex(1_000)))
    #expect(rig.state.tempo == .quarters(120))
    _ = Self.tap(&rig, milliseconds: 1_450, series: 2)
    #expect(rig.state.tempo == .quarters(100))
  }

  @Test("however many clients tap, the memory is bounded")
  func bounded() {
    var rig = Rig()
    for index in 0..<500 { _ = Self.tap(&rig, milliseconds: Int64(index), series: UInt64(index)) }
    #expect(rig.conductor.taps.count == TapSeries.capacity)
  }

  @Test("a tap is refused with a reason during a trainer and a glide")
  func refusedDuringRamps() {
    let ramps: [ControlCommand] = [
      .trainer(from: 80, to: 120, step: 5, share: .totalMilliseconds(60_000)),
      .glide(from: 80, to: 120, length: .seconds(10), when: .beat),
    ]
    for ramp in ramps {
      var rig = Rig()
      rig.submit(ramp)
      let before = rig.state
      for index in 0..<4 {
        #expect(Self.tap(&rig, milliseconds: Int64(index) * 500) == .refused(.state))
        #expect(rig.reason.contains("unclear"))
      }
      #expect(rig.state == before)
      rig.submit(.cancelRamp)
      #expect(Self.tap(&rig, milliseconds: 5_000) == .accepted)
    }
  }

  @Test("taps too slow for a tempo are refused with value and range, and count as taps")
  func outside() throws {
    var rig = Rig()
    rig.submit(.tapLimit(seconds: 12))
    // 1 s a thirty-second note is 60 of them, 7.5 quarters; 2 s is 3.75.
    rig.submit(.tapUnit(.note(try #require(NoteValue(text: "1/32")))))
    for index in 0..<2 { _ = Self.tap(&rig, milliseconds: Int64(index) * 2_000) }
    #expect(Self.tap(&rig, milliseconds: 4_000) == .refused(.value))
    #expect(rig.reason.contains("3.75"))
    #expect(Self.tap(&rig, milliseconds: 5_000) == .refused(.value))
    // Three intervals of 1 s after the two of 2 s, which are outside 1.6 times their median.
    _ = Self.tap(&rig, milliseconds: 6_000)
    _ = Self.tap(&rig, milliseconds: 7_000)
    #expect(rig.state.tempo == .quarters(7.5))
    rig.submit(.tapUnit(.beat))
    // 12 s is 5 a minute, the slowest.
    for index in 0..<3 { _ = Self.tap(&rig, milliseconds: 20_000 + Int64(index) * 12_000) }
    #expect(rig.state.tempo == .quarters(5))
  }

  @Test(
    "the limit of a gap is 0.5 to 12 s",
    arguments: [(0.5, true), (12, true), (0.499, false), (12.001, false), (.nan, false)])
  func limits(seconds: Double, isLegal: Bool) {
    var rig = Rig()
    #expect(rig.submit(.tapLimit(seconds: seconds)) == (isLegal ? .accepted : .refused(.value)))
  }

  @Test("a series of taps is one change: resume goes back to the tempo before it")
  func resume() {
    var rig = Rig()
    rig.submit(.tempo(100, unit: nil, when: .beat))
    for time in [0, 500, 1_010, 1_500, 2_020] as [Int64] { _ = Self.tap(&rig, milliseconds: time) }
    rig.submit(.resumeTempo)
    #expect(rig.state.tempo == .quarters(100))
  }

  @Test("with the phase option a tap that counts also moves the beat, while the music runs")
  func phase() {
    var rig = Rig()
    rig.submit(.tapPhase(true))
    for time in [0, 500, 1_000] as [Int64] { _ = Self.tap(&rig, milliseconds: time) }
    #expect(!rig.sent.contains { $0.hasPrefix("phase") })
    rig.submit(.start)
    // Stamped 20 ms before it is judged: 1.5 s at 48 kHz is frame 72 000.
    let tap = ControlCommand.tap(at: MonotonicTime(nanoseconds: 1_500_000_000), series: 1)
    #expect(rig.submit(tap, atSeconds: 1.52) == .effective(FrameIndex(1_000)))
    guard case .phase(let frame) = rig.actions.last else {
      Issue.record("no phase: \(rig.sent)")
      return
    }
    #expect(frame == FrameIndex(72_000))
    rig.submit(.tapPhase(false))
    _ = Self.tap(&rig, milliseconds: 2_000)
    #expect(!rig.sent.contains { $0.hasPrefix("phase") })
  }
}
