import MetronomeModel
import MusicalTime
import Testing

@testable import RealtimeEngine

@Suite struct TrainerTests {
  static func trainer(
    _ from: Double, _ to: Double, step: Double, _ share: SpeedTrainer.Share,
    _ end: SpeedTrainer.End = .hold
  ) -> SpeedTrainer {
    SpeedTrainer(
      unchecked: Tempo(from)!, to: Tempo(to)!, stepThousandths: Int32(step * 1000), share: share,
      end: end)
  }

  /// A reference walk in whole frames for tempos whose beats are whole frames at 48 kHz
  /// (2 880 000 / tempo): the bar lines at which levels begin.
  static func levelStarts(
    tempos: [Int64], shareFrames: (Int64) -> (numerator: Int64, denominator: Int64),
    first: Int64, beats: Int64
  ) -> [(level: Int, frame: Int64)] {
    var starts = [(level: 0, frame: first)]
    var frame = first
    var level = 0
    while level < tempos.count - 1 {
      frame += beats * 2_880_000 / tempos[level]
      var due = level
      while due < tempos.count - 1 {
        let nominal = shareFrames(Int64(due + 1))
        guard nominal.numerator <= (frame - first) * nominal.denominator else { break }
        due += 1
      }
      if due > level {
        level = due
        starts.append((level, frame))
      }
    }
    return starts
  }

  /// 100 to 130 by 10 over 32 s: four levels of 8 s; each begins at the first bar line at or after
  /// its nominal time. 100: 28800 frames a beat, 120: 24000; 110 and 130 are not whole, so the
  /// table uses 96, 100, 120, 125, 144, 150, 160 only.
  @Test(
    arguments: [
      ([100, 120], 20.0, 20_000), ([120, 100], 20, 10_000), ([100, 125, 150], 25, 30_000),
      ([150, 125, 100], 25, 30_000), ([144, 160], 20, 7_000), ([96, 120, 144, 160], 24, 40_000),
    ] as [([Int64], Double, Int64)])
  func `each level begins at the first bar line at or after its even share`(
    tempos: [Int64], step: Double, milliseconds: Int64
  ) {
    let count = Int64(tempos.count)
    let total = milliseconds * 48
    let bench = EngineBench(tempo: 90)
    bench.keepsSamples = false
    bench.send(
      .trainer(
        Self.trainer(
          Double(tempos.first!), Double(tempos.last!), step: step, .totalMilliseconds(milliseconds))
      ))
    bench.start()
    bench.run(to: total + 600_000, periods: [4096])
    let expected = Self.levelStarts(
      tempos: tempos, shareFrames: { (total * $0, count) }, first: 9_600, beats: 4)
    let levels = bench.trainerEvents.filter { $0.kind == .level }
    #expect(levels.map { Int($0.level) } == expected.map(\.level))
    #expect(levels.map(\.frame.value) == expected.map(\.frame))
    #expect(levels.allSatisfy { Int64($0.levelCount) == count })
    // Hold: the last level lasts its own share too, then the tempo stays.
    let finished = bench.trainerEvents.filter { $0.kind == .finished }
    #expect(finished.count == 1)
    let last = expected.last!.frame
    let bar = 4 * 2_880_000 / tempos.last!
    let bars = (9_600 + total - last + bar - 1) / bar
    #expect(finished.first?.frame.value == last + max(bars, 1) * bar)
    #expect(bench.tempos.last?.tempo == Tempo(Double(tempos.last!)))
  }

