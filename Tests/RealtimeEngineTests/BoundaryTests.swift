import MetronomeModel
import MusicalTime
import Testing

@testable import RealtimeEngine

/// At 48 kHz C is 960 frames and the horizon 4800; at 120 beats lie 24000 apart from 9600.
@Suite struct BoundaryTests {
  /// Asked at S = beat - before: at least C before, it lands on that very beat, else on the next.
  @Test(
    arguments: [
      (5_000, 33_600), (961, 33_600), (960, 33_600), (959, 57_600), (1, 57_600), (0, 57_600),
      (-1, 57_600),
    ] as [(Int64, Int64)])
  func `a tempo lands on the beat that is at least C ahead`(before: Int64, lands: Int64) {
    for periods in [[1], [64], [1024]] {
      let bench = EngineBench()
      bench.keepsSamples = false
      bench.start()
      bench.send(.tempo(Tempo(240)!, .beat), at: 33_600 - before, id: 7)
      bench.run(to: 100_000, periods: periods == [1] ? [64, 1] : periods)
      #expect(bench.effective(7) == lands)
      // The beat keeps its instant, what follows it changes: 12000 frames a beat from there.
      let index = bench.beatFrames.firstIndex(of: lands)!
      #expect(bench.beatFrames[index + 1] == lands + 12_000)
      #expect(bench.tempos.last?.frame.value == lands)
      #expect(bench.tempos.last?.quarterThousandths == 240_000)
    }
  }

  /// At 5 a minute a beat lasts 576000 frames and a pulse 24000: nothing is announced for long, yet
  /// a change never lands on a beat that was rendered.
  @Test(
    arguments: [
      (ChangeBoundary.beat, 585_600 - 960, 585_600),
      // The beat after it is 12 s away, more than 2 s: it lands as with now, on the first pulse after
      // 9600 + 24000 x 24 = 585600 that is not announced.
      (.beat, 585_600 - 959, 609_600), (.beat, 590_000, 609_600),
      // Pulses lie at 9600 + 24000 n: the first one after what was announced (S + 4800).
      (.now, 12_000, 33_600), (.now, 28_800, 57_600), (.now, 28_799, 33_600),
      (.now, 40_000, 57_600),
    ] as [(ChangeBoundary, Int64, Int64)])
  func `at slow tempos a change never lands in the past`(
    boundary: ChangeBoundary, asked: Int64, lands: Int64
  ) {
    let bench = EngineBench(tempo: 5)
    bench.keepsSamples = false
    bench.start()
    bench.send(.tempo(Tempo(300)!, boundary), at: asked, id: 3)
    bench.run(to: lands + 20_000, periods: [441])
    #expect(bench.effective(3) == lands)
    // 400 frames a pulse from there.
    let after = bench.pulses.filter { $0.frame.value >= lands }.map(\.frame.value)
    #expect(after.prefix(4) == [lands, lands + 400, lands + 800, lands + 1200])
    for (fact, announced) in zip(bench.facts, bench.announcedBy) where fact.isVoidable {
      // Blocks are 441 frames: what a block announces is ahead of its start.
      #expect(fact.frame.value > announced - 441)
    }
  }

  /// An event is announced when S comes within the horizon of its frame, but not before S has come
  /// within C of the beat before it.
  @Test(arguments: [20.0, 120, 300, 999])
  func `facts are announced within the horizon and behind the commit span`(tempo: Double) {
    let bench = EngineBench(tempo: tempo)
    bench.keepsSamples = false
    bench.send(.subdivision(Subdivision(unchecked: 4, level: .soft, swing: .straight)))
    bench.start()
    bench.run(to: 150_000, periods: [1])
    var lastBeat = Int64.min / 2
    var checked = 0
    for (fact, announced) in zip(bench.facts, bench.announcedBy) where fact.isVoidable {
      let frame = fact.frame.value
      // The exact S: 4800 before its frame, or one frame closer than C to the beat before it.
      var expected = max(frame - 4_800, lastBeat - 960 + 1)
      if expected < 0 { expected = 0 }
      if case .beat(let beat) = fact { lastBeat = beat.frame.value }
      if case .click(let click) = fact, click.source == .beat { continue }
      // The Start itself was taken at 0; each block is one frame long.
      #expect(max(announced, 0) == max(expected, 1), "fact at \(frame)")
      checked += 1
    }
    #expect(checked > 25)
  }

  @Test func `a bar change lands on the next bar line, the running bar before beat one included`() {
    for (asked, lands) in [
      (1_000, 9_600), (9_600 - 960, 9_600), (9_600 - 959, 105_600), (60_000, 105_600),
      (105_600 - 960, 105_600), (105_600 - 959, 201_600),
    ] as [(Int64, Int64)] {
      let bench = EngineBench()
      bench.keepsSamples = false
      bench.start()
      bench.send(.tempo(Tempo(150)!, .bar), at: asked, id: 1)
      bench.run(to: 300_000, periods: [480])
      #expect(bench.effective(1) == lands, "asked at \(asked)")
      // 19200 frames a beat at 150.
      let index = bench.beatFrames.firstIndex(of: lands)!
      #expect(bench.beatFrames[index + 1] == lands + 19_200)
      #expect(bench.beats[index].beat == 0)
    }
  }

