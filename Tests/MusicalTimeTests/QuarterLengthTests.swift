import MusicalTime
import Testing

@Suite("Tempos of an exact length")
struct QuarterLengthTests {
  /// What a MIDI file says of a tempo: 60 000 000 us over it, to the nearest one.
  static func written(_ thousandths: Int64) -> QuarterLength {
    QuarterLength(microseconds: Int((120_000_000_000 + thousandths) / (2 * thousandths)))!
  }

  @Test("a tempo of one decimal that a file has rounded to microseconds is shown as it was")
  func shown() {
    for tenths in Int64(50)...9_990 {
      #expect(Self.written(100 * tenths).shownThousandths == Int32(100 * tenths))
    }
    // Half a microsecond is a two-hundredth at sqrt(0.005 x 60e6 / 0.5) = 774 a minute.
    for hundredths in Int64(500)...77_000 {
      #expect(Self.written(10 * hundredths).shownThousandths == Int32(10 * hundredths))
    }
    // 60e6 / 205479 = 292.00064, 60e6 / 60060 = 999.00100.
    #expect(Tempo(QuarterLength(microseconds: 205_479)!)?.description == "292")
    #expect(Tempo(QuarterLength(microseconds: 60_060)!)?.description == "999")
    #expect(Tempo(QuarterLength(microseconds: 60_059)!) == nil)
    #expect(Tempo(QuarterLength(microseconds: 12_001_201)!) == nil)
  }

  @Test("a length that is a whole number of thousandths is that tempo")
  func whole() {
    #expect(Tempo(QuarterLength(microseconds: 500_000)!) == Tempo(120))
    #expect(Tempo(QuarterLength(microseconds: 480_000)!) == Tempo(125))
    // 60e6 / 461538 = 130.00013.
    let exact = Tempo(QuarterLength(microseconds: 461_538)!)
    #expect(exact != Tempo(130) && exact?.thousandths == 130_000)
    #expect(exact?.length == QuarterLength(microseconds: 461_538))
    #expect(exact?.soundsLike(Tempo(130)!) == false && exact?.soundsLike(exact!) == true)
  }

  @Test(
    "beat n lies at n times the microseconds, whatever the rate",
    arguments: [44_100, 48_000, 88_200, 96_000, 192_000] as [Int64],
    [60_060, 205_479, 461_538, 428_571, 12_000_000])
  func grid(rate: Int64, microseconds: Int) {
    let tempo = Tempo(QuarterLength(microseconds: microseconds)!)!
    let segment = TempoSegment(
      origin: .zero, originFrame: ExactFrame(FrameIndex(0)), rate: rate, shape: .constant(tempo))
    for beat in stride(from: Int64(0), through: 100_000, by: 997) {
      // beat x us x rate / 1 000 000, rounded half up.
      let numerator = Int128(beat) * Int128(microseconds) * Int128(rate)
      let expected = (2 * numerator + 1_000_000) / 2_000_000
      let place = ScorePosition(ticks: beat * ScorePosition.ticksPerQuarter)
      #expect(segment.frame(at: place).nearest.value == Int64(expected), "beat \(beat)")
    }
  }
}
