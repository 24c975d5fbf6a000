import MetronomeModel
import MusicalTime
import ThreadCrossing

@testable import RealtimeEngine

/// An engine on a bench: commands at exact frames in, facts and samples out.
final class EngineBench {
  let queues = EngineQueues(commandCapacity: 4096, eventCapacity: 65536)
  let engine: Engine
  let rate: Int64
  var facts: [EngineEvent] = []
  var samples: [Float] = []
  private var buffer = [Float](repeating: 0, count: 2 * 65536)
  private var sounds: [ClickSound] = []
  private var wave: [Float] = []

  init(rate: Int64 = 48_000, tempo: Double = 120, start: Int64 = 0) {
    self.rate = rate
    engine = Engine(
      queues: queues, rate: rate, start: FrameIndex(start), tempo: Tempo(tempo)!, gain: 1)
  }

  func send(_ action: EngineCommand.Action, at frame: Int64 = Int64.min / 2, id: UInt32 = 0) {
    precondition(
      queues.commands.push(
        EngineCommand(action, identifier: id, notBefore: FrameIndex(frame))))
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
        samples.append(contentsOf: pointer[0..<count])
      }
      drain()
    }
  }

  func drain() {
    while let fact = queues.events.pop() { facts.append(fact) }
    while queues.clockEvents.pop() != nil {}
    precondition(queues.events.refused == 0)
  }

  /// Every level plays a single sample of 1, so that the samples show the frames.
  func useUnitSamples() {
    wave = [1]
    let pointer = UnsafeMutablePointer<Float>.allocate(capacity: 1)
    pointer.initialize(to: 0.5)
    let slots = UnsafeMutablePointer<ClickSound>.allocate(capacity: SoundSlot.allCases.count)
    for slot in 0..<SoundSlot.allCases.count {
      slots[slot] = ClickSound(
        samples: pointer, frameCount: 1, channelCount: 1, gain: 1, route: 3)
    }
    send(.sounds(SoundBankReference(identifier: 1, slots: slots, beats: nil, beatCount: 0)))
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
  func effective(_ id: UInt32) -> Int64? {
    for case .effective(let answer) in facts where answer.command == id {
      return answer.frame.value
    }
    return nil
  }
}
