import Glibc
import MetronomeModel
import MusicalTime
import ScoreFormats
import Testing

@testable import TimingReport

private func sheet(_ text: String) throws -> TakeSheet {
  try TakeSheetFormat.read(Array(text.utf8), file: "test")
}

@Suite("Grid of a take")
struct TimingGridTests {
  @Test("stretches, glides and subdivisions lie where arithmetic says")
  func places() throws {
    // 100 quarters a minute at 48 kHz: 28800 frames. Bar 3 begins after 8 of them; at 120: 24000.
    let grid = TimingGrid(
      try sheet(
        """
        { "version": 1, "rate": 48000, "barOneFrame": 1000.5, "tempo": [
          { "tempo": 100, "subdivision": 2 },
          { "bar": 3, "tempo": 120, "meter": "3/4", "subdivision": 1 } ] }
        """), lastFrame: 400_000)
    let at = { (bar: Int, beat: Int, sub: Int) -> Double? in
      grid.points.first { $0.bar == bar && $0.beat == beat && $0.sub == sub }?.frame
    }
    #expect(at(1, 1, 0) == 1_000.5)
    // 1000.5 + 14400; + 7 x 28800; + 8 x 28800; and 3 x 24000 more.
    #expect(at(1, 1, 1) == 15_400.5)
    #expect(at(2, 4, 0) == 202_600.5)
    #expect(at(3, 1, 0) == 231_400.5)
    #expect(at(4, 1, 0) == 303_400.5)
    #expect(at(3, 4, 0) == nil)
  }

  @Test("a glide over four bars ends where its integral says")
  func glide() throws {
    // 48 ln(7/6) = 7.399233 s for 16 quarters from 120 to 140, linear in score position.
    let grid = TimingGrid(
      try sheet(
        """
        { "version": 1, "rate": 48000, "barOneFrame": 0,
          "tempo": [ { "tempo": 120, "to": 140, "bars": 4 } ] }
        """), lastFrame: 500_000)
    let fifth = try #require(grid.points.first { $0.bar == 5 && $0.beat == 1 })
    let expected = 48 * log(7.0 / 6) * 48_000
    #expect(abs(fifth.frame - expected) < 0.01)
    let sixth = try #require(grid.points.first { $0.bar == 6 && $0.beat == 1 })
    let bar = 4.0 * 60 / 140 * 48_000
    #expect(abs(sixth.frame - fifth.frame - bar) < 0.01)
  }

  @Test("a stretch with a frame of its own begins there; the count-in has negative bars")
  func anchors() throws {
    let grid = TimingGrid(
      try sheet(
        """
        { "version": 1, "rate": 48000, "barOneFrame": 96000, "countInBars": 1, "tempo": [
          { "tempo": 120 }, { "bar": 2, "frame": 192100, "tempo": 120 } ] }
        """), lastFrame: 300_000)
    #expect(grid.points.first?.bar == -1 && grid.points.first?.frame == 0)
    #expect(grid.points.first { $0.bar == 2 }?.frame == 192_100)
    #expect(grid.nearest(192_090)?.bar == 2)
  }

  @Test("what is wrong in a side file is named")
  func errors() {
    for (text, word) in [
      ("{ \"version\": 2, \"rate\": 48000, \"barOneFrame\": 0, \"tempo\": 120 }", "version"),
      ("{ \"version\": 1, \"barOneFrame\": 0, \"tempo\": 120 }", "rate"),
      ("{ \"version\": 1, \"rate\": 48000, \"tempo\": 120 }", "barOneFrame"),
      ("{ \"version\": 1, \"rate\": 48000, \"barOneFrame\": 0, \"tempo\": [] }", "tempo"),
      ("{ \"version\": 1, \"rate\": 48000, \"barOneFrame\": 0, \"tempo\": 4 }", "5 to 999"),
      (
        "{ \"version\": 1, \"rate\": 48000, \"barOneFrame\": 0, \"tempo\": [ { \"bar\": 2, \"tempo\": 90 } ] }",
        "bar 1"
      ),
    ] {
      do {
        _ = try sheet(text)
        Issue.record("accepted: \(text)")
      } catch { #expect("\(error)".contains(word), "\(error)") }
    }
  }
}

@Suite("Notes of a take")
struct TakeAnalysisTests {
  /// 60 notes on the quarters of 100 a minute, each off by up to 30 ms, and a latency of 480 frames.
  private struct Performance {
    var player: SyntheticPlayer
    var offsets: [Double]
    var samples: [Float]
    static let step = 28_800.0
    static let barOne = 48_000.0
    static let latency = 480.25

