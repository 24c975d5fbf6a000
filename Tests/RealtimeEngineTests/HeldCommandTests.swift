import MetronomeModel
import MusicalTime
import Testing

@testable import RealtimeEngine

/// At 48 kHz and 120 a minute a beat is 24 000 frames; the lead-in is 9 600.
@Suite struct HeldCommandTests {
  @Test func `a stop is not behind a request for later`() {
    let bench = EngineBench()
    bench.send(.start(countInBars: 0, beatOne: .distantPast))
    bench.run(to: 20_000)
    bench.send(.tempo(Tempo(unchecked: 60_000, unit: .quarter), .beat), at: 90_000, id: 1)
    bench.send(.stop, id: 2)
    bench.run(to: 30_000)
    #expect(bench.effective(2) == 20_000)
    #expect(bench.effective(1) == nil)
    bench.run(to: 100_000)
    #expect(bench.effective(1) == 90_000)
  }

  @Test(arguments: [[1], [64], [441], [1_024], [441, 1, 64]])
  func `requests for later are taken at their frames, whatever the order and the period`(
    periods: [Int]
  ) {
    let bench = EngineBench()
    bench.send(.mute(true), at: 3_000, id: 1)
    bench.send(.mute(false), at: 1_000, id: 2)
    bench.send(.mute(true), at: 2_000, id: 3)
    bench.send(.mute(false), at: 2_000, id: 4)
    bench.run(to: 4_000, periods: periods)
    let order = bench.facts.compactMap { fact -> [Int64]? in
      guard case .effective(let effective) = fact else { return nil }
      return [Int64(effective.command), effective.frame.value]
    }
    #expect(order == [[2, 1_000], [3, 2_000], [4, 2_000], [1, 3_000]])
  }

  @Test func `where no place is left the rest waits in the queue, and none is lost`() {
    let bench = EngineBench()
    let count = HeldCommands.capacity * 3
    for index in 0..<count {
      bench.send(.mute(index % 2 == 0), at: Int64(5_000 + 10 * index), id: UInt32(index + 1))
    }
    bench.run(to: 5_000 + Int64(10 * count) + 1)
    for index in 0..<count {
      #expect(bench.effective(UInt32(index + 1)) == Int64(5_000 + 10 * index))
    }
  }
}
