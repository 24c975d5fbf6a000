import MetronomeModel
import MusicalTime
import Testing

@testable import RealtimeEngine

/// What a bar holds: count-in, patterns, muting, subdivisions, layers, meters. At 120 and 48 kHz a
/// quarter lasts 24000 frames and beat one lies at 9600.
@Suite struct BarTests {
  // MARK: Count-in

  @Test(arguments: [1, 2, 4] as [Int32])
  func `a count-in has negative bars and its flag and then comes bar 1`(bars: Int32) {
    let bench = EngineBench()
    bench.useUnitSamples()
    bench.start(countIn: bars, id: 1)
    bench.run(to: 9_600 + Int64(bars + 2) * 96_000)
    #expect(bench.effective(1) == 9_600)
    let start = bench.starts[0]
    #expect(start.firstFrame.value == 9_600)
    #expect(start.frame.value == 9_600 + 96_000 * Int64(bars))
    #expect(start.firstPulse == -96 * Int64(bars))
    for (n, beat) in bench.beats.enumerated() {
      let bar = Int32(n / 4) - bars
      #expect(beat.bar == bar)
      #expect(beat.barForPeople == (bar < 0 ? bar : bar + 1))
      #expect(Int(beat.beat) == n % 4)
      #expect(beat.flags.contains(.countIn) == (bar < 0))
      #expect(beat.frame.value == 9_600 + 24_000 * Int64(n))
    }
    for pulse in bench.pulses {
      #expect(pulse.flags.contains(.countIn) == (pulse.number < 0))
      #expect(pulse.flags.contains(.barLine) == (pulse.number % 96 == 0))
      #expect(pulse.number == pulse.songPulse)
    }
    #expect(bench.pulses.map(\.number) == Array(-96 * Int64(bars)..<bench.pulses.last!.number + 1))
  }

  @Test func `a muted count-in is silent but reported`() {
    let bench = EngineBench()
    bench.useUnitSamples()
    bench.send(.countInMuted(true))
    bench.start(countIn: 1)
    bench.run(to: 150_000)
    #expect(bench.soundingFrames == [105_600, 129_600])
    #expect(bench.beats.count >= 6)
    #expect(bench.beats.filter { $0.flags.contains(.countIn) }.count == 4)
  }

  @Test func `a count-in is heard whatever bar muting and the pattern say, and has its own sound`()
    throws
  {
    let bench = EngineBench()
    // Slot n sounds at (n + 1) / 100.
    bench.useSounds([1], gain: { Float($0.rawValue + 1) / 100 })
    bench.send(.pattern(try AccentPattern(text: "....", for: .common)))
    bench.send(.barMuting(.cycle(play: 1, mute: 1)))
    bench.start(countIn: 2)
    bench.run(to: 9_600 + 96_000 * 4)
    // Two bars of countInAccent (slot 6) and countIn (slot 5); then a silent pattern.
    #expect(bench.soundingFrames == (0..<8).map { 9_600 + 24_000 * $0 })
    for n in 0..<8 {
      let expected: Float = n % 4 == 0 ? 0.07 : 0.06
      #expect(abs(bench.samples[9_600 + 24_000 * n] - expected) < 1e-6)
    }
    #expect(bench.beats.filter { $0.flags.contains(.mutedBar) }.allSatisfy { $0.bar == 1 })
  }

  /// The place of bar 1 is known from Start on: a meter asked for in the count-in waits for it.
  @Test func `a meter asked for within the count-in lands on bar 1`() throws {
    let waltz = try Meter(3, 4)
    let bench = EngineBench()
    bench.keepsSamples = false
    bench.start(countIn: 2)
    bench.send(.meter(waltz, .standard(for: waltz)), at: 20_000, id: 1)
    bench.run(to: 400_000)
    #expect(bench.effective(1) == 201_600)
    let one = bench.beats.first { $0.bar == 0 }
    #expect(one?.frame.value == 201_600)
    #expect(one?.beatCount == 3)
    #expect(bench.pulses.first { $0.number == 0 }?.frame.value == 201_600)
  }

  // MARK: Pattern

