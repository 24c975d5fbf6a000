import Conductor
import MetronomeModel
import MusicalTime
import RealtimeEngine
import SoundFiles
import ThreadCrossing
import Testing

@testable import OfflineRender

/// The engine and the Conductor fed period by period, as the daemon feeds them.
final class LiveRun {
  private(set) var facts: [String] = []
  private(set) var samples: [Float] = []
  private var conductor: Conductor
  private let engine: Engine
  private let queues = EngineQueues(commandCapacity: 4096, eventCapacity: 65_536)
  private let rate: Int64
  private var due = DueFacts()
  private var banks: [SoundBank] = []
  private var buffer = [Float](repeating: 0, count: 2 * 8192)
  private(set) var refusals = 0

  init(rate: Int64, tempo: Double) {
    self.rate = rate
    var state = MetronomeState()
    state.tempo = Tempo(tempo) ?? state.tempo
    conductor = Conductor(rate: rate, state: state)
    engine = Engine(
      queues: queues, rate: rate, start: FrameIndex(-rate / 5), tempo: state.tempo)
    carryOut(conductor.begin())
  }

  var now: Int64 { engine.now.value }

  func submit(_ command: ControlCommand, at frame: FrameIndex = .distantPast) {
    let time = MonotonicTime(nanoseconds: Int64((Double(now) * 1e9 / Double(rate)).rounded()))
    carryOut(
      conductor.submit(
        command, request: 1, now: ControlInstant(time: time, frame: engine.now), notBefore: frame))
  }

  func play(_ frames: Int) {
    let wasBeforeMusic = now < 0
    buffer.withUnsafeMutableBufferPointer { pointer in
      guard let base = pointer.baseAddress else { return }
      engine.render(into: base, stride: 8192, channelCount: 2, frameCount: frames)
    }
    if !wasBeforeMusic { samples += buffer[..<frames] }
    while let event = queues.events.pop() {
      due.announce(event)
      carryOut(conductor.receive(event))
    }
    carryOut(conductor.reconcile(queues.status.load()))
    while queues.clockEvents.pop() != nil {}
    due.take(before: engine.now) { event in
      if event.frame.value >= 0 { facts.append("\(event)") }
    }
  }

  private func carryOut(_ outputs: [ConductorOutput]) {
    for output in outputs {
      switch output {
      case .engine(let command): _ = queues.send(command)
      case .prepareSounds(let settings, let ticket):
        guard
          let bank = try? SoundBank(
            settings, rate: Int(rate), folder: SoundFolder(paths: []),
            identifier: Int32(banks.count + 1))
        else { continue }
        banks.append(bank)
        carryOut(conductor.soundsPrepared(bank.reference, ticket: ticket))
      case .refused: refusals += 1
      default: break
      }
    }
  }
}

/// Numbers that look random and are the same in every run.
struct Dice: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    var z = state
    z = (z ^ (z >> 33)) &* 0xFF51_AFD7_ED55_8CCD
    return z ^ (z >> 33)
  }
}

@Suite struct LiveEqualsRenderTests {
  static func randomCommand(_ dice: inout Dice) -> ControlCommand {
    let tempo = (Double.random(in: 40...400, using: &dice) * 1000).rounded() / 1000
    let when = ChangeBoundary.allCases.randomElement(using: &dice) ?? .beat
    switch Int.random(in: 0..<16, using: &dice) {
    case 0...3: return .tempo(tempo, unit: nil, when: when)
    case 4: return .nudge(Double.random(in: -5...5, using: &dice))
    case 5:
      return .meter(
        [Meter.common, (try? Meter(7, 8)) ?? .common, (try? Meter(3, 4)) ?? .common]
          .randomElement(using: &dice) ?? .common)
    case 6: return .subdivision(Int.random(in: 1...9, using: &dice))
    case 7: return .layer([0, 3, 5, 7].randomElement(using: &dice) ?? 0)
    case 8: return .mute(Bool.random(using: &dice))
    case 9: return .volume(decibels: Double.random(in: -40...0, using: &dice))
    case 10: return .muteBars(.cycle(play: 1, mute: 1))
    case 11: return .glide(from: tempo, to: tempo + 33, length: .seconds(1.7), when: .beat)
    case 12:
      return .trainer(
        from: tempo, to: tempo + 20, step: 7, share: .millisecondsPerLevel(700))
    case 13: return .swing(.percentHundredths(6_123))
    case 14: return .cancelRamp
    default: return .sound(.normal, name: ["wood", "beep"].randomElement(using: &dice) ?? "wood")
    }
  }

