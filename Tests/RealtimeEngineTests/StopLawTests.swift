import MetronomeModel
import MusicalTime
import Testing

@testable import RealtimeEngine

/// At 48 kHz and 120 a minute a beat is 24 000 frames, a pulse 1 000; the lead-in is 9 600.
@Suite struct StopLawTests {
  /// The click at 57 600 is queued from 52 800 on, 100 ms ahead.
  @Test(arguments: [52_801, 55_000, 57_599, 57_600] as [Int64])
  func `a stop silences the click that is queued already`(stop: Int64) {
    let bench = EngineBench()
    bench.useUnitSamples()
    bench.start()
    bench.run(to: stop)
    #expect(bench.clicks.contains { $0.frame.value == 57_600 })
    bench.send(.stop)
    bench.run(to: 120_000)
    #expect(bench.soundingFrames == [9_600, 33_600])
  }

  /// Stops in the lead-in (before 20 000 + 9 600) and in the count-in after it.
  @Test(
    arguments: [
      20_001, 22_400, 25_000, 29_000, 29_599, 29_600, 29_601, 30_500, 40_000, 100_000, 125_599,
      125_600,
    ] as [Int64], [0, 1] as [Int32])
  func `with a clock that always runs no stop leaves a gap of over two intervals`(
    stop: Int64, countIn: Int32
  ) {
    let bench = EngineBench()
    bench.send(.freeClock(true))
    bench.start(at: 20_000, countIn: countIn)
    bench.send(.stop, at: stop)
    bench.run(to: 200_000)
    let frames = bench.validPulses.map(\.frame.value)
    let gaps = zip(frames.dropFirst(), frames).map { $0 - $1 }
    #expect(gaps.allSatisfy { (1_000...2_000).contains($0) }, "\(gaps.filter { $0 != 1_000 })")
    #expect((frames.last ?? 0) > 199_000)
  }

  @Test func `after a stop in the lead-in the free pulses have the tempo in force`() {
    let bench = EngineBench()
    bench.send(.freeClock(true))
    bench.start(at: 20_000)
    bench.send(.tempo(Tempo(unchecked: 60_000, unit: .quarter), .beat), at: 21_000)
    bench.send(.stop, at: 22_400)
    bench.run(to: 100_000)
    let frames = bench.validPulses.map(\.frame.value).filter { $0 > 24_000 }
    let gaps = zip(frames.dropFirst(), frames).map { $0 - $1 }
    #expect(gaps.allSatisfy { $0 == 2_000 })
  }

  @Test func `continue after a stop in the lead-in starts where the run would have`() {
    let bench = EngineBench()
    bench.send(.freeClock(true))
    bench.start(at: 20_000)
    bench.send(.stop, at: 22_400)
    bench.send(.resume, at: 50_000)
    bench.run(to: 100_000)
    #expect(bench.continues.first?.firstPulse == 0)
    #expect(bench.validBeats.first?.frame == bench.continues.first?.frame)
    #expect(bench.validBeats.first?.bar == 0 && bench.validBeats.first?.beat == 0)
  }
}
