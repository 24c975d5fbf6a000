import MetronomeModel
import MusicalTime
import Testing

@testable import RealtimeEngine

@Suite struct EpochTests {
  /// Place p at 48 kHz is due at S + (p - S) x new / 48000 in the new epoch, to the fraction: with
  /// 113.125, p = 9600 + 192000 n / 181.
  @Test(arguments: [44_100, 88_200, 96_000, 192_000] as [Int64])
  func `another sample rate keeps every place in time`(newRate: Int64) {
    let switchFrame: Int64 = 100_003
    let bench = EngineBench(tempo: 113.125)
    bench.keepsSamples = false
    bench.start()
    bench.run(to: switchFrame)
    let announced = bench.pulses.last!.number
    bench.engine.handle.change(rate: newRate)
    bench.run(to: switchFrame + newRate * 20)
    let later = bench.pulses.filter { $0.number > announced }
    #expect(later.count > 800)
    for pulse in later {
      // S + ((9600 - S) x 181 + 192000 n) x new / (181 x 48000), rounded half up.
      let distance: Int64 = (9_600 - switchFrame) * 181 + 192_000 * pulse.number
      let denominator: Int64 = 181 * 48_000
      let due: Int64 = (2 * distance * newRate + denominator) / (2 * denominator)
      #expect(pulse.frame.value == switchFrame + due)
    }
    #expect(later.map(\.number) == Array(announced + 1...later.last!.number))
  }

  /// A place with a fraction keeps it: from the beat at 33600 on, 120 becomes 113.125, and at the
  /// pulse after 24 of 192000 / 181 frames, at 59058 + 102 / 181, it becomes 120 again. At 44.1 kHz
  /// from 70000 on, pulse 48 + k lies at 70000 + (59058 + 102/181 + 1000 k - 70000) x 147 / 160.
  @Test func `the fraction of a place is kept across a change of rate`() {
    let bench = EngineBench()
    bench.keepsSamples = false
    bench.start()
    bench.send(.tempo(Tempo(113.125)!, .beat), at: 20_000)
    bench.send(.tempo(Tempo(120)!, .beat), at: 50_000)
    bench.run(to: 70_000)
    let announced = bench.pulses.last!.number
    bench.engine.handle.change(rate: 44_100)
    bench.run(to: 300_000)
    for pulse in bench.pulses where pulse.number > announced {
      let distance: Int64 = (59_058 - 70_000 + 1_000 * (pulse.number - 48)) * 181 + 102
      let denominator: Int64 = 181 * 160
      let due: Int64 = (2 * distance * 147 + denominator) / (2 * denominator)
      #expect(pulse.frame.value == 70_000 + due)
    }
    #expect(bench.pulses.last!.number > announced + 200)
  }

  /// There and back again: the same places as if nothing had been.
  @Test func `going to another rate and back at once changes nothing`() {
    let plain = EngineBench(tempo: 163.421)
    plain.start()
    plain.run(to: 500_000)
    let changed = EngineBench(tempo: 163.421)
    changed.start()
    changed.run(to: 200_000)
    for rate: Int64 in [44_100, 192_000, 88_200, 48_000] {
      changed.engine.handle.change(rate: rate)
    }
    changed.run(to: 500_000)
    #expect(changed.pulses.map(\.frame) == plain.pulses.map(\.frame))
  }

  /// Level 2 of a trainer and the timer are due in seconds, whatever the rate: the trainer of 100
  /// and 120 over 20 s changes at the first bar line at or after 10 s: bars of 2.4 s, the fifth
  /// line: 12 s after beat one.
  @Test func `trainer, timer and glide keep their seconds`() {
    let bench = EngineBench(tempo: 100)
    bench.keepsSamples = false
    bench.send(.timer(milliseconds: 60_000, stops: true))
    bench.send(
      .trainer(
        SpeedTrainer(
          unchecked: Tempo(100)!, to: Tempo(120)!, stepThousandths: 20_000,
          share: .totalMilliseconds(20_000), end: .hold)))
    bench.start()
    // At exactly 4.8 s after beat one.
    bench.run(to: 9_600 + 230_400)
    bench.engine.handle.change(rate: 96_000)
    bench.run(to: 240_000 + 96_000 * 70, periods: [4096])
    let levels = bench.trainerEvents.filter { $0.kind == .level }
    #expect(levels.map(\.frame.value) == [9_600, 931_200])
    // From 12 s on bars last 2 s: 60 s is a bar line, 55.2 s x 96000 after 240000.
    #expect(bench.stops.map(\.frame.value) == [5_539_200])
    let glide = EngineBench()
    glide.keepsSamples = false
    glide.send(.glide(GlideTests.glide(120, 140, bars: 4), .bar))
    glide.start()
    glide.run(to: 100_000)
    let count = glide.beats.count
    glide.engine.handle.change(rate: 96_000)
    glide.run(to: 800_000)
    for index in count...16 {
      // Twice the distance from S, within the rounding of the 48 kHz table.
      let expected = 100_000 + 2 * (GlideTests.inScore[index] - 100_000)
      #expect(abs(glide.beatFrames[index] - expected) <= 1)
    }
  }

  /// A hole is not heard, and the music goes on beneath it.
  @Test func `skipped frames shift nothing and their clicks are counted`() {
    let plain = EngineBench()
    let holed = EngineBench()
    for bench in [plain, holed] {
      bench.useSounds((0..<3_000).map { 0.5 - Float($0) / 6_000 })
      bench.start()
    }
    plain.run(to: 200_000)
    holed.run(to: 34_000)
    holed.skip(to: 34_777)
    holed.run(to: 57_000)
    holed.skip(to: 57_601)
    holed.run(to: 200_000)
    #expect(holed.pulses.map(\.frame) == plain.pulses.map(\.frame))
    // The click at 33600 sounds on beneath its hole; the one at 57600 began in a hole.
    for frame in 0..<200_000 {
      let isHole = (34_000..<34_777).contains(frame) || (57_000..<57_601).contains(frame)
      let isLost = (57_600..<60_600).contains(frame)
      let expected = isHole || isLost ? 0 : plain.samples[frame]
      guard holed.samples[frame] == expected else {
        Issue.record("frame \(frame)")
        return
      }
    }
    #expect(holed.engine.handle.droppedClicks == 1)
  }
}