  /// Silent accents announce their beat and click, and make no sound.
  @Test func `each accent sounds with its level and a silent one only tells`() throws {
    let bench = EngineBench()
    bench.useSounds([1], gain: { Float($0.rawValue + 1) / 100 })
    bench.send(.pattern(try AccentPattern(text: "Xx-.", for: .common)))
    bench.send(.levelGain(.soft, 0.5))
    bench.start()
    bench.run(to: 9_600 + 192_000)
    #expect(bench.beats.prefix(8).map(\.accent.letter).map(String.init).joined() == "Xx-.Xx-.")
    #expect(bench.clicks.prefix(8).map(\.accent) == bench.beats.prefix(8).map(\.accent))
    #expect(
      bench.soundingFrames == [0, 1, 2, 4, 5, 6].map { 9_600 + 24_000 * $0 })
    // strong 0.01, normal 0.02, soft 0.03 x 0.5.
    for (beat, expected) in [(0, 0.01), (1, 0.02), (2, 0.015)] as [(Int, Float)] {
      #expect(abs(bench.samples[9_600 + 24_000 * beat] - expected) < 1e-6)
    }
  }

  @Test func `a muted level is silent at once and the others are not`() {
    let bench = EngineBench()
    bench.useUnitSamples()
    bench.start()
    // All but strong (bit 3).
    bench.send(.audibleLevels(0b0111), at: 9_600 + 96_000)
    bench.run(to: 9_600 + 190_000)
    #expect(
      bench.soundingFrames == [0, 1, 2, 3, 5, 6, 7].map { 9_600 + 24_000 * $0 })
  }

  // MARK: Muting

  @Test func `muted bars keep the grid, carry flag 1 and are silent`() {
    let muted: Set<Int32> = [2, 6, 9, 11, 22, 27, 32, 34, 37, 39, 40]
    let bench = EngineBench(tempo: 480)
    bench.useUnitSamples()
    bench.send(.subdivision(Subdivision(unchecked: 2, level: .soft, swing: .straight)))
    bench.send(.barMuting(.random(percentHundredths: 3_000, seed: 7)))
    bench.start()
    bench.run(to: 9_600 + 40 * 24_000)
    for (n, beat) in bench.beats.prefix(160).enumerated() {
      #expect(beat.frame.value == 9_600 + 6_000 * Int64(n))
      #expect(beat.flags.contains(.mutedBar) == muted.contains(beat.barForPeople))
    }
    let sounding = Set(bench.soundingFrames)
    for click in bench.clicks.prefix(320) {
      #expect(sounding.contains(click.frame.value) == !muted.contains(click.bar + 1))
      #expect(click.flags.contains(.mutedBar) == muted.contains(click.bar + 1))
    }
    #expect(bench.pulses.count >= 40 * 96)
  }

  /// Growing, 2 played and at most 3 muted: PPM PPMM PPMMM PPMMM ...
  @Test func `growing and cyclic muting count from bar 1`() {
    for (muting, expected) in [
      (BarMuting.growing(play: 2, maximum: 3), "PPMPPMMPPMMMPPMMMPPMMM"),
      (.cycle(play: 3, mute: 1), "PPPMPPPMPPPMPPPMPPPMPP"),
      (.cycle(play: 1, mute: 2), "PMMPMMPMMPMMPMMPMMPMMP"),
      (.off, "PPPPPPPPPPPPPPPPPPPPPP"),
    ] as [(BarMuting, String)] {
      let bench = EngineBench(tempo: 960)
      bench.keepsSamples = false
      bench.send(.barMuting(muting))
      bench.start(countIn: 1)
      bench.run(to: 9_600 + 24 * 12_000)
      let bars = bench.beats.filter { $0.beat == 0 && $0.bar >= 0 }.prefix(22)
      #expect(bars.map { $0.flags.contains(.mutedBar) ? "M" : "P" }.joined() == expected)
      #expect(bench.beats.filter { $0.bar < 0 }.allSatisfy { !$0.flags.contains(.mutedBar) })
    }
  }

  @Test func `mute silences clicks only and carries flag 2`() {
    let bench = EngineBench()
    bench.useUnitSamples()
    bench.start()
    bench.send(.mute(true), at: 40_000, id: 1)
    bench.send(.mute(false), at: 100_000)
    bench.run(to: 150_000)
    #expect(bench.effective(1) == 40_000)
    #expect(bench.soundingFrames == [9_600, 33_600, 105_600, 129_600])
    #expect(
      bench.beats.map { $0.flags.contains(.mute) }.prefix(5) == [false, false, true, true, false])
    #expect(bench.pulses.count >= 141)
  }

  // MARK: Subdivisions, swing, layers

  /// Click i of a beat cut into n lies at i x 24000 / n.
  @Test(arguments: 1...9)
  func `a beat is cut into one to nine`(count: Int) {
    let bench = EngineBench()
    bench.keepsSamples = false
    bench.send(.subdivision(Subdivision(unchecked: UInt8(count), level: .soft, swing: .straight)))
    bench.start()
    bench.run(to: 9_600 + 96_000)
    for (n, click) in bench.clicks.prefix(4 * count).enumerated() {
      let place = 48_000 * Int64(n) + Int64(count)
      #expect(click.frame.value == 9_600 + place / (2 * Int64(count)))
      #expect(Int(click.sub) == n % count)
      #expect(click.source == (n % count == 0 ? .beat : .subdivision))
      #expect(click.accent == (n == 0 ? .strong : n % count == 0 ? .normal : .soft))
    }
  }

  /// The first of each pair takes its share: at 58 % of a pair of 24000 the second lies at 13920.
  @Test func `swing moves the second of each pair and odd subdivisions not`() {
    for (count, swing, offsets) in [
      (2, Swing.percentHundredths(5_800), [0, 13_920]),
      (2, .percentHundredths(7_500), [0, 18_000]),
      (2, .triplet, [0, 16_000]),
      (4, .percentHundredths(6_000), [0, 7_200, 12_000, 19_200]),
      (4, .triplet, [0, 8_000, 12_000, 20_000]),
      // 5833 hundredths of a pair of 24000: 13999.2.
      (2, .percentHundredths(5_833), [0, 13_999]),
      (3, .percentHundredths(6_000), [0, 8_000, 16_000]),
      (1, .percentHundredths(6_000), [0]),
    ] as [(UInt8, Swing, [Int64])] {
      let bench = EngineBench()
      bench.keepsSamples = false
      let subdivision = Subdivision(unchecked: count, level: .soft, swing: swing)
      bench.send(.subdivision(subdivision))
      bench.start()
      bench.run(to: 9_600 + 96_000)
      let expected = (0..<4).flatMap { beat in offsets.map { 9_600 + 24_000 * Int64(beat) + $0 } }
      #expect(bench.clicks.prefix(expected.count).map(\.frame.value) == expected)
      #expect(subdivision.swingIsActive == (count % 2 == 0))
    }
  }

  /// Click i of n against the bar lies at i x 96000 / n, and the bar's beats stay where they are.
  @Test(arguments: 2...16)
  func `a layer lies evenly against the bar`(count: Int) {
    let bench = EngineBench()
    bench.keepsSamples = false
    bench.send(.layer(count: UInt8(count), accent: .normal))
    bench.start(countIn: 1)
    bench.run(to: 9_600 + 4 * 96_000)
    let layer = bench.clicks.filter { $0.source == .layer }
    for (n, click) in layer.prefix(2 * count).enumerated() {
      let place = 2 * 96_000 * Int64(n) + Int64(count)
      #expect(click.frame.value == 105_600 + place / (2 * Int64(count)))
      #expect(Int(click.sub) == n % count)
      #expect(Int(click.bar) == n / count)
    }
    #expect(bench.beatFrames.prefix(12) == (0..<12).map { 9_600 + 24_000 * $0 }.prefix(12))
  }

  // MARK: Meters

  /// 6/8 has six beats of an eighth, 6/8. two of a dotted quarter; the unit of the tempo never
  /// changes the grid: at 120 quarters an eighth lasts 12000 frames.
  @Test(
    arguments: [
      ("4/4", 4, 24_000, "Xxxx"), ("6/8", 6, 12_000, "X--x--"), ("6/8.", 2, 36_000, "Xx"),
      ("7/8", 7, 12_000, "Xxxxxxx"), ("2+2+3/8", 7, 12_000, "X-x-x--"),
      ("12/8.", 4, 36_000, "Xxxx"), ("9/8", 9, 12_000, "X--x--x--"), ("5/16", 5, 6_000, "Xxxxx"),
      ("3+2/4", 5, 24_000, "X--x-"), ("3/32", 3, 3_000, "Xxx"), ("2/1", 2, 96_000, "Xx"),
      ("3/2", 3, 48_000, "Xxx"),
    ] as [(String, Int, Int64, String)])
  func `each meter has its beats and its standard pattern`(
    text: String, beats: Int, length: Int64, pattern: String
  ) throws {
    let meter = try Meter(text: text)
    let bench = EngineBench()
    bench.keepsSamples = false
    bench.send(.meter(meter, .standard(for: meter)))
    bench.start()
    bench.run(to: 9_600 + length * Int64(beats) * 3)
    for (n, beat) in bench.beats.prefix(beats * 3).enumerated() {
      #expect(beat.frame.value == 9_600 + length * Int64(n))
      #expect(Int(beat.beat) == n % beats)
      #expect(Int(beat.bar) == n / beats)
      #expect(Int(beat.beatCount) == beats)
    }
    #expect(
      bench.beats.prefix(beats).map(\.accent.letter).map(String.init).joined() == pattern)
    let lines = bench.pulses.filter { $0.flags.contains(.barLine) }.map(\.frame)
    let downbeats = bench.beats.filter { $0.beat == 0 }.map(\.frame)
    #expect(lines.prefix(3) == downbeats.prefix(3))
  }

  @Test func `a meter change lands on the next bar line`() throws {
    let seven = try Meter(7, 8)
    let bench = EngineBench()
    bench.keepsSamples = false
    bench.start()
    bench.send(.meter(seven, .standard(for: seven)), at: 50_000, id: 1)
    bench.run(to: 105_600 + 100_000)
    #expect(bench.effective(1) == 105_600)
    #expect(
      bench.beatFrames.prefix(12)
        == [
          9_600, 33_600, 57_600, 81_600, 105_600, 117_600, 129_600, 141_600, 153_600, 165_600,
          177_600, 189_600,
        ])
    #expect(bench.beats[11].bar == 2 && bench.beats[11].beat == 0)
    #expect(bench.meters.last?.meter == seven)
  }

  // MARK: Analog sync

  @Test(arguments: [1, 2, 4, 24, 48] as [UInt8])
  func `analog sync gives so many pulses a quarter that no fader and no mute reaches`(count: UInt8)
  {
    let bench = EngineBench()
    bench.useSounds([0.25])
    bench.send(.sync(perQuarter: count))
    bench.send(.masterGain(0))
    bench.send(.mute(true))
    bench.start(countIn: 1)
    bench.run(to: 105_600 + 48_000)
    // None in the count-in: gear counts from bar 1.
    let expected = (0..<2 * Int64(count)).map { 105_600 + 24_000 * $0 / Int64(count) }
    #expect(bench.soundingFrames == expected)
    #expect(bench.samples[105_600] == 0.25)
  }

  // MARK: Timer

  /// One minute from beat one at 9600: over at 2889600. Bars of 4/4 at 100 last 115200 frames; the
  /// first bar line at or after is number 25: 9600 + 25 x 115200 = 2889600, exactly.
  @Test(arguments: [(100.0, 2_889_600), (120, 2_889_600), (130, 0)])
  func `the timer ends on the first bar line at or after its time`(tempo: Double, end: Int64) {
    let bench = EngineBench(tempo: tempo)
    bench.keepsSamples = false
    bench.send(.timer(milliseconds: 60_000, stops: true))
    bench.start()
    bench.run(to: 3_200_000, periods: [4096])
    let timers = bench.facts.compactMap { if case .timer(let event) = $0 { event } else { nil } }
    #expect(timers.count == 1)
    // At 130 a bar lasts 4 x 288000 / 13 frames; 60 s are 32.5 bars, so the line of bar 34:
    // 9600 + 33 x 1152000 / 13 = 2933907.69.
    let expected = tempo == 130 ? 2_933_908 : end
    #expect(timers.first?.frame.value == expected)
    #expect(bench.stops.map(\.frame.value) == [expected])
    #expect(bench.pulses.allSatisfy { $0.frame.value < expected })
  }

  @Test func `the timer pauses with stop, counts from bar 1 and may let the music go on`() {
    let bench = EngineBench()
    bench.keepsSamples = false
    bench.send(.timer(milliseconds: 60_000, stops: false))
    bench.start(countIn: 1)
    bench.send(.stop, at: 500_000)
    bench.send(.resume, at: 1_000_000)
    bench.run(to: 4_000_000, periods: [4096])
    // 30 bars from beat one at 105600, which ends at 2985600; the Stop at 500000 falls before pulse
    // 395 at 500600, which resumes at 1009600: 509000 later.
    let timers = bench.facts.compactMap { if case .timer(let event) = $0 { event } else { nil } }
    #expect(timers.map(\.frame.value) == [2_985_600 + 509_000])
    #expect(bench.stops.count == 1)
    #expect(bench.beatFrames.last! > 3_990_000)
  }
}
