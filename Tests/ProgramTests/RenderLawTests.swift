import Testing

/// Frames of what `tactus render` lists, against arithmetic.
///
/// Beat n of a stretch lies at n x 60 x rate / tempo, rounded once, half up.
@Suite struct RenderLawTests {
  /// round half up of a / b
  static func nearest(_ a: Int, _ b: Int) -> Int { (2 * a + b) / (2 * b) }

  /// `count` frames, `numerator / denominator` apart, each rounded once.
  static func grid(_ count: Int, _ numerator: Int, _ denominator: Int = 1) -> [Int] {
    (0..<count).map { nearest($0 * numerator, denominator) }
  }

  static func swung(_ second: Int) -> [Int] {
    var frames: [Int] = []
    for beat in 0..<4 { frames += [beat * 48_000, beat * 48_000 + second] }
    return frames
  }

  static let clicks: [(line: String, frames: [Int])] = [
    // Whole frames: a beat at 120 lasts 24000 frames at 48000, 22050 at 44100.
    ("render 120 --bars 2 --rate 48000", grid(8, 24_000)),
    ("render 120 --bars 2 --rate 44100", grid(8, 22_050)),
    ("render 2 4/4 120", grid(8, 24_000)),
    // 7/8 at a quarter of 120 clicks eighths, 12000 frames apart.
    ("render 7/8 120 --bars 2", grid(14, 12_000)),
    ("render 2+2+3/8 120 --bars 1", grid(7, 12_000)),
    // 6/8. has two dotted quarters a bar: a quarter of 108 makes 72 of them, 40000 frames apart.
    ("render 6/8. 108 --bars 2", grid(4, 40_000)),
    ("render 6/8. 72 --unit 1/4. --bars 2", grid(4, 40_000)),
    // 400 a minute at 44100: 6615 frames a beat; 158: 48000 x 60 / 158 = 18227.848...
    ("render 400 --bars 1 --rate 44100", grid(4, 6_615)),
    ("render 158 --bars 4", grid(16, 2_880_000, 158)),
    ("render 99.95 --bars 4 --rate 96000", grid(16, 576_000_000, 9_995)),
    // The fastest and the slowest tempo: 60 x 44100 / 999, and 12 s a beat.
    ("render 999 --bars 8 --rate 44100", grid(32, 2_646_000, 999)),
    ("render 5 --bars 1 --rate 44100", grid(4, 529_200)),
    // Subdivisions cut the beat evenly, in thirds of 24000 and sevenths of 18227.848.
    ("render 120 --bars 1 --subdivision 3", grid(12, 8_000)),
    ("render 158 --bars 1 --subdivision 7", grid(28, 2_880_000, 158 * 7)),
    // Swing 60 % of a beat of 48000 frames: 28800; triplet: 32000; inactive on three.
    ("render 60 --bars 1 --subdivision 2 --swing 60", swung(28_800)),
    ("render 60 --bars 1 --subdivision 2 --swing triplet", swung(32_000)),
    // 48000 x 0.6666 = 31996.8
    ("render 60 --bars 1 --subdivision 2 --swing 66.66", swung(31_997)),
    ("render 60 --bars 1 --subdivision 3 --swing 60", grid(12, 16_000)),
  ]

  @Test(arguments: clicks)
  func `clicks lie on their frames`(line: String, frames: [Int]) {
    #expect(ListedEvent.rendered(line).of("click").frames == frames)
  }

  static let lengths: [(line: String, frames: Int, beats: Int)] = [
    ("render 3/4 96 --bars 4", 360_000, 12), ("render 7/8 120 --bars 8", 672_000, 56),
    // 16 x 48000 x 60 / 158 = 291645.57
    ("render 158 --bars 4", 291_646, 16),
    ("render 120 --duration 10s", 480_000, 20),
    ("render 120 --duration 1:30 --rate 44100", 3_969_000, 180),
    // 10 ms are 441 frames; beat one alone.
    ("render 120 --duration 10ms --rate 44100", 441, 1),
    // The beat at exactly the end is left out.
    ("render 120 --duration 0.5s", 24_000, 1), ("render 120 --duration 0.500021s", 24_001, 2),
    // A bar of count-in comes before the bars that are asked for.
    ("render 120 --bars 2 --count-in 1", 288_000, 12),
  ]

  @Test(arguments: lengths)
  func `the length is exact and ends with a stop`(line: String, frames: Int, beats: Int) {
    let events = ListedEvent.rendered(line)
    #expect(events.last?.kind == "stop")
    #expect(events.last?.frame == frames)
    #expect(events.of("beat").count == beats)
    #expect(events.dropLast().allSatisfy { (0..<frames).contains($0.frame) })
  }