  /// ceil(|to - from| / step) + 1 levels, the last one clamped, up and down.
  @Test func `levels climb or fall by the step and the last is the target`() {
    let table: [(Double, Double, Double, [Double])] = [
      (100, 120, 8, [100, 108, 116, 120]), (120, 100, 8, [120, 112, 104, 100]),
      (100, 110, 50, [100, 110]), (60, 61, 0.25, [60, 60.25, 60.5, 60.75, 61]),
      (99.95, 100, 0.02, [99.95, 99.97, 99.99, 100]),
    ]
    for (from, to, step, tempos) in table {
      let trainer = Self.trainer(from, to, step: step, .barsPerLevel(1))
      #expect(trainer.levelCount == Int64(tempos.count))
      let bench = EngineBench()
      bench.keepsSamples = false
      bench.start()
      bench.send(.trainer(trainer), at: 20_000, id: 1)
      bench.run(to: 48_000 * 30, periods: [4096])
      #expect(bench.effective(1) == 105_600)
      let levels = bench.trainerEvents.filter { $0.kind == .level }
      #expect(levels.map(\.tempo.value) == tempos)
      // One bar each.
      let frames = Set(bench.beats.filter { $0.beat == 0 }.map(\.frame.value))
      #expect(levels.allSatisfy { frames.contains($0.frame.value) })
      let lines = bench.beats.filter { $0.beat == 0 && $0.frame.value >= 105_600 }
      #expect(lines.prefix(tempos.count).map(\.frame) == levels.map(\.frame))
    }
  }

  /// 24 levels of 60..83 in 24 s: one second each, a bar at 60 lasts 4 s: levels begin on beats.
  /// 600 levels in 30 s: 50 ms each, less than a beat: levels are overtaken and reported.
  @Test func `a share shorter than a bar begins at beats and overtaken levels are reported`() {
    let bench = EngineBench()
    bench.keepsSamples = false
    bench.send(.trainer(Self.trainer(60, 83, step: 1, .millisecondsPerLevel(1_000))))
    bench.start()
    bench.run(to: 48_000 * 30, periods: [4096])
    let levels = bench.trainerEvents.filter { $0.kind == .level }
    let onBeats = Set(bench.beatFrames)
    #expect(levels.allSatisfy { onBeats.contains($0.frame.value) })
    // A beat at 60 lasts exactly the second of its share; from then on beats are shorter than the
    // share, so no level is skipped and each begins at the first beat at or after k seconds.
    #expect(levels.map(\.level) == Array(0..<24))
    for level in levels {
      let nominal = 9_600 + 48_000 * Int64(level.level)
      let before = bench.beatFrames.last { $0 < level.frame.value } ?? 0
      #expect(level.frame.value >= nominal && before < nominal)
    }
    let fast = EngineBench()
    fast.keepsSamples = false
    fast.send(.trainer(Self.trainer(60, 659, step: 1, .totalMilliseconds(30_000))))
    fast.start()
    fast.run(to: 48_000 * 33, periods: [4096])
    let events = fast.trainerEvents.filter { $0.kind == .level || $0.kind == .skippedLevel }
    #expect(events.map(\.level) == Array(0..<600))
    #expect(events.contains { $0.kind == .skippedLevel })
    for event in events where event.kind == .level {
      let nominal = 9_600 + 2_400 * Int64(event.level)
      #expect(event.frame.value >= nominal)
    }
  }

  /// 100 to 900 by thousandths in 4 s: 800 001 levels, about 100 000 a beat.
  @Test func `a million levels flood neither the queue nor the audio thread`() {
    let bench = EngineBench(tempo: 100)
    bench.keepsSamples = false
    bench.send(.trainer(Self.trainer(100, 900, step: 0.001, .totalMilliseconds(4_000))))
    bench.start()
    bench.run(to: 48_000 * 8, periods: [480])
    let skipped = bench.trainerEvents.filter { $0.kind == .skippedLevel }
    #expect(skipped.count <= 256 * bench.beats.count)
    #expect(bench.trainerEvents.last?.kind == .finished)
    #expect(bench.tempos.last?.tempo == Tempo(900))
    // The second beat lies 28800 frames after the first: 28800 / 192000 of 800001 levels.
    let levels = bench.trainerEvents.filter { $0.kind == .level }
    #expect(levels[1].frame.value == 9_600 + 28_800)
    #expect(levels[1].level == 120_000)
  }

