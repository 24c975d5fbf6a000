import Testing

@testable import MusicalTime

@Suite("Tap tempo")
struct TapTempoTests {
  static func series(_ milliseconds: [Int64], limit: Int64 = 2_000) -> TapTempo {
    var taps = TapTempo(limitNanoseconds: limit * 1_000_000)
    for time in milliseconds { taps.tap(at: MonotonicTime(nanoseconds: time * 1_000_000)) }
    return taps
  }

  @Test("the third tap is the first that gives a tempo")
  func thirdTap() {
    #expect(Self.series([]).thousandths == nil)
    #expect(Self.series([0]).thousandths == nil)
    #expect(Self.series([0, 500]).thousandths == nil)
    // 60 000 ms / 500 ms = 120 a minute
    #expect(Self.series([0, 500, 1000]).thousandths == 120_000)
  }

  @Test(
    "the tempo is 60 s over the mean interval, rounded half up to a thousandth",
    arguments: [
      // two intervals of 400 and 600: mean 500; nothing is dropped among fewer than three
      ([0, 400, 1000], 120_000),
      ([0, 100, 1000], 120_000),
      // 333 + 334 = 667 ms for two: 120 000 / 667 = 179.9100...
      ([0, 333, 667], 179_910),
      // seven taps: the first interval (1000) is the sixth from the end and no longer counts
      ([0, 1000, 1500, 2000, 2500, 3000, 3500], 120_000),
      // six taps: all five intervals count: 600, 4 x 500: mean 520 -> 115.3846
      ([0, 600, 1100, 1600, 2100, 2600], 115_385),
    ] as [([Int64], Int64)])
  func mean(taps: [Int64], thousandths: Int64) {
    #expect(Self.series(taps).thousandths == thousandths)
  }

  @Test(
    "an interval outside 0.6 to 1.6 times the median is dropped; on the bound it stays",
    arguments: [
      // median 500: 300 = 0.6 x stays: (500+500+300)/3 = 433.33 -> 138.4615
      ([500, 500, 300], 138_462),
      ([500, 500, 299], 120_000),
      // 800 = 1.6 x stays: 1800/3 = 600 -> 100
      ([500, 500, 800], 100_000),
      ([500, 500, 801], 120_000),
      // a missed tap: 1000 is dropped
      ([500, 500, 1000, 500], 120_000),
      // four intervals, median (500+600)/2 = 550: 330 = 0.6 x 550 stays:
      // (330+500+600+600)/4 = 507.5 -> 118.2266
      ([330, 500, 600, 600], 118_227),
      // 329 is dropped: 1700/3 = 566.67 -> 105.882
      ([329, 500, 600, 600], 105_882),
    ] as [([Int64], Int64)])
  func outliers(intervals: [Int64], thousandths: Int64) {
    var time: Int64 = 0
    var taps: [Int64] = [0]
    for interval in intervals {
      time += interval
      taps.append(time)
    }
    #expect(Self.series(taps).thousandths == thousandths)
  }

  @Test("a gap over the limit begins a new series; a gap of the limit does not")
  func gap() {
    #expect(Self.series([0, 2000, 4000]).thousandths == 30_000)
    let broken = Self.series([0, 500, 1000, 3001])
    #expect(broken.tapCount == 1)
    #expect(broken.thousandths == nil)
    // The limit can be set up to 12 s: 5 taps a minute.
    #expect(Self.series([0, 12_000, 24_000], limit: 12_000).thousandths == 5_000)
    #expect(Self.series([0, 12_001], limit: 12_000).tapCount == 1)
  }

  @Test("after a pause of 10 s the taps before it do not count")
  func newSeries() {
    // 122 a minute is an interval of 491 803 279 ns (60e9 / 122 = 491 803 278.7)
    let step: Int64 = 491_803_279
    var taps = TapTempo()
    for index in 0..<6 { taps.tap(at: MonotonicTime(nanoseconds: Int64(index) * step)) }
    #expect(taps.thousandths == 122_000)
    let second = 5 * step + 10_000_000_000
    let hit = taps.tap(at: MonotonicTime(nanoseconds: second))
    #expect(hit == .first)
    #expect(taps.thousandths == nil)
    for index in 1..<4 { taps.tap(at: MonotonicTime(nanoseconds: second + Int64(index) * step)) }
    #expect(taps.thousandths == 122_000)
  }

  @Test("a tap that is not later than the one before changes nothing")
  func notLater() {
    var taps = Self.series([0, 500, 1000])
    let before = taps
    taps.tap(at: MonotonicTime(nanoseconds: 1_000_000_000))
    taps.tap(at: MonotonicTime(nanoseconds: 400_000_000))
    #expect(taps == before)
  }

  @Test("a hand that shakes by 10 ms is heard within 1 % over six taps")
  func shakyHand() {
    // 122 a minute, each tap off by up to 10 ms: the mean of five intervals telescopes to
    // (last - first) / 5, so the error is at most 20 ms / 2459 ms = 0.8 %.
    let taps = Self.series([0, 502, 974, 1485, 1957, 2469])
    #expect(abs((taps.thousandths ?? 0) - 122_000) <= 1_220)
  }

  @Test(
    "a tap nearer than 999 a minute allows is a bounce", arguments: [11, 25, 40, 60] as [Int64])
  func bounce(later: Int64) {
    // Each of eight taps at 120 comes twice.
    let taps = (0..<8).flatMap { [$0 * 500, $0 * 500 + later] }
    #expect(Self.series(taps).thousandths == 120_000)
    var one = TapTempo()
    one.tap(at: MonotonicTime(nanoseconds: 0))
    #expect(one.tap(at: MonotonicTime(nanoseconds: later * 1_000_000)) == .bounce)
  }

  @Test("999 taps a minute are taps: 60 s / 999 = 60.060060 ms")
  func fastest() {
    var taps = TapTempo()
    for index in 0..<6 { taps.tap(at: MonotonicTime(nanoseconds: Int64(index) * 60_060_060)) }
    #expect(taps.thousandths == 999_000)
  }

  @Test("a limit set to less than a gap of the series begins it after that gap")
  func limitOfARunningSeries() {
    var taps = Self.series([0, 3_000, 6_000, 7_000, 8_000], limit: 5_000)
    taps.limitNanoseconds = 2_000_000_000
    // Left are the taps at 6, 7 and 8 s.
    #expect(taps.tapCount == 3)
    #expect(taps.thousandths == 60_000)
  }

  @Test(
    "a tap is worth the beat that it stands for",
    arguments: [
      // 250 ms an eighth are 240 eighths, 120 quarters.
      (250, "7/8", "1/4", 120_000), (250, "7/8", "1/8", 240_000),
      // 750 ms a dotted quarter are 80 of them, 120 quarters.
      (750, "6/8.", "1/4", 120_000), (750, "6/8.", "1/4.", 80_000),
      // A beat of three whole notes, 12 quarters, in 6 s.
      (6_000, "3/1.", "1/4", 120_000),
    ] as [(Int64, String, String, Int64)])
  func beats(interval: Int64, meter: String, unit: String, thousandths: Int64) throws {
    let taps = Self.series((0..<4).map { $0 * interval }, limit: 12_000)
    let unit = try #require(NoteValue(text: unit))
    let beat = TapLength(beatOf: try Meter(text: meter))
    #expect(taps.thousandths(of: unit, tapping: beat) == thousandths)
  }
}
