import MetronomeModel
import MusicalTime
import RealtimeEngine
import Testing

@testable import Conductor

@Suite("Ramps")
struct RampTests {
  static let minute = SpeedTrainer.Share.totalMilliseconds(60_000)

  static func trainer(
    _ from: Double, _ to: Double, _ step: Double = 5, _ share: SpeedTrainer.Share = minute
  ) -> ControlCommand {
    .trainer(from: from, to: to, step: step, share: share)
  }

  static func sent(_ rig: Rig) -> SpeedTrainer? {
    for case .trainer(let trainer) in rig.actions { return trainer }
    return nil
  }

  @Test(
    "levels are ceil(|to - from| / step) + 1; a step beyond the range gives two",
    arguments: [
      (80, 120, 5, 9), (120, 80, 5, 9), (80, 120, 7, 7), (80, 120, 40, 2), (80, 120, 41, 2),
      (80, 120, 1e9, 2), (120, 80, -5, 9), (80, 80.001, 0.001, 2), (5, 999, 0.001, 994_001),
    ] as [(Double, Double, Double, Int64)])
  func levels(from: Double, to: Double, step: Double, count: Int64) {
    var rig = Rig()
    #expect(rig.submit(Self.trainer(from, to, step)) == .effective(FrameIndex(1_000)))
    #expect(Self.sent(rig)?.levelCount == count)
    #expect(rig.state.ramp?.name == "trainer")
  }

  @Test(
    "step 0, from = to, and what is no tempo are refused, and nothing changes",
    arguments: [
      (80, 120, 0), (80, 120, 0.0004), (120, 80, -0.0004), (80, 80, 5), (80, 80.0004, 5),
      (80, 120, .nan),
      (80, 120, .infinity), (80, 120, -5), (4.999, 120, 5), (80, 999.001, 5), (.nan, 120, 5),
    ] as [(Double, Double, Double)])
  func refused(from: Double, to: Double, step: Double) {
    var rig = Rig()
    let before = rig.state
    #expect(rig.submit(Self.trainer(from, to, step)) == .refused(.value))
    #expect(rig.actions.isEmpty)
    #expect(rig.state == before)
  }

