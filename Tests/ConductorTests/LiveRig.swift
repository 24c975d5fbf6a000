import MetronomeModel
import MusicalTime
import RealtimeEngine
import ThreadCrossing

@testable import Conductor

/// A Conductor and the real engine, coupled as the daemon couples them; nobody listens.
final class LiveRig {
  var conductor: Conductor
  let queues: EngineQueues
  let engine: Engine
  let rate: Int64
  let library: (any PresetLibrary)?
  /// What the engine announced, in order.
  private(set) var events: [EngineEvent] = []
  /// Facts that never reach the Conductor.
  var loses: (EngineEvent) -> Bool = { _ in false }
  var reconciles = true
  /// Banks that were made and not given back.
  private(set) var banks: Set<Int32> = []
  private var taken: Int64 = 0
  private(set) var outputs: [ConductorOutput] = []
  private var now = FrameIndex(0)
  private var request: UInt32 = 0

  init(
    rate: Int64 = 48_000, state: MetronomeState = MetronomeState(),
    library: (any PresetLibrary)? = nil, eventCapacity: Int = 8_192
  ) {
    self.rate = rate
    queues = EngineQueues(eventCapacity: eventCapacity)
    self.library = library
    conductor = Conductor(rate: rate, state: state)
    engine = Engine(queues: queues, rate: rate, tempo: state.tempo)
    carryOut(conductor.begin())
    run(to: 0)
  }

  var state: MetronomeState { conductor.state }

  @discardableResult
  func submit(_ command: ControlCommand, notBefore: FrameIndex = .distantPast) -> UInt32 {
    request += 1
    carryOut(
      conductor.submit(command, request: request, now: instant, notBefore: notBefore))
    return request
  }

  private var instant: ControlInstant {
    ControlInstant(
      time: MonotonicTime(nanoseconds: now.value * 1_000_000_000 / rate), frame: now)
  }

  /// Lets the engine run to a frame, in odd periods, and the Conductor hear of it after each.
  func run(to frame: Int64) {
    let periods: [Int64] = [1, 441, 64, 1_024, 257]
    var index = 0
    repeat {
      let count = min(periods[index % periods.count], frame - now.value)
      engine.skip(frameCount: count)
      now = now + FrameCount(count)
      index += 1
      drain()
    } while now.value < frame
  }

  @discardableResult
  func apply(_ preset: Preset) -> UInt32 {
    request += 1
    let time = MonotonicTime(nanoseconds: now.value * 1_000_000_000 / rate)
    carryOut(
      conductor.apply(preset, request: request, now: ControlInstant(time: time, frame: now)))
    return request
  }

  func requestLead(milliseconds: Double) {
    carryOut(conductor.requestLead(milliseconds: milliseconds))
  }

  /// Lets the engine run while nobody listens.
  func pause(seconds: Double) {
    let count = Int64(seconds * Double(rate))
    engine.skip(frameCount: count)
    now = now + FrameCount(count)
  }

  func run(seconds: Double) { run(to: now.value + Int64(seconds * Double(rate))) }

  private func drain() {
    let status = queues.status.load()
    while taken < status.factsQueued, let event = queues.events.pop() {
      taken += 1
      events.append(event)
      if !loses(event) { carryOut(conductor.receive(event)) }
    }
    if reconciles { carryOut(conductor.reconcile(status)) }
    while queues.clockEvents.pop() != nil {}
  }

  private func carryOut(_ list: [ConductorOutput]) {
    for output in list {
      outputs.append(output)
      switch output {
      case .engine(let command):
        if !queues.send(command) { carryOut(conductor.fail(command)) }
      case .read(let wanted, let ticket):
        carryOut(
          conductor.libraryAnswered(
            wanted.answer(from: library), ticket: ticket, now: instant))
      case .prepareSounds(_, let ticket):
        let bank = SoundBankReference(
          identifier: Int32(truncatingIfNeeded: ticket), slots: nil, beats: nil, beatCount: 0)
        banks.insert(bank.identifier)
        carryOut(conductor.soundsPrepared(bank, ticket: ticket))
      case .releaseSounds(let identifier): banks.remove(identifier)
      default: break
      }
    }
  }

  // MARK: what came out

  /// Beats of bars from bar 1 on, as (bar, beat, frame) of people.
  var beats: [(bar: Int, beat: Int, frame: Int64)] {
    events.compactMap {
      guard case .beat(let beat) = $0 else { return nil }
      return (Int(beat.barForPeople), Int(beat.beat) + 1, beat.frame.value)
    }
  }

  func frame(bar: Int, beat: Int = 1) -> Int64? {
    beats.last { $0.bar == bar && $0.beat == beat }?.frame
  }

  /// Where a request acts; nil where it has not been answered so.
  func effective(_ request: UInt32) -> Int64? {
    for case .effective(request, let frame) in outputs { return frame.value }
    return nil
  }

  /// Every answer that says where a request acts.
  func effectives(_ request: UInt32) -> [Int64] {
    outputs.compactMap {
      switch $0 {
      case .effective(request, let frame), .moved(request, let frame): frame.value
      default: nil
      }
    }
  }

  /// Answers to a request other than that its boundary moved: each gets one.
  func answerCount(_ request: UInt32) -> Int {
    outputs.count {
      switch $0 {
      case .accepted(request), .effective(request, _), .refused(request, _): true
      default: false
      }
    }
  }

  func refusal(_ request: UInt32) -> Refusal? {
    for case .refused(request, let refusal) in outputs { return refusal }
    return nil
  }

  /// Tempos in thousandths and where they begin.
  var tempos: [(thousandths: Int32, frame: Int64)] {
    events.compactMap {
      guard case .tempo(let tempo) = $0 else { return nil }
      return (tempo.tempo.thousandths, tempo.frame.value)
    }
  }
}
