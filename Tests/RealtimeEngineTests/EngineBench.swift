import MetronomeModel
import MusicalTime
import ThreadCrossing

@testable import RealtimeEngine

/// An engine on a bench: commands at exact frames in, facts and samples out.
final class EngineBench {
  let queues = EngineQueues(commandCapacity: 32768, eventCapacity: 65536)
  let engine: Engine
  let rate: Int64
  var facts: [EngineEvent] = []
  /// With each fact, S when it was announced: the end of the block that announced it.
  var announcedBy: [Int64] = []
  var samples: [Float] = []
  var keepsSamples = true
  private var ordinal: Int64 = 0
  private var buffer = [Float](repeating: 0, count: 2 * 65536)
  private var allocations: [UnsafeMutableRawPointer] = []

  init(rate: Int64 = 48_000, tempo: Double = 120, start: Int64 = 0, gain: Float = 1) {
    self.rate = rate
    engine = Engine(
      queues: queues, rate: rate, start: FrameIndex(start), tempo: Tempo(tempo)!, gain: gain)
  }

  deinit { for allocation in allocations { allocation.deallocate() } }

  func send(
    _ action: EngineCommand.Action, at frame: Int64 = Int64.min / 2, id: UInt32 = 0,
    boundary: EngineCommand.Boundary = .frame
  ) {
    ordinal += 1
    precondition(
      queues.send(
        EngineCommand(
          action, identifier: id, notBefore: FrameIndex(frame), boundary: boundary,
          ordinal: ordinal)))
  }

  /// From bar 1, without a count-in, as soon as the lead-in allows.
  func start(at frame: Int64 = Int64.min / 2, countIn: Int32 = 0, id: UInt32 = 0) {
    send(.start(countInBars: countIn, beatOne: .distantPast), at: frame, id: id)
  }

  /// Renders up to `frame` in blocks whose sizes repeat `periods`.
  func run(to frame: Int64, periods: [Int] = [441]) {
    var index = 0
    while engine.now.value < frame {
      let count = min(periods[index % periods.count], Int(frame - engine.now.value))
      index += 1
      buffer.withUnsafeMutableBufferPointer { pointer in
        engine.render(
          into: pointer.baseAddress!, stride: 65536, channelCount: 2, frameCount: count)
        if keepsSamples { samples.append(contentsOf: pointer[0..<count]) }
      }
      drain()
    }
  }

  /// Lets frames pass unheard; in one piece, however many.
  func skip(to frame: Int64) {
    engine.skip(frameCount: frame - engine.now.value)
    if keepsSamples {
      samples.append(contentsOf: repeatElement(0, count: Int(frame) - samples.count))
    }
    drain()
  }

  func drain() {
    while let fact = queues.events.pop() {
      facts.append(fact)
      announcedBy.append(engine.now.value)
    }
    while queues.clockEvents.pop() != nil {}
    precondition(queues.events.refused == 0)
  }

  /// Every slot plays `wave`; slot n at `gain(n)`.
  func useSounds(
    _ wave: [Float], identifier: Int32 = 1, gain: (SoundSlot) -> Float = { _ in 1 },
    at frame: Int64 = Int64.min / 2, id: UInt32 = 0
  ) {
    let samples = UnsafeMutablePointer<Float>.allocate(capacity: wave.count)
    samples.initialize(from: wave, count: wave.count)
    let slots = UnsafeMutablePointer<ClickSound>.allocate(capacity: SoundSlot.allCases.count)
    for slot in SoundSlot.allCases {
      slots[slot.rawValue] = ClickSound(
        samples: samples, frameCount: Int32(wave.count), channelCount: 1, gain: gain(slot),
        route: 3)
    }
    allocations += [UnsafeMutableRawPointer(samples), UnsafeMutableRawPointer(slots)]
    send(
      .sounds(SoundBankReference(identifier: identifier, slots: slots, beats: nil, beatCount: 0)),
      at: frame, id: id)
  }

  /// Every level plays a single sample, so that the samples show the frames.
  func useUnitSamples() { useSounds([0.5]) }

  /// The frames at which anything sounds.
  var soundingFrames: [Int64] {
    samples.indices.filter { samples[$0] != 0 }.map(Int64.init)
  }

  var pulses: [PulseEvent] {
    facts.compactMap { if case .pulse(let pulse) = $0 { pulse } else { nil } }
  }
  var beats: [BeatEvent] {
    facts.compactMap { if case .beat(let beat) = $0 { beat } else { nil } }
  }
  var clicks: [ClickEvent] {
    facts.compactMap { if case .click(let click) = $0 { click } else { nil } }
  }
  var tempos: [TempoEvent] {
    facts.compactMap { if case .tempo(let tempo) = $0 { tempo } else { nil } }
  }
  var stops: [StopEvent] {
    facts.compactMap { if case .stopped(let stop) = $0 { stop } else { nil } }
  }
  var trainerEvents: [TrainerEvent] {
    facts.compactMap { if case .trainer(let event) = $0 { event } else { nil } }
  }
  var continues: [ContinueEvent] {
    facts.compactMap { if case .continued(let event) = $0 { event } else { nil } }
  }
  var retiredSounds: [Int32] {
    facts.compactMap { if case .retiredSounds(let identifier) = $0 { identifier } else { nil } }
  }
  var starts: [StartEvent] {
    facts.compactMap { if case .started(let event) = $0 { event } else { nil } }
  }
  var sections: [SectionEvent] {
    facts.compactMap { if case .section(let event) = $0 { event } else { nil } }
  }
  var jumps: [JumpEvent] {
    facts.compactMap { if case .jumped(let event) = $0 { event } else { nil } }
  }
  var meters: [MeterEvent] {
    facts.compactMap { if case .meter(let event) = $0 { event } else { nil } }
  }

  /// The facts that no later stop has voided, with the free pulses that took their place.
  var valid: [EngineEvent] {
    var kept: [EngineEvent] = []
    for fact in facts {
      if case .stopped(let stop) = fact {
        kept.removeAll { $0.frame >= stop.frame && $0.isVoidable }
      }
      kept.append(fact)
    }
    return kept
  }
  var validPulses: [PulseEvent] {
    valid.compactMap { if case .pulse(let pulse) = $0 { pulse } else { nil } }
  }
  var validBeats: [BeatEvent] {
    valid.compactMap { if case .beat(let beat) = $0 { beat } else { nil } }
  }
  var validClicks: [ClickEvent] {
    valid.compactMap { if case .click(let click) = $0 { click } else { nil } }
  }
  var beatFrames: [Int64] { beats.map(\.frame.value) }

  /// The latest answer to a command.
  func effective(_ id: UInt32) -> Int64? {
    var frame: Int64?
    for case .effective(let answer) in facts where answer.command == id {
      frame = answer.frame.value
    }
    return frame
  }

  func refusal(_ id: UInt32) -> RefusedEvent.Reason? {
    for case .refused(let answer) in facts where answer.command == id { return answer.reason }
    return nil
  }
}

extension EngineEvent {
  var isVoidable: Bool {
    switch self {
    case .pulse, .beat, .click: true
    default: false
    }
  }
}