  @Test(
    "a length is 0.1 s to 3 hours in all or a level, or 1 to 9999 bars a level",
    arguments: [
      (.totalMilliseconds(100), true), (.totalMilliseconds(99), false),
      (.totalMilliseconds(10_800_000), true), (.totalMilliseconds(10_800_001), false),
      (.totalMilliseconds(0), false), (.totalMilliseconds(.min), false),
      (.millisecondsPerLevel(100), true), (.millisecondsPerLevel(99), false),
      (.millisecondsPerLevel(10_800_000), true), (.millisecondsPerLevel(.max), false),
      (.barsPerLevel(1), true), (.barsPerLevel(0), false), (.barsPerLevel(9_999), true),
      (.barsPerLevel(10_000), false), (.barsPerLevel(-1), false),
    ] as [(SpeedTrainer.Share, Bool)])
  func shares(share: SpeedTrainer.Share, isLegal: Bool) {
    var rig = Rig()
    let outcome = rig.submit(Self.trainer(80, 120, 5, share))
    #expect(outcome == (isLegal ? .effective(FrameIndex(1_000)) : .refused(.value)))
    if isLegal { #expect(Self.sent(rig)?.share == share) }
  }

  @Test("the trainer ends as asked; hold is the default", arguments: SpeedTrainer.End.allCases)
  func ends(end: SpeedTrainer.End) {
    var rig = Rig()
    rig.submit(Self.trainer(80, 120))
    #expect(Self.sent(rig)?.end == .hold)
    // Not begun yet: the new end holds for it too.
    rig.submit(.trainerEnd(end))
    if end != .hold { #expect(Self.sent(rig)?.end == end) }
    rig.submit(Self.trainer(80, 120))
    #expect(Self.sent(rig)?.end == end)
  }

  @Test("its tempos are in the unit in force")
  func unit() throws {
    var rig = Rig()
    let eighth = try #require(NoteValue(8))
    rig.submit(.tempo(200, unit: eighth, when: .beat))
    rig.submit(Self.trainer(1_100, 1_200))
    #expect(Self.sent(rig)?.from == Tempo(unchecked: 1_100_000, unit: eighth))
  }

  @Test(
    "an explicit tempo, nudge, double, half or resume cancels a ramp and says so",
    arguments: [
      .tempo(90, unit: nil, when: .bar), .nudge(1), .doubleTempo, .halfTempo, .resumeTempo,
    ] as [ControlCommand])
  func cancelled(by command: ControlCommand) {
    for ramp in [Self.trainer(80, 120), .glide(from: 80, to: 120, length: .bars(4), when: .bar)] {
      var rig = Rig()
      rig.submit(.tempo(100, unit: nil, when: .beat))
      rig.submit(ramp)
      #expect(rig.submit(command) == .effective(FrameIndex(1_000)))
      #expect(rig.state.ramp == nil)
      #expect(rig.notices.count == 1)
      #expect(rig.notices.first?.contains("cancelled") == true)
      #expect(rig.changed.contains(.ramp))
    }
  }

  @Test("a refused tempo does not cancel a ramp")
  func refusedTempo() {
    var rig = Rig()
    rig.submit(Self.trainer(80, 120))
    let ramp = rig.state.ramp
    #expect(rig.submit(.tempo(0, unit: nil, when: .beat)) == .refused(.value))
    #expect(rig.state.ramp == ramp)
    #expect(rig.notices.isEmpty)
  }

  @Test("cancel keeps the tempo of the moment and is no error without a ramp")
  func cancel() {
    var rig = Rig()
    #expect(rig.submit(.cancelRamp) == .accepted)
    rig.submit(.start)
    rig.started(at: 1_000)
    rig.submit(Self.trainer(80, 120))
    rig.tempo(85_000, at: 5_000)
    rig.submit(.cancelRamp)
    #expect(rig.sent == ["cancelRamp"])
    #expect(rig.state.tempo == .quarters(85))
    #expect(rig.state.ramp == nil)
  }

  @Test("resume after a trainer is the tempo before it; during it, too")
  func resume() {
    var rig = Rig()
    rig.submit(.tempo(66, unit: nil, when: .beat))
    rig.submit(.start)
    rig.started(at: 1_000)
    rig.submit(Self.trainer(80, 120))
    rig.tempo(80_000, at: 2_000)
    rig.tempo(85_000, at: 50_000)
    rig.trainer(.finished, level: 8, of: 9, at: 60_000)
    rig.submit(.resumeTempo)
    #expect(rig.state.tempo == .quarters(66))
  }

  @Test("a level's tempo is the tempo that nudge starts from")
  func nudgeFromLevel() {
    var rig = Rig()
    rig.submit(.start)
    rig.started(at: 1_000)
    rig.submit(Self.trainer(80, 120))
    rig.tempo(95_000, at: 50_000)
    rig.submit(.nudge(1))
    #expect(rig.state.tempo == .quarters(96))
  }

  @Test(
    "a glide goes from one tempo to another over 0.1 s to 3 h, or over 1 to 9999 bars",
    arguments: [
      (120, 140, .seconds(7.384615), true), (140, 120, .bars(4), true),
      (120, 140, .seconds(0.1), true), (120, 140, .seconds(0.0999), false),
      (120, 140, .seconds(10_800), true), (120, 140, .seconds(10_800.1), false),
      (120, 140, .seconds(.nan), false), (120, 140, .seconds(-1), false),
      (120, 140, .bars(1), true), (120, 140, .bars(0), false), (120, 140, .bars(10_000), false),
      (120, 120, .bars(4), false), (4, 120, .bars(4), false), (120, 1_000, .bars(4), false),
    ] as [(Double, Double, GlideRamp.Length, Bool)])
  func glides(from: Double, to: Double, length: GlideRamp.Length, isLegal: Bool) {
    for when in ChangeBoundary.allCases {
      var rig = Rig()
      let outcome = rig.submit(.glide(from: from, to: to, length: length, when: when))
      #expect(outcome == (isLegal ? .effective(FrameIndex(1_000)) : .refused(.value)))
      guard isLegal, case .glide(let ramp, let boundary) = rig.actions.first else {
        #expect(!isLegal)
        continue
      }
      #expect(ramp == GlideRamp(unchecked: .quarters(from), to: .quarters(to), length: length))
      #expect(boundary == when)
    }
  }

  @Test("a glide is over with the steady tempo at its target")
  func glideEnds() {
    var rig = Rig()
    rig.submit(.start)
    rig.started(at: 1_000)
    rig.frame = FrameIndex(48_000)
    rig.submit(.glide(from: 120, to: 140, length: .seconds(2), when: .beat))
    rig.tempo(140_000, at: 48_000, isGlide: true)
    #expect(rig.state.ramp != nil)
    rig.outputs = []
    rig.tempo(140_000, at: 144_000)
    #expect(rig.state.ramp == nil)
    #expect(rig.state.tempo == .quarters(140))
    #expect(rig.changed.contains(.ramp))
  }

  @Test("push and pull are refused during a glide, and a held one ends when it is set")
  func bendDuringGlide() {
    var rig = Rig()
    rig.submit(.push(true))
    rig.submit(.glide(from: 120, to: 140, length: .seconds(2), when: .beat))
    #expect(rig.sent.contains("bend(thousandths: 1000)"))
    #expect(!rig.state.isPushed)
    #expect(rig.submit(.pull(true)) == .refused(.state))
    #expect(rig.submit(.push(false)) == .accepted)
  }

  @Test("Start begins a ramp anew where it had begun before")
  func anew() {
    var rig = Rig()
    rig.submit(.glide(from: 120, to: 140, length: .seconds(2), when: .beat))
    rig.submit(.start)
    #expect(rig.actions.count == 1)
    rig.started(at: 9_600)
    rig.submit(.stop)
    rig.stopped(at: 48_000)
    rig.submit(.start)
    #expect(rig.sent.first?.hasPrefix("glide") == true)
    #expect(rig.sent.last?.hasPrefix("start") == true)
  }

  // MARK: progress

  static func expect(
    _ progress: RampProgress?, tempo: Double, level: Int, of count: Int, fraction: Double,
    left: Double, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    guard let progress else {
      Issue.record("no progress", sourceLocation: sourceLocation)
      return
    }
    #expect(progress.tempo == .quarters(tempo), sourceLocation: sourceLocation)
    #expect(progress.level == level, sourceLocation: sourceLocation)
    #expect(progress.levelCount == count, sourceLocation: sourceLocation)
    #expect(abs(progress.fraction - fraction) < 1e-9, sourceLocation: sourceLocation)
    #expect(abs(progress.secondsLeft - left) < 1e-6, sourceLocation: sourceLocation)
  }

  @Test("progress counts playing time from the first beat; Stop pauses it, Start begins anew")
  func progressInSeconds() {
    var rig = Rig()
    #expect(rig.conductor.rampProgress(at: FrameIndex(0)) == nil)
    // 80 to 120 by 5 in 90 s: 9 levels of 10 s.
    rig.submit(Self.trainer(80, 120, 5, .totalMilliseconds(90_000)))
    func at(_ seconds: Int64) -> RampProgress? {
      rig.conductor.rampProgress(at: FrameIndex(seconds * 48_000))
    }
    Self.expect(at(100), tempo: 80, level: 1, of: 9, fraction: 0, left: 90)
    rig.submit(.start)
    rig.started(at: 10 * 48_000)
    rig.trainer(.level, level: 0, of: 9, at: 10 * 48_000)
    Self.expect(at(19), tempo: 80, level: 1, of: 9, fraction: 0.1, left: 81)
    rig.outputs = []
    rig.trainer(.level, level: 1, of: 9, at: 21 * 48_000, tempo: 85_000)
    #expect(rig.outputs.contains { if case .rampProgress = $0 { true } else { false } })
    Self.expect(at(28), tempo: 85, level: 2, of: 9, fraction: 0.2, left: 72)
    rig.submit(.stop)
    rig.stopped(at: 28 * 48_000)
    Self.expect(at(500), tempo: 85, level: 2, of: 9, fraction: 0.2, left: 72)
    rig.submit(.continue)
    rig.continued(at: 600 * 48_000)
    Self.expect(at(609), tempo: 85, level: 2, of: 9, fraction: 0.3, left: 63)
    rig.submit(.stop)
    rig.stopped(at: 609 * 48_000)
    rig.submit(.start)
    rig.started(at: 700 * 48_000)
    Self.expect(at(709), tempo: 80, level: 1, of: 9, fraction: 0.1, left: 81)
  }

  @Test("progress in bars: the time left is what the bars take at their levels' tempos")
  func progressInBars() {
    var rig = Rig()
    // Three levels of 2 bars of 4/4: 8 quarters at 60, 80 and 100: 8, 6 and 4.8 s.
    rig.submit(Self.trainer(60, 100, 20, .barsPerLevel(2)))
    rig.submit(.start)
    rig.started(at: 0)
    rig.trainer(.level, level: 0, of: 3, at: 0)
    let at = { (seconds: Double) in
      rig.conductor.rampProgress(at: FrameIndex(Int64(seconds * 48_000)))
    }
    Self.expect(at(4), tempo: 60, level: 1, of: 3, fraction: 0.5 / 3, left: 14.8)
    rig.trainer(.level, level: 1, of: 3, at: 8 * 48_000)
    Self.expect(at(9.5), tempo: 80, level: 2, of: 3, fraction: 1.25 / 3, left: 4.5 + 4.8)
  }

  @Test("a glide's progress is its closed form")
  func progressOfGlides() {
    var rig = Rig()
    rig.submit(.start)
    rig.started(at: 0)
    rig.frame = FrameIndex(0)
    rig.submit(.glide(from: 120, to: 140, length: .seconds(8), when: .beat))
    Self.expect(
      rig.conductor.rampProgress(at: FrameIndex(2 * 48_000)), tempo: 125, level: 1, of: 1,
      fraction: 0.25, left: 6)
    // Over 4 bars of 4/4 it takes 48 ln(7/6) = 7.399233 s; half of the time is at the geometric
    // mean of the tempos, sqrt(120 x 140) = 129.615 (rounded), and 9.614814 / 20 of the way.
    rig.submit(.glide(from: 120, to: 140, length: .bars(4), when: .beat))
    let half = rig.conductor.rampProgress(at: FrameIndex(177_582))
    #expect(half?.tempo == .quarters(129.615))
    #expect(abs((half?.fraction ?? 0) - 0.480741) < 1e-5)
    #expect(abs((half?.secondsLeft ?? 0) - 7.399233 / 2) < 1e-4)
  }

  @Test("the end of a trainer reports the last level and no time left")
  func finished() {
    var rig = Rig()
    rig.submit(Self.trainer(80, 120))
    rig.submit(.start)
    rig.started(at: 0)
    rig.outputs = []
    rig.trainer(.finished, level: 8, of: 9, at: 60 * 48_000)
    #expect(rig.state.ramp == nil)
    for case .rampProgress(let progress, _) in rig.outputs {
      #expect(progress.level == 9)
      #expect(progress.fraction == 1)
      #expect(progress.secondsLeft == 0)
      return
    }
    Issue.record("no progress")
  }

  @Test("a level that is overtaken is reported")
  func skipped() {
    var rig = Rig()
    rig.submit(Self.trainer(80, 120))
    rig.submit(.start)
    rig.started(at: 0)
    rig.outputs = []
    rig.trainer(.skippedLevel, level: 3, of: 9, at: 100_000)
    #expect(rig.notices.first?.contains("level 4 of 9") == true)
  }

  @Test("the cancelled fact of the trainer before does not end its successor")
  func successor() {
    var rig = Rig()
    rig.submit(.start)
    rig.started(at: 0)
    rig.submit(Self.trainer(80, 120))
    rig.frame = FrameIndex(96_000)
    rig.submit(Self.trainer(90, 100))
    rig.trainer(.cancelled, level: 2, of: 9, at: 50_000)
    rig.trainer(.cancelled, level: 2, of: 9, at: 96_000)
    #expect(rig.state.ramp?.from == .quarters(90))
    rig.trainer(.cancelled, level: 0, of: 3, at: 120_000)
    #expect(rig.state.ramp == nil)
  }

  @Test("a new sample rate changes neither the time played nor the time left")
  func newRate() {
    var rig = Rig()
    rig.frame = FrameIndex(0)
    rig.submit(Self.trainer(80, 120, 5, .totalMilliseconds(90_000)))
    rig.submit(.start)
    rig.started(at: 0)
    rig.trainer(.level, level: 0, of: 9, at: 0)
    rig.trainer(.level, level: 1, of: 9, at: 10 * 48_000)
    // 15 s at 48 kHz, then 3 s at 44.1 kHz.
    rig.outputs = rig.conductor.change(rate: 44_100, at: FrameIndex(15 * 48_000))
    #expect(rig.sent.contains { $0.hasPrefix("announce") })
    #expect(rig.outputs.contains { if case .prepareSounds = $0 { true } else { false } })
    Self.expect(
      rig.conductor.rampProgress(at: FrameIndex(15 * 48_000 + 3 * 44_100)), tempo: 85, level: 2,
      of: 9, fraction: 0.2, left: 72)
  }
}
