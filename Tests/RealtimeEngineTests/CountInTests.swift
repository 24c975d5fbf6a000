import MetronomeModel
import MusicalTime
import Testing

@testable import RealtimeEngine

/// A count-in of one bar of 4/4 at 120 and 48 kHz: clicks at 9 600 + k x 24 000, bar 1 at 105 600.
@Suite struct CountInTests {
  private func bench(_ text: String, prepare: (EngineBench) -> Void = { _ in }) throws
    -> EngineBench
  {
    let bench = EngineBench()
    bench.useSounds([0.5]) { $0 == .countInAccent ? 1 : $0 == .countIn ? 0.5 : 0.25 }
    bench.send(.pattern(try AccentPattern(text: text, for: .common)))
    prepare(bench)
    bench.start(countIn: 1)
    bench.run(to: 105_000)
    return bench
  }

  private let beats: [Int64] = [9_600, 33_600, 57_600, 81_600]

  @Test(arguments: ["X...", "....", "-x.X"])
  func `every beat of the bar is counted, strong on one, silent letters as normal ones`(
    text: String
  ) throws {
    let bench = try bench(text)
    #expect(bench.soundingFrames == beats)
    #expect(bench.clicks.map(\.frame.value).filter { $0 < 105_600 } == beats)
    let accents = bench.beats.filter { $0.bar < 0 }.map(\.accent)
    #expect(accents.first == .strong)
    #expect(!accents.contains(.silent))
    // What is heard and what is announced agree.
    #expect(bench.clicks.filter { $0.bar < 0 }.map(\.accent) == accents)
    #expect(bench.samples[9_600] == 2 * bench.samples[33_600])
  }

  @Test func `no subdivisions and no layer sound in it`() throws {
    let bench = try bench("Xxxx") { bench in
      bench.send(.subdivision(Subdivision(unchecked: 4, level: .soft, swing: .straight)))
      bench.send(.layer(count: 3, accent: .normal))
    }
    #expect(bench.soundingFrames == beats)
    #expect(bench.clicks.filter { $0.bar < 0 }.count == 4)
  }

  @Test func `it is heard where every bar is muted, unless it is muted itself`() throws {
    let all = BarMuting.random(percentHundredths: 10_000, seed: 1)
    let heard = try bench("Xxxx") { $0.send(.barMuting(all)) }
    #expect(heard.soundingFrames == beats)
    #expect(heard.beats.filter { $0.bar < 0 }.allSatisfy { !$0.flags.contains(.mutedBar) })
    let silent = try bench("Xxxx") { $0.send(.countInMuted(true)) }
    #expect(silent.soundingFrames.isEmpty)
  }
}