  /// A live run with random commands between odd periods, then a render with those commands at the
  /// frames at which they came.
  static func both(
    seed: UInt64, seconds: Int64, periods: [Int]
  ) throws -> (live: LiveRun, facts: [EngineEvent], samples: [Float], script: Int) {
    var dice = Dice(state: seed)
    let rate: Int64 = [44_100, 48_000].randomElement(using: &dice) ?? 48_000
    let live = LiveRun(rate: rate, tempo: 120)
    live.submit(.start, at: FrameIndex(0))
    var plan = RenderPlan(rate: rate, length: .frames(seconds * rate))
    var turn = 0
    while live.now < seconds * rate {
      let target = live.now < 0 ? 0 : seconds * rate
      let period = min(periods[turn % periods.count], Int(target - live.now))
      if live.now >= 0, Int.random(in: 0..<100, using: &dice) < 3 {
        let command = randomCommand(&dice)
        let refused = live.refusals
        live.submit(command)
        // A render ends at a refusal, the daemon goes on.
        if live.refusals == refused {
          plan.script.append(
            .init(frame: FrameIndex(live.now), command: command, source: "\(command)"))
        }
      }
      live.play(period)
      turn += 1
    }
    var facts: [EngineEvent] = []
    var samples: [Float] = []
    let pass = RenderPass(plan)
    pass.onFact = { if $0.frame.value >= 0 { facts.append($0) } }
    try pass.begin()
    try pass.walk(to: FrameIndex(seconds * rate)) { block, frames in
      samples += block[..<frames]
    }
    return (live, facts, samples, plan.script.count)
  }

  @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
  func `live with odd periods and a render of the same commands are the same`(seed: UInt64) throws {
    let periods = [[441], [64, 1024, 1, 333], [1009], [256], [997, 3], [2048]][Int(seed - 1)]
    let (live, facts, samples, commands) = try Self.both(
      seed: seed, seconds: 12, periods: periods)
    #expect(commands > 5)
    #expect(facts.map { "\($0)" } == live.facts)
    #expect(samples.count == live.samples.count)
    // Gains that move are summed step by step or in one step, which differs by rounding only.
    let worst = zip(samples, live.samples).map { abs($0 - $1) }.max() ?? 1
    #expect(worst < 1e-6, "\(worst)")
    let tempos = samples.contains { $0 != 0 }
    #expect(tempos)
  }

  /// No pulse is lost or doubled, and no gap is longer than one interval at the slowest tempo.
  @Test(arguments: [11, 12, 13, 14, 15, 16, 17, 18] as [UInt64])
  func `random commands lose and double no pulse and no beat`(seed: UInt64) throws {
    let (_, facts, _, _) = try Self.both(seed: seed, seconds: 10, periods: [512, 77])
    var pulses: [PulseEvent] = []
    var beats: [BeatEvent] = []
    for fact in facts {
      if case .pulse(let pulse) = fact { pulses.append(pulse) }
      if case .beat(let beat) = fact { beats.append(beat) }
    }
    #expect(pulses.count > 100)
    for (first, second) in zip(pulses, pulses.dropFirst()) {
      #expect(second.number == first.number + 1)
      let gap = second.frame.value - first.frame.value
      // 35 a minute (40 less five for nudges) at 48000: 60 / 35 / 24 s; 438 a minute at 44100.
      #expect(gap >= 44_100 * 60 / (24 * 440) - 1)
      #expect(gap <= 48_000 * 60 / (24 * 35) + 1)
    }
    for (first, second) in zip(beats, beats.dropFirst()) {
      let follows =
        second.bar == first.bar && second.beat == first.beat + 1
        || second.bar == first.bar + 1 && second.beat == 0
          && first.beat + 1 == first.beatCount
      #expect(follows, "\(first) \(second)")
    }
  }
}
