import MetronomeModel
import MusicalTime
import Testing

@testable import RealtimeEngine

/// Frames were computed with 60 decimal digits from the closed forms, a and b in quarters a second:
/// linear in time t(q) = 2 q / (a + sqrt(a^2 + 2 (b - a) q / T)); linear in score position
/// t(q) = L / (b - a) x ln(1 + (b - a) q / (a L)); times 48000, plus the lead-in of 9600, rounded
/// half up. The nearest of them to a tie is 0.017 frame away from it.
@Suite struct GlideTests {
  static func glide(_ from: Double, _ to: Double, seconds: Double) -> GlideRamp {
    GlideRamp(unchecked: Tempo(from)!, to: Tempo(to)!, length: .seconds(seconds))
  }
  static func glide(_ from: Double, _ to: Double, bars: Int32) -> GlideRamp {
    GlideRamp(unchecked: Tempo(from)!, to: Tempo(to)!, length: .bars(bars))
  }

  /// 120 to 140 over 96/13 s.
  static let inTime: [Int64] = [
    9_600, 33_466, 57_070, 80_421, 103_526, 126_393, 149_030, 171_442, 193_637, 215_621, 237_400,
    258_979, 280_364, 301_560, 322_572, 343_404, 364_062,
  ]
  /// 120 to 140 over 4 bars of 4/4; the last is 9600 + 48000 x 48 ln(7/6).
  static let inScore: [Int64] = [
    9_600, 33_476, 57_107, 80_498, 103_654, 126_579, 149_279, 171_757, 194_018, 216_066, 237_905,
    259_539, 280_972, 302_207, 323_249, 344_099, 364_763,
  ]

  func bench(_ ramp: GlideRamp, meter: Meter = .common, to end: Int64) -> EngineBench {
    let bench = EngineBench()
    bench.keepsSamples = false
    bench.send(.meter(meter, .standard(for: meter)))
    bench.send(.glide(ramp, .bar))
    bench.start()
    bench.run(to: end, periods: [777])
    return bench
  }

  @Test func `120 to 140 over 96 thirteenths of a second passes sixteen quarters`() throws {
    let bench = bench(Self.glide(120, 140, seconds: 96.0 / 13), to: 500_000)
    #expect(Array(bench.beatFrames.prefix(17)) == Self.inTime)
    // The glide ends on beat 16 (96/13 s = 354461.54 frames); steady beats follow at 144000 / 7:
    // 9600 + 354461.538... + n x 20571.428...: 384633, 405204, 425776.
    #expect(Array(bench.beatFrames.dropFirst(17).prefix(3)) == [384_633, 405_204, 425_776])
    let end = try #require(bench.tempos.last)
    try #require(bench.beats.count > 16)
    #expect(end.isGlide == false && end.tempo == Tempo(140))
    #expect(end.frame.value == 364_062)
    #expect(bench.beats[0].quarterThousandths == 120_000)
    #expect(bench.beats[16].quarterThousandths == 140_000)
    // After 4 quarters: sqrt(120^2 + (140^2 - 120^2) x 4 / 16) = sqrt(15700) = 125.29964, which is
    // 125.300 to the nearest thousandth and 125.299 cut off.
    #expect(bench.beats[4].quarterThousandths == 125_300)
    // After 8 quarters: sqrt(120^2 + (140^2 - 120^2) x 8 / 16) = sqrt(17000) = 130.384.
    #expect(bench.beats[8].quarterThousandths == 130_384)
    // All pulses in between: 24 a quarter, none twice.
    #expect(bench.pulses.filter { $0.frame.value < 364_062 }.count == 384)
  }

  @Test func `120 to 140 over four bars takes 48 ln 7 sixths`() throws {
    let bench = bench(Self.glide(120, 140, bars: 4), to: 500_000)
    #expect(Array(bench.beatFrames.prefix(17)) == Self.inScore)
    try #require(bench.beats.count > 8)
    // Half of the way in the score is half of the way in tempo.
    #expect(bench.beats[8].quarterThousandths == 130_000)
    #expect(bench.tempos.last?.frame.value == 364_763)
  }

