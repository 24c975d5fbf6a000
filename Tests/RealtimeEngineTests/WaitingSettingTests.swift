import MetronomeModel
import MusicalTime
import Testing
import ThreadCrossing

@testable import RealtimeEngine

/// Settings for the next bar line, at 48 kHz, 120 a minute and 4/4: bar 2 begins at 105 600.
@Suite struct WaitingSettingTests {
  @Test(arguments: [[1], [441], [1_024, 7]])
  func `a setting for the bar line acts there, and its answer names it`(periods: [Int]) {
    let bench = EngineBench()
    bench.useUnitSamples()
    bench.start()
    bench.run(to: 30_000, periods: periods)
    bench.send(.audibleLevels(0), id: 1, boundary: .bar)
    bench.run(to: 250_000, periods: periods)
    #expect(bench.effective(1) == 105_600)
    #expect(bench.soundingFrames == [9_600, 33_600, 57_600, 81_600])
  }

  @Test func `while stopped it acts at once`() {
    let bench = EngineBench()
    bench.run(to: 500)
    bench.send(.audibleLevels(0), id: 1, boundary: .bar)
    bench.run(to: 1_000)
    #expect(bench.effective(1) == 500)
  }

  @Test func `a newer setting of its kind takes its place, until the bar line is heard`() {
    // The bar line is announced 100 ms ahead, from 100 800 on.
    for frame: Int64 in [40_000, 104_000] {
      let bench = EngineBench()
      bench.useUnitSamples()
      bench.start()
      bench.send(.audibleLevels(0), at: 30_000, boundary: .bar)
      bench.send(.audibleLevels(0xFF), at: frame)
      bench.run(to: 150_000)
      #expect(bench.soundingFrames.contains(105_600))
      #expect(bench.soundingFrames.contains(129_600))
    }
  }

  @Test func `a bank that waits and is replaced is retired unused`() {
    let bench = EngineBench()
    bench.useSounds([0.5], identifier: 1)
    bench.start()
    bench.run(to: 30_000)
    for identifier: Int32 in [2, 3] {
      bench.send(
        .sounds(SoundBankReference(identifier: identifier, slots: nil, beats: nil, beatCount: 0)),
        boundary: .bar)
    }
    bench.run(to: 40_000)
    #expect(bench.retiredSounds == [2])
    #expect(bench.queues.status.load().sounds == 1)
    #expect(bench.queues.status.load().waitingSounds == 3)
    bench.run(to: 150_000)
    #expect(bench.retiredSounds == [2, 1])
    #expect(bench.queues.status.load().sounds == 3)
    #expect(bench.soundingFrames == [9_600, 33_600, 57_600, 81_600])
  }

  @Test func `a timer for the bar line counts from there`() {
    let bench = EngineBench()
    bench.start()
    bench.run(to: 30_000)
    bench.send(.timer(milliseconds: 2_000, stops: true), id: 1, boundary: .bar)
    bench.run(to: 300_000)
    #expect(bench.effective(1) == 105_600)
    // A bar lasts 2 s.
    #expect(bench.stops.first?.frame.value == 201_600)
  }

  @Test func `stop makes what waits hold at once`() {
    let bench = EngineBench()
    bench.start()
    bench.run(to: 30_000)
    bench.send(.masterGain(0.25), id: 1, boundary: .bar)
    bench.run(to: 35_000)
    bench.send(.stop)
    bench.run(to: 40_000)
    #expect(bench.effective(1) == 35_000)
  }
}
