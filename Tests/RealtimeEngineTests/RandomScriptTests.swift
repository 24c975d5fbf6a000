import MetronomeModel
import MusicalTime
import Testing

@testable import RealtimeEngine

/// Random sessions: whatever is asked for and however the stream is cut into periods, the grid
/// stays whole.
@Suite struct RandomScriptTests {
  struct Request {
    var frame: Int64
    var action: EngineCommand.Action
  }

  static let song = Song(
    [
      Song.section(bars: 2, .constant(Tempo(140)!), firstBar: 0, firstQuarter: 0, next: 1),
      Song.section(
        bars: 1, meter: "3/4", .ramp(from: Tempo(140)!, to: Tempo(90)!), firstBar: 2,
        firstQuarter: 8, next: 2),
      Song.section(
        bars: 2, meter: "7/8", .perBeat(first: 0, count: 3), firstBar: 3, firstQuarter: 11,
        next: 0, gain: 0.5),
    ], tempos: [100, 150, 200], identifier: 9)

  /// The slowest and fastest tempos that `request` asks for, in quarters a minute.
  static let slowest = 70.0
  static let fastest = 400.0

  static func tempo(_ numbers: inout SeededNumbers) -> Tempo {
    Tempo(thousandths: Int64.random(in: 70_000...400_000, using: &numbers))!
  }

  static func request(_ numbers: inout SeededNumbers) -> EngineCommand.Action {
    let meters = ["4/4", "3/4", "6/8", "6/8.", "2+2+3/8", "5/16"]
    switch Int.random(in: 0..<30, using: &numbers) {
    case 0...4: return .tempo(tempo(&numbers), [.now, .beat, .bar].randomElement(using: &numbers)!)
    case 5: return .bend(thousandths: [1_040, 960, 1_000].randomElement(using: &numbers)!)
    case 6: return .phase(tap: FrameIndex(Int64.random(in: 0...400_000, using: &numbers)))
    case 7:
      return .trainer(
        SpeedTrainer(
          unchecked: tempo(&numbers), to: tempo(&numbers), stepThousandths: 20_000,
          share: Bool.random(using: &numbers) ? .totalMilliseconds(3_000) : .barsPerLevel(1),
          end: SpeedTrainer.End.allCases.randomElement(using: &numbers)!))
    case 8, 9:
      return .glide(
        GlideRamp(
          unchecked: tempo(&numbers), to: tempo(&numbers),
          length: Bool.random(using: &numbers) ? .seconds(2.345) : .bars(2)),
        [.now, .beat, .bar].randomElement(using: &numbers)!)
    case 10: return .cancelRamp
    case 11, 12:
      let meter = (try? Meter(text: meters.randomElement(using: &numbers)!)) ?? .common
      return .meter(meter, .standard(for: meter))
    case 13:
      return .subdivision(
        Subdivision(
          unchecked: UInt8.random(in: 1...9, using: &numbers), level: .soft, swing: .triplet))
    case 14: return .layer(count: UInt8.random(in: 0...16, using: &numbers), accent: .soft)
    case 15: return .barMuting(.cycle(play: 1, mute: 1))
    case 16: return .mute(Bool.random(using: &numbers))
    case 17: return .masterGain(Float.random(in: 0...1, using: &numbers))
    case 18: return .sync(perQuarter: [0, 1, 24, 48].randomElement(using: &numbers)!)
    case 19: return .timer(milliseconds: 4_000, stops: Bool.random(using: &numbers))
    case 20: return .stop
    case 21, 22:
      return .start(countInBars: Int32.random(in: 0...1, using: &numbers), beatOne: .distantPast)
    case 23: return .resume
    case 24: return .locate(bar: Int32.random(in: 0...5, using: &numbers), beat: 0)
    case 25: return .freeClock(Bool.random(using: &numbers))
    case 26:
      let commit = Int64.random(in: 960...15_360, using: &numbers)
      return .announce(horizon: FrameCount(commit + 4_800), commit: FrameCount(commit))
    case 27: return .audioOffset(FrameCount(Int64.random(in: 0...24_000, using: &numbers)))
    case 28: return Bool.random(using: &numbers) ? .score(song.reference) : .clearScore
    default:
      return Bool.random(using: &numbers)
        ? .jump(section: Int32.random(in: 0...2, using: &numbers)) : .panic
    }
  }

