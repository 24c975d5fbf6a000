import MusicalTime
import Testing

@Suite struct TempoTests {
  /// The quarter tempo is the value x (4 / denominator), and half as much again with a dot.
  @Test(
    arguments: [
      (72_000, 4, true, 108_000), (120_000, 8, false, 60_000), (60_000, 2, false, 120_000),
      (30_000, 1, false, 120_000), (66_667, 4, true, 100_001), (100_001, 8, true, 75_001),
      (99_999, 8, false, 50_000),
    ] as [(Int64, Int, Bool, Int32)])
  func `the quarter tempo is a rational of the tempo as given`(
    thousandths: Int64, written: Int, dotted: Bool, quarter: Int32
  ) throws {
    let unit = try #require(NoteValue(written, dotted: dotted))
    let tempo = try #require(Tempo(thousandths: thousandths, unit: unit))
    #expect(tempo.thousandths == Int32(thousandths))
    #expect(tempo.quarterThousandths == quarter)
  }

  /// 5 to 999 quarters a minute, whatever the unit.
  @Test func `the range is that of the quarter tempo`() throws {
    #expect(Tempo(5) != nil && Tempo(999) != nil)
    #expect(Tempo(4.9994) == nil && Tempo(999.0006) == nil)
    // Rounded first: 4.9996 is 5.000.
    #expect(Tempo(4.9996)?.thousandths == 5_000)
    let eighth = try #require(NoteValue(8))
    let dotted = try #require(NoteValue(4, dotted: true))
    #expect(Tempo(9.999, unit: eighth) == nil && Tempo(10, unit: eighth) != nil)
    #expect(Tempo(666, unit: dotted) != nil && Tempo(666.001, unit: dotted) == nil)
    for value in [0, -1, Double.nan, .infinity, -.infinity, 1e300] { #expect(Tempo(value) == nil) }
    for value in [Int64.min, -1, 0, .max] { #expect(Tempo(thousandths: value) == nil) }
  }

  @Test(arguments: [
    (120.0, "120"), (99.95, "99.95"), (113.125, "113.125"), (60.1, "60.1"), (5.001, "5.001"),
  ])
  func `a tempo is written with no more decimals than it has`(value: Double, text: String) {
    #expect(Tempo(value)?.description == text)
  }
}

@Suite struct ExactFrameTests {
  /// Half up: x.5 goes to the next frame, below zero too.
  @Test func `a tie is rounded half up on either side of zero`() {
    for (numerator, denominator, frame) in [
      (1, 2, 1), (3, 2, 2), (-1, 2, 0), (-3, 2, -1), (1, 3, 0), (2, 3, 1), (-2, 3, -1),
      (2_205, 2, 1_103), (0, 5, 0), (7, 7, 1),
    ] as [(Int128, Int128, Int64)] {
      #expect(ExactFrame(numerator: numerator, denominator: denominator).nearest.value == frame)
    }
  }

  /// What rounding to a whole frame leaves, in 2^-32 frames: a quarter is 2^30, a tie goes up and
  /// leaves half a frame before it.
  @Test(
    arguments: [
      (0, 1, 0), (1, 4, 1 << 30), (1, 2, Int32.min), (3, 4, -(1 << 30)), (-1, 4, -(1 << 30)),
      // A pulse at 999 a minute and 48 kHz: 120 frames and 120/999, floor(120 x 2^32 / 999).
      (120_000, 999, 515911987),
    ] as [(Int128, Int128, Int32)])
  func `an exact point is its nearest frame and a rest`(
    numerator: Int128, denominator: Int128, rest: Int32
  ) {
    #expect(ExactFrame(numerator: numerator, denominator: denominator).fromNearest == rest)
  }

  @Test func `what is taken for a tie leaves no more than half a frame`() {
    // 2^-60 frames below a tie.
    let hair = ExactFrame(raw: (Int128(7) << 80) + (Int128(1) << 79) - (Int128(1) << 20))
    #expect(hair.nearest.value == 8)
    #expect(hair.fromNearest == Int32.min)
  }

  /// A sum of truncated parts that is exactly a tie is taken for one: 2000 x 1/4000.
  @Test func `parts that add up to a tie are a tie`() {
    for parts in [3, 7, 12, 4_000, 65_537] as [Int128] {
      var sum = ExactFrame(FrameIndex(10))
      for _ in 0..<parts { sum = sum + ExactFrame(numerator: 1, denominator: 2 * parts) }
      #expect(sum.nearest.value == 11)
    }
  }

  /// The widest product of a run: six years of ticks at the slowest tempo and the highest rate.
  @Test func `a long run at the highest rate does not overflow`() throws {
    let segment = TempoSegment(
      origin: .zero, originFrame: ExactFrame(FrameIndex(1)), rate: 192_000,
      shape: .constant(try #require(Tempo(999))))
    // 30 days at 999 quarters a minute are 43 156 800 quarters; a quarter lasts 11520000 / 999
    // frames: 43156800 x 11520000 / 999 = 43200 x 11520000 frames.
    let place = ScorePosition(ticks: 43_156_800 * ScorePosition.ticksPerQuarter)
    #expect(segment.frame(at: place).nearest.value == 1 + 43_200 * 11_520_000)
  }
}
