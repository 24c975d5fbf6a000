import MetronomeModel
import MusicalTime
import RealtimeEngine
import ScoreFormats
import Testing

@testable import OfflineRender

/// The facts of a steady tempo, made from arithmetic: beat n of the score at n x 60 x rate / tempo,
/// pulses 24 a quarter.
struct SteadyFacts {
  var meter = Meter.common
  var tempo: Tempo
  var rate: Int64 = 48_000
  var bars = 1
  var countInBars = 0
  var subdivision = Subdivision.none
  var layer = 0

  func frame(_ ticks: Int64) -> FrameIndex {
    let numerator = Int128(ticks) * Int128(60_000 * rate * tempo.quarterDenominator)
    let denominator = Int128(tempo.quarterNumerator * ScorePosition.ticksPerQuarter)
    let doubled = 2 * numerator + denominator
    let quotient = doubled / (2 * denominator)
    return FrameIndex(
      Int64(doubled < 0 && doubled % (2 * denominator) != 0 ? quotient - 1 : quotient))
  }

  /// How far the exact instant lies from the frame, in 2^-32 frames.
  func fraction(_ ticks: Int64) -> Int32 {
    let numerator = Int128(ticks) * Int128(60_000 * rate * tempo.quarterDenominator)
    let denominator = Int128(tempo.quarterNumerator * ScorePosition.ticksPerQuarter)
    let rest = numerator - Int128(frame(ticks).value) * denominator
    return Int32(clamping: (rest << 32) / denominator)
  }

  func events() -> [EngineEvent] {
    var facts: [(ticks: Int64, order: Int, event: EngineEvent)] = []
    let bpm = tempo.quarterThousandths
    let first = -Int64(countInBars) * meter.barLength.ticks
    facts.append(
      (
        first, 0,
        .tempo(
          TempoEvent(frame: frame(first), tempo: tempo, quarterThousandths: bpm, isGlide: false))
      ))
    for bar in -countInBars..<bars {
      let barTicks = Int64(bar) * meter.barLength.ticks
      let flags: BeatFlags = bar < 0 ? .countIn : []
      func click(
        _ ticks: Int64, beat: Int, sub: Int, _ source: ClickEvent.Source, _ accent: Accent
      ) {
        facts.append(
          (
            ticks, 2,
            .click(
              ClickEvent(
                frame: frame(ticks), place: ScorePosition(ticks: ticks), bar: Int32(bar),
                beat: UInt8(beat), sub: UInt8(sub), source: source, accent: accent, flags: flags,
                quarterThousandths: bpm))
          ))
      }
      for beat in 0..<Int(meter.beatCount) {
        let ticks = barTicks + Int64(beat) * meter.beatLength.ticks
        let accent: Accent = beat == 0 ? .strong : .normal
        facts.append(
          (
            ticks, 1,
            .beat(
              BeatEvent(
                frame: frame(ticks), bar: Int32(bar), beat: UInt8(beat), beatCount: meter.beatCount,
                accent: accent, flags: flags, quarterThousandths: bpm))
          ))
        click(ticks, beat: beat, sub: 0, .beat, accent)
        for sub in 1..<max(1, Int(subdivision.count)) where subdivision.count > 1 {
          let offset = subdivision.offset(of: sub, beatLength: meter.beatLength).ticks
          click(ticks + offset, beat: beat, sub: sub, .subdivision, .soft)
        }
      }
      for index in 0..<layer {
        let ticks = barTicks + meter.barLength.ticks * Int64(index) / Int64(layer)
        click(ticks, beat: 0, sub: index, .layer, .normal)
      }
    }
    let pulses = Int64(bars) * meter.barLength.ticks / ScorePosition.ticksPerPulse
    for number in (first / ScorePosition.ticksPerPulse)..<pulses {
      let ticks = number * ScorePosition.ticksPerPulse
      facts.append(
        (
          ticks, 3,
          .pulse(
            PulseEvent(
              frame: frame(ticks), number: number, songPulse: number, fraction: fraction(ticks),
              flags: []))
        ))
    }
    return facts.sorted { ($0.ticks, $0.order) < ($1.ticks, $1.order) }.map(\.event)
  }

  var end: FrameIndex { frame(Int64(bars) * meter.barLength.ticks) }

  func track(exact: Bool = false) -> (file: StandardMIDIFile, report: ClickTrackReport) {
    var builder = ClickTrackBuilder(rate: Int(rate), exact: exact, meter: meter)
    for event in events() { builder.add(event) }
    return builder.file(end: end)
  }
}

func tempo(_ value: Double, unit: NoteValue = .quarter) -> Tempo { Tempo(value, unit: unit)! }

