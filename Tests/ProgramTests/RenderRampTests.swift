import Foundation
import Testing

/// Ramps through `tactus render`, against their closed forms.
@Suite struct RenderRampTests {
  /// Frame and tempo of every change.
  static func tempos(_ line: String) -> [[Double]] {
    ListedEvent.rendered(line).of("tempo").map { [Double($0.frame), $0.bpm ?? 0] }
  }

  static func rounded(_ frame: Double) -> Int { Int((frame + 0.5).rounded(.down)) }

  @Test func `a trainer of one bar a level changes at every bar line and then holds`() {
    // Bars of 4 x 2880000 / tempo frames: 96000 at 120, 88615.38 at 130; 140 from 184615.38 on.
    let line = "render 120 --trainer 120-140/10@1bars --bars 6"
    #expect(Self.tempos(line) == [[0, 120], [96_000, 130], [184_615, 140]])
    // Four bars at 140: 96000 + 88615.3846 + n x 20571.428571
    let origin: Double = 96_000 + 4 * 2_880_000.0 / 130
    for (n, beat) in ListedEvent.rendered(line).of("beat").suffix(16).enumerated() {
      let exact: Double = origin + Double(n) * 2_880_000 / 140
      #expect(beat.frame == Self.rounded(exact))
    }
  }

  @Test func `a share shorter than a bar ends at the first beat`() {
    // 6 s in 3 levels: 2 s each, below a bar of 3 s at 80. Beats at 80 are 0.75 s apart: the level
    // of 90 begins at 2.25 s; its beats are 2/3 s apart: that of 100 at 2.25 + 3 x 2/3 = 4.25 s.
    let tempos = Self.tempos("render 80 --trainer 80-100/10:6s --duration 8s")
    #expect(tempos == [[0, 80], [108_000, 90], [204_000, 100]])
  }

  @Test func `levels of seconds begin at bar lines and the last one is clamped`() {
    // Levels 100, 115, 120. A bar at 100 lasts 2.4 s: 3 s are over at 4.8 s; a bar at 115 lasts
    // 240/115 s: 6 s are over at 4.8 + 240/115 = 6.886957 s, 330573.91 frames.
    let tempos = Self.tempos("render 100 --trainer 100-120/15@3s --duration 12s")
    #expect(tempos == [[0, 100], [230_400, 115], [330_574, 120]])
  }

  @Test func `a trainer goes down too`() {
    // 140, 130, 120: bars of 82285.714 and 88615.385 frames.
    let tempos = Self.tempos("render 140 --ramp 140-120/10@1bars --bars 3")
    #expect(tempos == [[0, 140], [82_286, 130], [170_901, 120]])
  }

  static let ends: [(end: String, tempos: [[Double]], length: Int)] = [
    // Levels 120 and 130, a bar each: 96000 + 88615.38.
    ("stop", [[0, 120], [96_000, 130]], 184_615),
    ("loop", [[0, 120], [96_000, 130], [184_615, 120], [280_615, 130]], 369_231),
    // At 90 a bar lasts 128000 frames.
    ("return", [[0, 120], [96_000, 130], [184_615, 90]], 440_615),
  ]

  @Test(arguments: ends)
  func `it ends as it was asked to`(end: String, tempos: [[Double]], length: Int) {
    var line = "render 90 --trainer 120-130/10@1bars --trainer-end \(end)"
    if end != "stop" { line += " --bars 4" }
    #expect(Self.tempos(line) == tempos)
    #expect(ListedEvent.rendered(line).last?.frame == length)
  }

  @Test func `klick's ramp goes up by one every so many bars`() {
    // Two bars at 80 are 8 x 36000 = 288000 frames; two at 81 are 8 x 2880000 / 81 = 284444.44.
    let up = Self.tempos("render 80-82/2 --bars 8")
    #expect(up == [[0, 80], [288_000, 81], [572_444, 82]])
    let down = ListedEvent.rendered("render 3/4 82-80/1 --bars 4").of("tempo")
    #expect(down.map(\.bpm) == [82, 81, 80])
  }

  /// t(q) = 2 q / (a + sqrt(a^2 + 2 (b - a) q / T)), a and b in quarters a second.
  @Test func `a glide in time from 120 to 140 over 96/13 s passes exactly 16 quarters`() {
    let events = ListedEvent.rendered("render 120 --glide 120-140:7.384615385s --duration 12s")
    let beats = events.of("beat")
    let a: Double = 2
    let slope: Double = (140.0 / 60 - a) / (96.0 / 13)
    for (n, beat) in beats.prefix(17).enumerated() {
      let q = Double(n)
      let seconds: Double = 2 * q / (a + (a * a + 2 * slope * q).squareRoot())
      #expect(abs(Double(beat.frame) - seconds * 48_000) <= 0.5001, "beat \(n)")
    }
    // 96 / 13 x 48000 = 354461.54; from there on a beat lasts 20571.43 frames.
    for (n, beat) in beats.dropFirst(16).enumerated() {
      let exact: Double = 354_461.538_461 + Double(n) * 144_000 / 7
      #expect(beat.frame == Self.rounded(exact))
    }
    #expect(beats.last?.bpm == 140)
  }

  /// t(q) = L / (b - a) ln(1 + (b - a) q / (a L)); 4 bars take 48 ln(7/6) s = 355163.2 frames.
  @Test func `a glide in score position over 4 bars takes 48 ln(7/6) seconds`() {
    let beats = ListedEvent.rendered("render 120 --glide 120-140:4bars --bars 6").of("beat")
    for (n, beat) in beats.prefix(17).enumerated() {
      let seconds: Double = 48 * log(1 + Double(n) / 96)
      #expect(abs(Double(beat.frame) - seconds * 48_000) <= 0.5001, "beat \(n)")
    }
    #expect(beats[16].frame == 355_163)
    #expect(beats[16].bpm == 140)
    #expect(beats[8].bpm == 130)
  }
}