    /// Quarters before the first note.
    var rests: Int

    init(
      _ instrument: SyntheticPlayer.Instrument, notes: Int = 60, rests: Int = 0, seed: UInt64 = 1
    ) {
      self.rests = rests
      player = SyntheticPlayer(instrument: instrument, seed: seed, noise: 1e-3)
      var dice = SyntheticPlayer.Dice(seed + 77)
      offsets = (0..<notes).map { _ in dice.within(-30...30) }
      let instants = offsets.enumerated().map {
        Self.barOne + Double($0.offset + rests) * Self.step + $0.element * 48 + Self.latency
      }
      samples = player.take(
        instants, frames: Int(Self.barOne + Double(notes + rests + 2) * Self.step))
    }
  }

  private func side(click: String = "{}") throws -> TakeSheet {
    try sheet(
      """
      { "version": 1, "rate": 48000, "barOneFrame": 48000, "latencyFrames": 480.25,
        "latencyVerdict": "green", "click": \(click), "tempo": 100, "pattern": "Xxxx" }
      """)
  }

  private struct Score {
    var recall: Double
    var falseOnsets: Int
    var median: Double
    var medianError: Double
    var scatter: Double
  }

  private func score(_ report: TimingReport, _ performance: Performance) -> Score {
    var errors: [Double] = []
    var used = 0
    for (index, offset) in performance.offsets.enumerated() {
      guard
        let note = report.notes.first(where: {
          $0.bar * 4 + $0.beat - 5 == index + performance.rests
        })
      else {
        continue
      }
      used += 1
      errors.append(note.offsetMilliseconds - offset)
    }
    let median = OnsetDetector.median(errors)
    let squares = errors.reduce(0) { $0 + ($1 - median) * ($1 - median) }
    return Score(
      recall: Double(used) / Double(performance.offsets.count),
      falseOnsets: report.notes.count - used, median: median,
      medianError: OnsetDetector.median(errors.map { abs($0) }),
      scatter: (squares / Double(max(1, errors.count))).squareRoot())
  }

  /// Bars, beats and offsets, for messages.
  private func offsets(_ report: TimingReport) -> [String] {
    report.notes.map { "\($0.bar).\($0.beat) \(Int($0.offsetMilliseconds * 10))" }
  }

  @Test(
    "struck notes are placed to 0.3 ms and plucked ones to 1 ms, all of them, and no others",
    arguments: [(SyntheticPlayer.Instrument.struck, 0.3), (.plucked, 1)])
  func sharp(instrument: SyntheticPlayer.Instrument, allowed: Double) throws {
    let performance = Performance(instrument)
    let report = TakeAnalysis(try side(), rate: 48_000, sounds: [:]).report(performance.samples)
    let score = score(report, performance)
    #expect(score.recall > 0.97 && score.falseOnsets == 0)
    #expect(score.medianError < allowed)
    #expect(report.confidence == .high)
  }

  @Test("bowed notes scatter by less than 5 ms about the middle of their swell")
  func bowed() throws {
    let performance = Performance(.bowed)
    let report = TakeAnalysis(try side(), rate: 48_000, sounds: [:]).report(performance.samples)
    let score = score(report, performance)
    #expect(score.recall > 0.97 && score.falseOnsets == 0)
    #expect(score.scatter < 5)
    // The swell lasts 60 ms: its middle is 30 ms after its first sound.
    #expect((20...40).contains(score.median))
    let swelling = report.notes.filter { $0.attack == .swelling }.count
    #expect(swelling >= 57)
  }

  /// A click of 1500 Hz (2250 on one) that decays in 20 ms.
  private func click(_ level: TakeSheet.ClickLevel) -> [Float] {
    (0..<2_400).map {
      let t = Double($0) / 48_000
      let hertz = level == .strong ? 2_250.0 : 1_500
      return Float(exp(-t / 0.02) * sin(2 * Double.pi * hertz * t + 0.6))
    }
  }