  @Test func `pulses come 24 a quarter, each on its frame`() {
    for (tempo, rate) in [(120, 48_000), (158, 44_100), (113, 192_000)] {
      let pulses = ListedEvent.rendered("render 7/8 \(tempo) --bars 2 --rate \(rate)").of("pulse")
      // Two bars of 7/8 are 7 quarters.
      #expect(pulses.count == 168)
      #expect(pulses.frames == Self.grid(168, 60 * rate, 24 * tempo))
    }
  }

  @Test func `events carry bar, beat, accent, tempo and mute`() {
    let events = ListedEvent.rendered("render 3/4 96.5 --bars 2 --pattern X.-")
    let accents = ["strong", "silent", "soft"]
    for listed in [events.of("beat"), events.of("click")] {
      // A silent beat is a beat; whether it is listed as a click too is left open.
      #expect(listed.count >= 4)
      for event in listed {
        #expect(event.accent == accents[(event.beat ?? 1) - 1])
        #expect(event.bpm == 96.5)
        #expect(event.muted == false)
        #expect(event.sub == nil)
      }
    }
    #expect(events.of("beat").map(\.bar) == [1, 1, 1, 2, 2, 2])
    #expect(events.of("beat").map(\.beat) == [1, 2, 3, 1, 2, 3])
    #expect(events.first?.kind == "start")
    #expect(events.first?.frame == 0)
    #expect(events.of("tempo").map(\.bpm) == [96.5])
  }

  @Test func `subdivision clicks carry their number and layer clicks theirs`() {
    let clicks = ListedEvent.rendered("render 120 --bars 1 --subdivision 4").of("click")
    let numbers: [Int?] = [nil, 1, 2, 3]
    #expect(clicks.map(\.sub) == numbers + numbers + numbers + numbers)
    // A bar of 4/4 at 120 has 96000 frames: three clicks 32000 apart, five 19200 apart.
    for count in [3, 5] {
      let layer = ListedEvent.rendered("render 120 --bars 2 --layer \(count)").of("click")
        .filter { $0.layer != nil }
      #expect(layer.frames == Self.grid(2 * count, 96_000, count))
      let numbers: [Int?] = Array(1...count)
      #expect(layer.map(\.layer) == numbers + numbers)
    }
  }

  static let mutings: [(option: String, bars: Int, muted: [Int])] = [
    ("--mute-bars 3/1", 12, [4, 8, 12]), ("--mute-bars 1/2", 7, [2, 3, 5, 6]),
    // From the rule: output b + 1 of SplitMix64(7) >> 11 times 2^-53 below 0.3.
    ("--mute-random 30:7", 40, [2, 6, 9, 11, 22, 27, 32, 34, 37, 39, 40]),
    ("--mute-random 0", 20, []), ("--mute-random 100", 4, [1, 2, 3, 4]),
    // 2 played, 1 muted, 2 played, 2 muted, and so on with 2.
    ("--mute-growing 2/2", 15, [3, 6, 7, 10, 11, 14, 15]),
  ]

  @Test(arguments: mutings)
  func `muted bars keep their grid`(option: String, bars: Int, muted: [Int]) {
    let events = ListedEvent.rendered("render 4/4 240 --bars \(bars) \(option)")
    let beats = events.of("beat")
    #expect(beats.frames == Self.grid(4 * bars, 12_000))
    #expect(Set(beats.filter { $0.muted == true }.compactMap(\.bar)).sorted() == muted)
    #expect(events.of("pulse").count == 96 * bars)
  }

  @Test func `a count-in is bars -n to -1 and begins at frame 0`() {
    let beats = ListedEvent.rendered("render 3/4 120 --bars 1 --count-in 2 --mute-bars 1/1")
      .of("beat")
    #expect(beats.frames == Self.grid(9, 24_000))
    #expect(beats.map(\.bar) == [-2, -2, -2, -1, -1, -1, 1, 1, 1])
    #expect(beats.allSatisfy { $0.muted == false })
  }

  @Test func `a timer stops at the first bar line at or after its minutes`() {
    // A bar at 130 lasts 88615.38 frames: 60 s are 32.5 bars, so bar 33 is the last,
    // 33 x 4 x 48000 x 60 / 130 = 2924307.69.
    let events = ListedEvent.rendered("render 130 --timer 1")
    #expect(events.of("timer").frames == [2_924_308])
    #expect(events.last?.kind == "stop")
    #expect(events.last?.frame == 2_924_308)
    #expect(events.of("beat").count == 132)
  }
}