@Suite("Click tracks as MIDI files")
struct ClickTrackTests {
  @Test("clicks of a plain bar lie on the quarters, and the file ends on the bar line")
  func plain() {
    let (file, report) = SteadyFacts(tempo: tempo(120), bars: 2).track()
    #expect(file.ticksPerQuarter == 960)
    #expect(file.notes.map(\.tick) == (0..<8).map { Int64($0) * 960 })
    // Wood blocks of General MIDI: high on one, low elsewhere.
    #expect(file.notes.map(\.key) == [76, 77, 77, 77, 76, 77, 77, 77])
    #expect(file.endTick == 8 * 960)
    #expect(file.tempos == [.init(tick: 0, microsecondsPerQuarter: 500_000)])
    #expect(report.largestTempoError == 0 && report.largestRounding == 0)
  }

  @Test("septuplets, swing and eleven against the bar lie on exact ticks")
  func exactTicks() throws {
    var facts = SteadyFacts(tempo: tempo(97.3), bars: 1)
    facts.subdivision = Subdivision(unchecked: 7, level: .soft, swing: .straight)
    let sevens = facts.track()
    // 24 and 7 need 168 ticks; six times that is the first multiple of at least 960.
    #expect(sevens.file.ticksPerQuarter == 1_008 && sevens.report.largestRounding == 0)
    #expect(sevens.file.notes.map(\.tick) == (0..<28).map { Int64($0) * 144 })

    // 58 % of two eighths: 0.58 of a quarter; 24 and 50 need 600 ticks, so 1200 and 696.
    facts.subdivision = Subdivision(
      unchecked: 2, level: .soft, swing: .percentHundredths(5_800))
    let swung = facts.track()
    #expect(swung.file.ticksPerQuarter == 1_200 && swung.report.largestRounding == 0)
    #expect(swung.file.notes.prefix(4).map(\.tick) == [0, 696, 1_200, 1_896])

    facts.subdivision = .none
    facts.layer = 11
    let layered = facts.track()
    // Four quarters in eleven: 264 ticks, raised to 1056; a layer click every 384.
    #expect(layered.file.ticksPerQuarter == 1_056 && layered.report.largestRounding == 0)
    #expect(
      layered.file.notes.filter { $0.key == 75 }.map(\.tick) == (0..<11).map { Int64($0) * 384 })
  }

  @Test(
    "meters are written in their own units, with the pulses of their beat",
    arguments: [
      ("4/4", 4, 4, 24), ("7/8", 7, 8, 12), ("6/8.", 6, 8, 36), ("2+2+3/8", 7, 8, 12),
      ("3/2", 3, 2, 48), ("64/32", 64, 32, 3),
    ])
  func meters(text: String, numerator: Int, denominator: Int, pulses: Int) throws {
    let facts = SteadyFacts(meter: try Meter(text: text), tempo: tempo(60))
    #expect(
      facts.track().file.meters == [
        .init(tick: 0, numerator: numerator, denominator: denominator, pulsesPerClick: pulses)
      ])
  }

  @Test("the tempo is the nearest microsecond, and what that costs is reported")
  func nearest() {
    // 60 s / 110 is 545454.5454... us: 545455 is 5/11 us long, 440 of them 200 us.
    let (file, report) = SteadyFacts(tempo: tempo(110), bars: 110).track()
    #expect(file.tempos == [.init(tick: 0, microsecondsPerQuarter: 545_455)])
    #expect(abs(report.endTempoError - 200) < 0.001)
    // 72 dotted quarters are 108 quarters: 555555.56 us.
    let dotted = SteadyFacts(tempo: tempo(72, unit: NoteValue(4, dotted: true)!)).track()
    #expect(dotted.file.tempos[0].microsecondsPerQuarter == 555_556)
  }

  @Test(
    "with alternating values no beat is off by more than a tick",
    arguments: [110.0, 97.3, 999, 998.999, 5, 5.001, 133.333, 120])
  func alternating(value: Double) {
    var facts = SteadyFacts(tempo: tempo(value), bars: 50)
    facts.subdivision = Subdivision(unchecked: 7, level: .soft, swing: .straight)
    let (file, report) = facts.track(exact: true)
    var time = 0.0
    var mark = 0
    for beat in 0..<200 {
      let tick = Int64(beat * file.ticksPerQuarter)
      if mark + 1 < file.tempos.count, file.tempos[mark + 1].tick <= tick { mark += 1 }
      // A tick is 3 us at the least (999 a minute, 20160 ticks); a microsecond is what it keeps.
      #expect(abs(time - Double(beat) * 60e6 / value) <= 1, "beat \(beat)")
      time += Double(file.tempos[mark].microsecondsPerQuarter)
    }
    #expect(report.largestTempoError <= 1)
  }

  @Test("a count-in comes first and bar one has a marker")
  func countIn() {
    let (file, _) = SteadyFacts(tempo: tempo(120), bars: 1, countInBars: 1).track()
    #expect(file.notes.map(\.key) == [37, 37, 37, 37, 76, 77, 77, 77])
    #expect(file.markers == [.init(tick: 4 * 960, text: "1")])
    #expect(file.endTick == 8 * 960)
  }

  @Test("a file that is cut inside a bar ends where the frames do, and its notes stay exact")
  func cut() {
    var builder = ClickTrackBuilder(rate: 48_000, meter: .common)
    for event in SteadyFacts(tempo: tempo(120), bars: 2).events() { builder.add(event) }
    // 30 000 frames are 1.25 quarters of 24 000: 1200 ticks, after the last pulse but one bar.
    let (file, report) = builder.file(end: FrameIndex(192_000 + 30_000))
    #expect(file.endTick == 8 * 960 + 1_200)
    #expect(report.largestRounding == 0)
  }

  @Test("a song that ends in a glide ends on its bar line")
  func glideAtEnd() {
    let segment = TempoSegment(
      origin: .zero, originFrame: ExactFrame(FrameIndex(0)), rate: 48_000,
      shape: .glideInScore(
        from: tempo(140), to: tempo(80),
        length: ScorePosition(ticks: 8 * ScorePosition.ticksPerQuarter)))
    var builder = ClickTrackBuilder(rate: 48_000, meter: .common)
    builder.add(
      .tempo(
        TempoEvent(
          frame: FrameIndex(0), tempo: tempo(80), quarterThousandths: 140_000, isGlide: true)))
    for number in 0..<Int64(8 * 24) {
      let frame = segment.frame(at: ScorePosition(pulses: number)).nearest
      builder.add(.pulse(PulseEvent(frame: frame, number: number, songPulse: number, flags: [])))
    }
    let end = segment.frame(at: ScorePosition(pulses: 8 * 24)).nearest
    #expect(builder.file(end: end).file.endTick == 8 * 960)
  }

  @Test("muted clicks are no notes")
  func muted() {
    var builder = ClickTrackBuilder(rate: 48_000, meter: .common)
    for event in SteadyFacts(tempo: tempo(120), bars: 2).events() {
      guard case .click(var click) = event, click.bar == 1 else {
        builder.add(event)
        continue
      }
      click.flags = .mutedBar
      builder.add(.click(click))
    }
    #expect(builder.file(end: FrameIndex(192_000)).file.notes.count == 4)
  }

  @Test("the marks of a glide keep every pulse within half a frame")
  func glide() {
    // 120 to 140 over 96/13 s passes 16 quarters.
    let from = tempo(120)
    let to = tempo(140)
    let segment = TempoSegment(
      origin: .zero, originFrame: ExactFrame(FrameIndex(0)), rate: 48_000,
      shape: .glideInTime(from: from, to: to, seconds: 96.0 / 13))
    var builder = ClickTrackBuilder(rate: 48_000, meter: .common)
    builder.add(
      .tempo(
        TempoEvent(frame: FrameIndex(0), tempo: to, quarterThousandths: 120_000, isGlide: true)))
    for number in 0..<Int64(16 * 24) {
      let frame = segment.frame(at: ScorePosition(pulses: number)).nearest
      builder.add(
        .pulse(PulseEvent(frame: frame, number: number, songPulse: number, flags: [])))
    }
    let end = segment.frame(at: ScorePosition(pulses: 16 * 24)).nearest
    builder.add(
      .tempo(TempoEvent(frame: end, tempo: to, quarterThousandths: 140_000, isGlide: false)))
    builder.add(.pulse(PulseEvent(frame: end, number: 384, songPulse: 384, flags: [])))
    let (file, _) = builder.file(end: end)
    var time = 0.0
    var mark = 0
    let pulseTicks = Int64(file.ticksPerQuarter / 24)
    for number in 0..<Int64(384) {
      let exact = segment.frame(at: ScorePosition(pulses: number)).approximateFrames / 48_000 * 1e6
      // Half a frame is 10.4 us.
      #expect(abs(time - exact) < 10.5, "pulse \(number)")
      while mark + 1 < file.tempos.count, file.tempos[mark + 1].tick <= number * pulseTicks {
        mark += 1
      }
      time += Double(file.tempos[mark].microsecondsPerQuarter) / 24
    }
    #expect(abs(time - 96e6 / 13) < 11)
  }
}