  @Test(
    "clicks that leak into the microphone 10 dB under the notes are left out",
    arguments: [SyntheticPlayer.Instrument.struck, .plucked], [true, false])
  func bleed(instrument: SyntheticPlayer.Instrument, isKnown: Bool) throws {
    // An unknown sound is learnt where the player rests: here in the first six bars.
    var performance = Performance(instrument, rests: isKnown ? 0 : 24)
    // The notes peak at 0.25 to 0.5: 10 dB under the softest is 0.08.
    for index in 0..<(62 + performance.rests) {
      let at = Int(Performance.barOne + Double(index) * Performance.step) + 480
      for (offset, value) in click(index % 4 == 0 ? .strong : .normal).enumerated()
      where at + offset < performance.samples.count {
        performance.samples[at + offset] += 0.08 * value
      }
    }
    let sounds: [TakeSheet.ClickLevel: [[Float]]] =
      isKnown ? [.strong: [click(.strong)], .normal: [click(.normal)]] : [:]
    let report = TakeAnalysis(try side(), rate: 48_000, sounds: sounds).report(performance.samples)
    let score = score(report, performance)
    #expect(report.hasBleed == true)
    #expect(score.recall > 0.97 && score.falseOnsets == 0, "\(score) \(offsets(report))")
    #expect(score.medianError < 0.3, "\(score)")
  }

  @Test("a take with nothing but clicks holds no onsets")
  func onlyClicks() throws {
    var samples = (0..<(48_000 * 20)).map { _ in Float(0) }
    var dice = SyntheticPlayer.Dice(5)
    for frame in samples.indices { samples[frame] = Float(1e-4 * dice.normal()) }
    for index in 0..<30 {
      let at = Int(Performance.barOne + Double(index) * Performance.step) + 480
      for (offset, value) in click(index % 4 == 0 ? .strong : .normal).enumerated()
      where at + offset < samples.count {
        samples[at + offset] += 0.1 * value
      }
    }
    let known: [TakeSheet.ClickLevel: [[Float]]] = [
      .strong: [click(.strong)], .normal: [click(.normal)],
    ]
    for sounds in [[:], known] {
      let report = TakeAnalysis(try side(), rate: 48_000, sounds: sounds).report(samples)
      #expect(report.notes.isEmpty && report.confidence == .none, "\(report.notes)")
    }
  }

  @Test("silence, a pad that swells in half a second, and two notes are no onsets")
  func none() throws {
    let analysis = TakeAnalysis(try side(), rate: 48_000, sounds: [:])
    #expect(analysis.report([Float](repeating: 0, count: 480_000)).confidence == .none)
    #expect(analysis.report([]).confidence == .none)
    var pad = [Float](repeating: 0, count: 48_000 * 12)
    for (index, hertz) in [220.0, 277.2, 329.6, 440].enumerated() {
      for frame in pad.indices {
        let t = Double(frame) / 48_000
        let swell = min(1, t / 0.5) * min(1, (12 - t) / 0.5)
        for partial in 1...5 {
          let vibrato = 0.002 * sin(2 * Double.pi * 5 * t + Double(index))
          let turns = hertz * Double(partial) * t + vibrato
          pad[frame] += Float(0.06 * swell / Double(partial) * sin(2 * Double.pi * turns))
        }
      }
    }
    #expect(analysis.report(pad).confidence == .none)
    let two = Performance(.struck, notes: 2)
    #expect(analysis.report(two.samples).notes.isEmpty)
  }

  @Test("a player who plays eighths to a click of quarters is held against eighths")
  func eighths() throws {
    let player = SyntheticPlayer(instrument: .struck, noise: 1e-3)
    var dice = SyntheticPlayer.Dice(3)
    let instants = (0..<48).map { (index: Int) -> Double in
      48_480.25 + Double(index) * 14_400 + dice.within(-15...15) * 48
    }
    let samples = player.take(instants, frames: 48_000 + 50 * 14_400)
    let report = TakeAnalysis(try side(), rate: 48_000, sounds: [:]).report(samples)
    #expect(report.subdivision == 2)
    #expect(report.notes.count == 48)
    #expect(report.notes[1].sub == 1 && report.notes[1].beat == 1)
    #expect(report.notes.allSatisfy { abs($0.offsetMilliseconds) < 16 })
  }

  @Test("a player who drags by 2 ms a bar is told so")
  func trend() throws {
    let player = SyntheticPlayer(instrument: .struck, noise: 1e-3)
    let instants = (0..<40).map { (index: Int) -> Double in
      let late = 2 * Double(index / 4) * 48
      return 48_480.25 + Double(index) * 28_800 + late
    }
    let samples = player.take(instants, frames: 48_000 + 42 * 28_800)
    let report = TakeAnalysis(try side(), rate: 48_000, sounds: [:]).report(samples)
    #expect(abs(report.trendMillisecondsPerBar - 2) < 0.05)
    #expect(report.places.count == 4)
  }
}