  /// What alters the beat itself lands on the first bar line not yet announced: S + 4800 before it.
  @Test(
    arguments: [
      (4_799, 9_600), (4_801, 105_600), (100_799, 105_600), (100_801, 201_600),
    ] as [(Int64, Int64)])
  func `a pattern lands on the first bar that is not announced`(asked: Int64, lands: Int64) throws {
    let pattern = try AccentPattern(text: "x--.", for: .common)
    let bench = EngineBench()
    bench.keepsSamples = false
    bench.start()
    bench.send(.pattern(pattern), at: asked, id: 2)
    bench.send(.subdivision(Subdivision(unchecked: 2, level: .soft, swing: .straight)), at: asked)
    bench.send(.barMuting(.cycle(play: 1, mute: 1)), at: asked, id: 4)
    bench.run(to: 320_000, periods: [1, 480])
    #expect(bench.effective(2) == lands)
    #expect(bench.effective(4) == lands)
    for beat in bench.beats {
      let isNew = beat.frame.value >= lands
      #expect(beat.accent == (isNew ? pattern : .standard(for: .common)).accent(at: Int(beat.beat)))
      #expect(beat.flags.contains(.mutedBar) == (isNew && beat.bar % 2 == 1))
    }
    let firstSub = bench.clicks.first { $0.source == .subdivision }
    #expect(firstSub?.frame.value == lands + 12_000)
    #expect(bench.meters.last?.frame.value == lands)
  }

  @Test func `of two changes before one boundary the later holds`() {
    let bench = EngineBench()
    bench.keepsSamples = false
    bench.start()
    bench.send(.tempo(Tempo(60)!, .beat), at: 20_000, id: 1)
    bench.send(.tempo(Tempo(240)!, .beat), at: 21_000, id: 2)
    bench.send(.tempo(Tempo(60)!, .bar), at: 70_000, id: 3)
    bench.send(.tempo(Tempo(120)!, .beat), at: 70_000, id: 4)
    bench.run(to: 120_000)
    // 33600, then every 12000 until the first beat after 70000: 81600; then 24000.
    #expect(
      bench.beatFrames.prefix(8)
        == [9_600, 33_600, 45_600, 57_600, 69_600, 81_600, 105_600, 129_600].prefix(
          bench.beatFrames.count))
    #expect(bench.effective(2) == 33_600)
    #expect(bench.effective(4) == 81_600)
    // A change on one beat may be replaced while it is still C ahead.
    let again = EngineBench()
    again.start()
    again.send(.tempo(Tempo(60)!, .beat), at: 33_600 - 1_000, id: 1)
    again.send(.tempo(Tempo(240)!, .beat), at: 33_600 - 960, id: 2)
    again.run(to: 60_000)
    #expect(again.effective(2) == 33_600)
    #expect(again.beatFrames.prefix(3) == [9_600, 33_600, 45_600])
  }

  /// 3/4 asked for at the bar line, then 240 at the next beat (33600): three beats of 12000 are
  /// left of the bar, so its line moves from 105600 to 33600 + 36000 = 69600.
  @Test func `the answer names where a change landed even if another one moved the boundary`()
    throws
  {
    let waltz = try Meter(3, 4)
    for meterFirst in [true, false] {
      let bench = EngineBench()
      bench.keepsSamples = false
      bench.start()
      let requests: [(EngineCommand.Action, UInt32)] = [
        (.meter(waltz, .standard(for: waltz)), 1), (.tempo(Tempo(240)!, .beat), 2),
      ]
      for (action, id) in meterFirst ? requests : requests.reversed() {
        bench.send(action, at: 20_000, id: id)
      }
      bench.run(to: 120_000)
      #expect(bench.effective(1) == 69_600)
      #expect(bench.meters.last?.frame.value == 69_600)
      #expect(bench.beats.first { $0.beatCount == 3 }?.frame.value == 69_600)
    }
  }

  /// `now` lands on the first pulse after what was announced, and no pulse interval is a mixture.
  @Test func `now lands on the first pulse that is not announced`() {
    for asked: Int64 in [10_000, 20_000, 20_001, 28_801, 30_600, 55_555] {
      let bench = EngineBench()
      bench.keepsSamples = false
      bench.start()
      bench.send(.tempo(Tempo(200)!, .now), at: asked, id: 5)
      bench.run(to: 90_000, periods: [1, 100])
      // Pulses at 9600 + 1000 n; those up to S + 4800 are announced, but for those behind a beat
      // that is further than C away.
      var announced = asked + 4_800
      let beat = (asked - 9_600 + 960) / 24_000 * 24_000 + 33_600
      if beat <= announced, asked <= beat - 960 { announced = beat }
      let lands = (announced - 9_600) / 1_000 * 1_000 + 10_600
      #expect(bench.effective(5) == lands, "asked at \(asked)")
      for (one, other) in zip(bench.pulses, bench.pulses.dropFirst()) {
        // 60000 x 48000 / 24 / 200000 = 600 frames.
        #expect((other.frame - one.frame).value == (one.frame.value < lands ? 1_000 : 600))
      }
    }
  }

  /// Offsets of -300 ms need C = 320 ms = 15360 frames, and the horizon is no shorter.
  @Test func `a longer commit span moves the last moment for a beat`() {
    for (before, lands) in [(15_360, 57_600), (15_359, 81_600)] as [(Int64, Int64)] {
      let bench = EngineBench()
      bench.keepsSamples = false
      bench.send(.announce(horizon: FrameCount(4_800), commit: FrameCount(15_360)))
      bench.start()
      bench.send(.tempo(Tempo(240)!, .beat), at: 57_600 - before, id: 1)
      bench.run(to: 120_000)
      #expect(bench.effective(1) == lands)
    }
  }
}