  static func script(seed: UInt64, length: Int64) -> [Request] {
    var numbers = SeededNumbers(seed: seed)
    var requests = [Request(frame: 0, action: .start(countInBars: 0, beatOne: .distantPast))]
    var frame: Int64 = 0
    while frame < length {
      frame += Int64.random(in: 1...40_000, using: &numbers)
      requests.append(Request(frame: frame, action: request(&numbers)))
    }
    return requests
  }

  static func play(_ script: [Request], to end: Int64, periods: [Int]) -> EngineBench {
    let bench = EngineBench()
    bench.useSounds((0..<2_000).map { 0.3 - Float($0) / 8_000 })
    for (index, request) in script.enumerated() {
      bench.send(request.action, at: request.frame, id: UInt32(index + 1))
    }
    bench.run(to: end, periods: periods)
    return bench
  }

  @Test(arguments: 1...24 as ClosedRange<UInt64>)
  func `fed period by period a random session is what one big render gives`(seed: UInt64) {
    let end: Int64 = 480_000
    let script = Self.script(seed: seed, length: end)
    let whole = Self.play(script, to: end, periods: [65_536])
    let odd = Self.play(script, to: end, periods: [1, 441, 64, 1_024, 7, 333, 4_096, 128])
    // When a bank or a song is given back depends on who looks; what is played does not.
    func facts(_ bench: EngineBench) -> [String] { bench.facts.map { "\($0)" } }
    #expect(facts(whole) == facts(odd))
    #expect(whole.samples == odd.samples)
  }

  @Test(arguments: 100...147 as ClosedRange<UInt64>)
  func `no random session tears the grid`(seed: UInt64) {
    let end: Int64 = 960_000
    let bench = Self.play(Self.script(seed: seed, length: end), to: end, periods: [480])
    var runs: [[EngineEvent]] = [[]]
    for fact in bench.valid {
      switch fact {
      case .started, .continued, .stopped: runs.append([])
      default: runs[runs.count - 1].append(fact)
      }
    }
    // 10 % for a tap's phase; two pulses round apart by one frame.
    let longestPulse = 2_500.0 * 48 / Self.slowest * 1.12 + 1
    let shortestPulse = 2_500.0 * 48 / Self.fastest / 1.12 - 1
    for run in runs {
      let pulses = run.compactMap { if case .pulse(let pulse) = $0 { pulse } else { nil } }
      for (one, other) in zip(pulses, pulses.dropFirst()) {
        // A free clock that was switched off and on again counts anew.
        if other.flags.contains(.free), other.number == 0 { continue }
        #expect(other.number == one.number + 1)
        let gap = Double((other.frame - one.frame).value)
        #expect(gap >= shortestPulse && gap <= longestPulse, "pulse \(other.number): \(gap)")
      }
      let frames = run.filter(\.isVoidable).map(\.frame)
      #expect(zip(frames, frames.dropFirst()).allSatisfy { $0 <= $1 })
      let beats = run.compactMap { if case .beat(let beat) = $0 { beat } else { nil } }
      let numberAt = Dictionary(
        pulses.map { ($0.frame.value, $0.number) }, uniquingKeysWith: { first, _ in first })
      for (one, other) in zip(beats, beats.dropFirst()) {
        // A whole number of pulses apart, on pulses: 6, 12, 24 or 36 for these meters.
        let a = numberAt[one.frame.value]
        let b = numberAt[other.frame.value]
        #expect(a != nil && b != nil)
        if let a, let b { #expect([6, 12, 24, 36].contains(b - a), "\(b - a) pulses a beat") }
        let isNext = other.bar == one.bar && other.beat == one.beat + 1
        #expect(isNext || (one.beat + 1 == one.beatCount && other.beat == 0))
      }
    }
    // Nothing is told in the past.
    for (fact, announced) in zip(bench.facts, bench.announcedBy) where fact.isVoidable {
      #expect(fact.frame.value > announced - 480)
    }
    for fact in bench.facts {
      // A beat's accent, flags and tempo are those of a legal beat.
      if case .beat(let beat) = fact {
        #expect(beat.quarterThousandths >= 63_000 && beat.quarterThousandths <= 450_000)
        #expect(beat.beat < beat.beatCount)
      }
    }
    #expect(bench.samples.allSatisfy { abs($0) <= SoundTests.ceiling })
  }
}
