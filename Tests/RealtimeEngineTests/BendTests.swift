import MetronomeModel
import MusicalTime
import Testing

@testable import RealtimeEngine

@Suite struct BendTests {
  /// +4 % of 120 is 124.8: a pulse lasts 12500 / 13 frames; -4 %: 115.2 and 3125 / 3.
  @Test(arguments: [(1_040, 12_500, 13), (960, 3_125, 3)] as [(Int32, Int64, Int64)])
  func `push and pull bend while held and then the old tempo is back with the phase gained`(
    factor: Int32, numerator: Int64, denominator: Int64
  ) {
    let bench = EngineBench()
    bench.keepsSamples = false
    bench.start()
    bench.send(.bend(thousandths: factor), at: 50_000, id: 1)
    bench.send(.bend(thousandths: 1_000), at: 150_000, id: 2)
    bench.run(to: 400_000)
    let first = bench.effective(1)!
    let second = bench.effective(2)!
    let held = bench.pulses.filter { (first..<second).contains($0.frame.value) }
    for (k, pulse) in held.enumerated() {
      let due: Int64 = (2 * Int64(k) * numerator + denominator) / (2 * denominator)
      #expect(pulse.frame.value == first + due)
    }
    // From the release on 1000 frames a pulse, from the exact place of the release.
    let count = Int64(held.count)
    for (k, pulse) in bench.pulses.filter({ $0.frame.value >= second }).enumerated() {
      let place: Int64 = count * numerator + 1_000 * Int64(k) * denominator
      let due: Int64 = (2 * place + denominator) / (2 * denominator)
      #expect(pulse.frame.value == first + due)
    }
    #expect(bench.tempos.allSatisfy { $0.tempo == Tempo(120) })
  }

  @Test func `a bend never passes four per cent`() {
    for thousandths: Int64 in [5_001, 99_999, 113_125, 998_999] {
      for factor: Int32 in [1_040, 960] {
        let bench = EngineBench(tempo: 60)
        bench.keepsSamples = false
        bench.send(.tempo(Tempo(thousandths: thousandths)!, .beat))
        bench.send(.bend(thousandths: factor))
        bench.start()
        bench.run(to: 15_000)
        let bent = Int64(bench.beats[0].quarterThousandths)
        #expect(abs(bent - thousandths) * 1_000 <= 40 * thousandths)
        #expect(abs(bent - thousandths) * 1_000 > 40 * thousandths - 1_000)
      }
    }
  }

  /// The beat moves onto the tap, by at most 10 % of tempo: pulses of 1000 frames stay within
  /// 1000 / 1.1 and 1000 / 0.9. A tap further than half a beat away belongs to the next beat.
  @Test(
    arguments: [
      (2_000, 2_000), (-2_000, -2_000), (11_000, 11_000), (-11_500, -11_500), (13_000, -11_000),
      (50, 50), (-1, -1), (0, 0), (24_000 * 3 + 700, 700),
    ] as [(Int64, Int64)])
  func `a tap moves the beat onto it by at most ten per cent`(distance: Int64, moved: Int64) {
    let bench = EngineBench()
    bench.keepsSamples = false
    bench.start()
    // The beat at 57600 is tapped `distance` late and heard of 30 ms later.
    let tap = 57_600 + distance
    bench.send(.phase(tap: FrameIndex(tap)), at: 57_600 + 15_000, id: 1)
    bench.run(to: 57_600 + 24_000 * 20)
    for (one, other) in zip(bench.pulses, bench.pulses.dropFirst()) {
      let gap = (other.frame - one.frame).value
      #expect(gap >= 909 && gap <= 1_112, "\(gap)")
    }
    for beat in bench.beatFrames.suffix(3) {
      let phase = (beat - 57_600 - moved + 480_001) % 24_000
      #expect((0...2).contains(phase), "beat \(beat)")
    }
    // Caught up: the plain tempo again.
    #expect(bench.beats.last?.quarterThousandths == 120_000)
  }

  /// A tap changes tempo and phase: 125 a minute (23040 frames) from the next beat, and the beats
  /// come to lie on the tap's phase.
  @Test func `a tap's tempo and its phase both arrive`() {
    let bench = EngineBench()
    bench.keepsSamples = false
    bench.start()
    let tap: Int64 = 57_600 + 3_000
    bench.send(.tempo(Tempo(125)!, .beat), at: tap + 100, id: 1)
    bench.send(.phase(tap: FrameIndex(tap)), at: tap + 100, id: 2)
    bench.run(to: tap + 23_040 * 20)
    #expect(bench.effective(1) == 81_600)
    for beat in bench.beatFrames.suffix(3) {
      let phase = (beat - tap + 1) % 23_040
      #expect((0...2).contains(phase))
    }
  }

  @Test func `push is refused in a glide, and its release is not`() {
    let bench = EngineBench()
    bench.keepsSamples = false
    bench.send(.glide(GlideTests.glide(120, 140, bars: 4), .bar))
    bench.start()
    bench.send(.bend(thousandths: 1_040), at: 50_000, id: 1)
    bench.send(.bend(thousandths: 1_000), at: 60_000, id: 2)
    bench.run(to: 400_000)
    #expect(bench.refusal(1) == .rampRuns)
    #expect(Array(bench.beatFrames.prefix(17)) == GlideTests.inScore)
  }
}