  @Test(arguments: SpeedTrainer.End.allCases)
  func `at the end it holds, stops, loops or returns`(end: SpeedTrainer.End) {
    let bench = EngineBench(tempo: 90)
    bench.keepsSamples = false
    // Two levels of two bars: 100 from 9600, 120 from 9600 + 8 x 28800 = 240000, over at
    // 240000 + 8 x 24000 = 432000.
    bench.send(.trainer(Self.trainer(100, 120, step: 20, .barsPerLevel(2), end)))
    bench.start()
    bench.run(to: 800_000, periods: [1024])
    let kinds = bench.trainerEvents.map(\.kind)
    let frames = bench.trainerEvents.map(\.frame.value)
    switch end {
    case .hold:
      #expect(kinds == [.level, .level, .finished])
      #expect(bench.tempos.last?.tempo == Tempo(120))
      #expect(bench.beatFrames.contains(456_000))
    case .stop:
      #expect(kinds == [.level, .level, .finished])
      #expect(bench.stops.map(\.frame.value) == [432_000])
      #expect(bench.beatFrames.last == 408_000)
      // 16 beats of 24 pulses: 384 is the first not sent.
      #expect(bench.stops.first?.nextPulse == 384)
    case .loop:
      #expect(kinds.prefix(5) == [.level, .level, .looped, .level, .level])
      #expect(frames.prefix(4) == [9_600, 240_000, 432_000, 432_000])
      #expect(bench.beatFrames.contains(460_800))
    case .return:
      #expect(kinds == [.level, .level, .finished])
      // 90: 32000 frames a beat.
      #expect(bench.beatFrames.contains(464_000))
      #expect(bench.tempos.last?.tempo == Tempo(90))
    }
    #expect(frames.contains(432_000))
  }

  /// Stop pauses it, Continue resumes: the levels begin at the same places of the score.
  @Test(arguments: [50_000, 239_000, 240_000, 240_001, 236_000, 300_000] as [Int64])
  func `stop pauses the trainer and continue resumes it`(stop: Int64) {
    func bench(pausing: Bool) -> EngineBench {
      let bench = EngineBench()
      bench.keepsSamples = false
      bench.send(.trainer(Self.trainer(100, 150, step: 25, .totalMilliseconds(12_000))))
      bench.start()
      if pausing {
        bench.send(.stop, at: stop)
        bench.send(.resume, at: stop + 100_000)
      }
      bench.run(to: 900_000, periods: [480])
      return bench
    }
    func places(_ bench: EngineBench) -> [String] {
      // The pulses on which tempos change, by the pulse spacing after them.
      let pulses = bench.validPulses
      return zip(pulses, pulses.dropFirst()).filter { $1.number == $0.number + 1 }
        .filter { $1.frame.value < stop || $0.frame.value > stop }
        .map { "\($0.number) \(($1.frame - $0.frame).value)" }
    }
    let plain = places(bench(pausing: false))
    let paused = places(bench(pausing: true))
    let missing = Set(plain.prefix(300)).subtracting(paused)
    // The interval in which the Stop fell is not an interval of the paused run.
    #expect(missing.count <= 1, "\(missing)")
  }

  @Test func `start begins the trainer anew and the count-in is at from`() {
    let bench = EngineBench(tempo: 60)
    bench.keepsSamples = false
    bench.send(.trainer(Self.trainer(100, 120, step: 20, .barsPerLevel(2))))
    bench.start(countIn: 1)
    bench.send(.stop, at: 400_000)
    bench.start(at: 500_000)
    bench.run(to: 1_000_000, periods: [1024])
    // Count-in: 4 x 28800 from 9600; level 0 at 124800; level 1 at 124800 + 230400 = 355200.
    let levels = bench.trainerEvents.filter { $0.kind == .level }
    #expect(levels.map(\.level) == [0, 1, 0, 1])
    #expect(levels.map(\.frame.value) == [124_800, 355_200, 509_600, 740_000])
  }

  @Test func `an explicit tempo cancels the trainer and says so`() {
    let bench = EngineBench()
    bench.keepsSamples = false
    bench.send(.trainer(Self.trainer(100, 200, step: 5, .barsPerLevel(1))))
    bench.start()
    bench.send(.tempo(Tempo(60)!, .beat), at: 150_000)
    bench.run(to: 600_000)
    #expect(bench.trainerEvents.last?.kind == .cancelled)
    #expect(bench.tempos.last?.tempo == Tempo(60))
    #expect(bench.trainerEvents.filter { $0.kind == .level }.count == 2)
  }
}