  @Test func `falling, wide and additive glides keep to the reference`() throws {
    let falling = bench(Self.glide(200, 60, seconds: 30), to: 1_450_000)
    let fallen = stride(from: 0, to: 66, by: 5).map { falling.beatFrames[$0] }
    #expect(
      fallen == [
        9_600, 82_906, 159_027, 238_314, 321_199, 408_221, 500_070, 597_649, 702_189, 815_432,
        939_999, 1_080_172, 1_243_886, 1_449_600,
      ])
    let waltz = bench(Self.glide(60, 240, bars: 8), meter: try Meter(3, 4), to: 560_000)
    #expect(
      stride(from: 0, to: 25, by: 2).map { waltz.beatFrames[$0] } == [
        9_600, 95_287, 165_299, 224_492, 275_769, 320_997, 361_456, 398_055, 431_467, 462_204,
        490_661, 517_154, 541_937,
      ])
    let wide = bench(Self.glide(5, 999, seconds: 60), to: 2_900_000)
    #expect(
      stride(from: 0, to: 502, by: 50).map { wide.beatFrames[$0] } == [
        9_600, 908_708, 1_287_051, 1_577_374, 1_822_132, 2_037_769, 2_232_721, 2_411_999,
        2_578_867, 2_735_593, 2_883_828,
      ])
  }

  /// The beat of the landing keeps its instant in the glide, what follows is steady.
  @Test func `a tempo that lands inside a glide ends it there`() {
    for (boundary, index) in [(ChangeBoundary.beat, 7), (.bar, 8)] {
      let bench = EngineBench()
      bench.keepsSamples = false
      bench.send(.glide(Self.glide(120, 140, bars: 4), .bar))
      bench.start()
      bench.send(.tempo(Tempo(100)!, boundary), at: Self.inScore[6] + 5_000, id: 1)
      bench.run(to: 400_000)
      #expect(bench.effective(1) == Self.inScore[index])
      #expect(Array(bench.beatFrames.prefix(index + 1)) == Array(Self.inScore.prefix(index + 1)))
      // 28800 frames a beat; the landing place keeps its fraction, so 1 frame either way.
      let next = bench.beatFrames[index + 3] - Self.inScore[index]
      #expect(abs(next - 3 * 28_800) <= 1)
      #expect(bench.tempos.filter { $0.frame.value > 9_600 }.count == 1)
    }
  }

  @Test func `cancelled it holds the tempo that it had`() {
    let bench = EngineBench()
    bench.keepsSamples = false
    bench.send(.glide(Self.glide(120, 140, bars: 4), .bar))
    bench.start()
    bench.send(.cancelRamp, at: 150_000, id: 1)
    bench.run(to: 400_000)
    let landing = bench.effective(1)!
    let tempo = bench.tempos.last!
    #expect(tempo.frame.value == landing && !tempo.isGlide)
    // Linear in position: a pulse is 1/384 of the way of 20 beats a minute.
    let pulse = bench.pulses.first { $0.frame.value == landing }!
    #expect(
      abs(Double(tempo.quarterThousandths) - (120_000 + 20_000 * Double(pulse.number) / 384)) <= 0.5
    )
    let steady = bench.pulses.filter { $0.frame.value >= landing }.map(\.frame.value)
    let gaps = zip(steady, steady.dropFirst()).map { $1 - $0 }
    #expect(gaps.max()! - gaps.min()! <= 1)
  }

  /// The pulse at which it resumes is put on a whole frame, so all places shift by the same
  /// distance but for one frame of rounding; nothing else changes, to the glide's end and beyond.
  @Test(
    arguments: [
      100, 9_601, 20_000, 126_393, 150_000, 300_000, 355_000, 364_000, 364_062, 364_063, 370_000,
    ] as [Int64], [true, false])
  func `stop and continue inside a glide leave its course as it was`(stop: Int64, inTime: Bool) {
    func run(pausing: Bool) -> EngineBench {
      let bench = EngineBench()
      bench.keepsSamples = false
      bench.send(
        .glide(
          inTime ? Self.glide(120, 140, seconds: 96.0 / 13) : Self.glide(120, 140, bars: 4), .bar))
      bench.start()
      if pausing {
        bench.send(.stop, at: stop)
        bench.send(.resume, at: stop + 90_000)
      }
      bench.run(to: 700_000)
      return bench
    }
    let plain = run(pausing: false).pulses.map(\.frame.value)
    let paused = run(pausing: true)
    let number = Int(paused.stops[0].nextPulse)
    let shift = stop + 90_000 + 9_600 - plain[number]
    for pulse in paused.validPulses {
      let index = Int(pulse.number)
      guard index < plain.count else { break }
      let expected = index < number ? plain[index] : plain[index] + shift
      #expect(abs(pulse.frame.value - expected) <= 1, "pulse \(index)")
    }
    #expect(paused.tempos.last?.isGlide == false)
    #expect(paused.tempos.last?.tempo == Tempo(140))
  }

  /// The bar line at 105600 is announced from 100800 on, and taken back by a Stop at 104000. It
  /// comes again 24 x 4 - 95 = 1 pulse after the resumption at 209600 from pulse 95.
  @Test func `a glide whose begin a stop took back begins at its bar line`() {
    let bench = EngineBench()
    bench.keepsSamples = false
    bench.start()
    bench.send(.glide(Self.glide(120, 140, bars: 4), .bar), at: 50_000, id: 1)
    bench.send(.stop, at: 104_000)
    bench.send(.resume, at: 200_000)
    bench.run(to: 600_000)
    #expect(bench.stops.first?.nextPulse == 95)
    let beats = bench.validBeats.map(\.frame.value).filter { $0 >= 200_000 }
    #expect(Array(beats.prefix(17)) == Self.inScore.map { $0 + 201_000 })
  }

  @Test func `start after a stop begins the glide anew`() {
    let bench = EngineBench()
    bench.keepsSamples = false
    bench.send(.glide(Self.glide(120, 140, bars: 4), .bar))
    bench.start()
    bench.send(.stop, at: 200_000)
    bench.start(at: 300_000)
    bench.run(to: 700_000)
    let again = bench.validBeats.map(\.frame.value).filter { $0 >= 300_000 }
    #expect(Array(again.prefix(17)) == Self.inScore.map { $0 + 300_000 })
  }

  @Test func `a glide begins after the count-in, which is at its first tempo`() {
    let bench = EngineBench(tempo: 60)
    bench.keepsSamples = false
    bench.send(.glide(Self.glide(120, 140, bars: 4), .bar))
    bench.start(countIn: 1)
    bench.run(to: 500_000)
    #expect(bench.beatFrames.prefix(5) == [9_600, 33_600, 57_600, 81_600, 105_600])
    #expect(Array(bench.beatFrames.dropFirst(4).prefix(17)) == Self.inScore.map { $0 + 96_000 })
  }
}
