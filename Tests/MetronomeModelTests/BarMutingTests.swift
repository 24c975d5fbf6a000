import MetronomeModel
import Testing

@Suite struct BarMutingTests {
  static func text(_ muting: BarMuting, bars: Int64) -> String {
    (0..<bars).map { muting.mutes(bar: $0) ? "M" : "P" }.joined()
  }

  @Test func `a cycle plays and mutes in turn from bar 1`() {
    #expect(Self.text(.cycle(play: 2, mute: 1), bars: 9) == "PPMPPMPPM")
    #expect(Self.text(.cycle(play: 1, mute: 3), bars: 8) == "PMMMPMMM")
    #expect(Self.text(.cycle(play: 4, mute: 0), bars: 8) == "PPPPPPPP")
    #expect(Self.text(.off, bars: 4) == "PPPP")
  }

  /// n played, 1 muted, n played, 2 muted, ..., then the maximum stays.
  @Test func `growing mutes one bar more each time until the maximum`() {
    #expect(Self.text(.growing(play: 1, maximum: 3), bars: 17) == "PMPMMPMMMPMMMPMMM")
    #expect(Self.text(.growing(play: 3, maximum: 2), bars: 19) == "PPPMPPPMMPPPMMPPPMM")
    #expect(Self.text(.growing(play: 2, maximum: 1), bars: 9) == "PPMPPMPPM")
  }

  /// Seed 7, 30 %: bars 2 6 9 11 22 27 32 34 37 39 40 of the first 40.
  @Test func `random muting is a function of seed and bar alone`() {
    let muting = BarMuting.random(percentHundredths: 3_000, seed: 7)
    let muted = (0..<40).filter { muting.mutes(bar: $0) }.map { $0 + 1 }
    #expect(muted == [2, 6, 9, 11, 22, 27, 32, 34, 37, 39, 40])
    // In any order.
    #expect(muting.mutes(bar: 39) && !muting.mutes(bar: 0) && muting.mutes(bar: 1))
  }

  /// SplitMix64 of seed 0 begins 0xE220A8397B1DCDAF (0.8833), 0x6E789E6AA1B965F4 (0.4315),
  /// 0x06C45D188009454F (0.0264), 0xF88BB8A8724C81EC (0.9709), as its author's test vectors say.
  @Test func `the generator is SplitMix64`() {
    for (percent, expected) in [(300, "PPMP"), (4_400, "PMMP"), (8_900, "MMMP"), (9_800, "MMMM")] {
      let muting = BarMuting.random(percentHundredths: Int32(percent), seed: 0)
      #expect(Self.text(muting, bars: 4) == expected)
    }
  }

  @Test func `no share mutes nothing, the whole mutes all, and a count-in is never muted`() {
    let none = BarMuting.random(percentHundredths: 0, seed: 1)
    let all = BarMuting.random(percentHundredths: 10_000, seed: 1)
    #expect(!(0..<1_000).contains { none.mutes(bar: $0) })
    #expect((0..<1_000).allSatisfy { all.mutes(bar: $0) })
    for muting in [all, .cycle(play: 0, mute: 1), .growing(play: 1, maximum: 9)] {
      #expect(!muting.mutes(bar: -1) && !muting.mutes(bar: -16))
    }
  }

  /// Legal extremes and what a careless caller could send: no trap.
  @Test func `extreme values do not trap`() {
    for muting in [
      BarMuting.cycle(play: 9_999, mute: 9_999), .cycle(play: 0, mute: 0),
      .cycle(play: .max, mute: .max), .growing(play: 9_999, maximum: 9_999),
      .growing(play: 0, maximum: 0), .random(percentHundredths: .max, seed: .max),
    ] {
      for bar in [0, 1, 1 << 40] as [Int64] { _ = muting.mutes(bar: bar) }
    }
  }
}
