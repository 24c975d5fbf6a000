import MetronomeModel
import MusicalTime
import Testing
import ThreadCrossing

@testable import RealtimeEngine

@Suite struct StatusTests {
  @Test func `the status names the frame, the place and the tempo of each block's end`() {
    let bench = EngineBench()
    bench.start()
    bench.run(to: 60_000)
    let status = bench.queues.status.load()
    #expect(status.frame.value == 60_000)
    #expect(status.transport == .rolling)
    // The beat at 57 600 is the third; the next one is announced from 76 800 on.
    #expect(status.bar == 0 && status.beat == 2)
    #expect(status.tempo == Tempo(120))
    #expect(status.factsMade == status.factsQueued)
  }

  @Test func `facts that found the queue full are missing from the count`() {
    let queues = EngineQueues(eventCapacity: 16)
    let engine = Engine(
      queues: queues, rate: 48_000, tempo: Tempo(unchecked: 120_000, unit: .quarter))
    _ = queues.send(EngineCommand(.start(countInBars: 0, beatOne: .distantPast)))
    engine.skip(frameCount: 96_000)
    let status = queues.status.load()
    #expect(status.factsQueued == 16)
    #expect(status.factsMade - status.factsQueued == Int64(queues.events.refused))
  }

  /// 600 s at 120: a pulse each 1 000 frames would be 28 800 of them.
  @Test func `a long hole is no storm: its first second, its end and the transport are announced`()
  {
    let bench = EngineBench()
    bench.start()
    bench.run(to: 48_000)
    let before = bench.facts.count
    let hole = Int64(600 * 48_000)
    bench.engine.handle.skip(frameCount: hole, past: hole)
    bench.drain()
    let pulses = bench.facts.dropFirst(before).compactMap { fact -> Int64? in
      if case .pulse(let pulse) = fact { pulse.frame.value } else { nil }
    }
    #expect(!pulses.isEmpty)
    // One second at the beginning, half a second and the horizon of 100 ms at the end.
    #expect(pulses.allSatisfy { $0 < 96_000 || $0 >= 48_000 + hole - 24_000 })
    #expect(bench.facts.count - before < 200)
    // The grid has not moved.
    bench.run(to: 48_000 + hole + 48_000)
    #expect(bench.pulses.suffix(40).allSatisfy { ($0.frame.value - 9_600) % 1_000 == 0 })
    #expect(bench.queues.status.load().transport == .rolling)
  }

  @Test func `an end inside a long hole is announced`() {
    let bench = EngineBench()
    bench.send(.timer(milliseconds: 60_000, stops: true))
    bench.start()
    bench.run(to: 48_000)
    let hole = Int64(600 * 48_000)
    bench.engine.handle.skip(frameCount: hole, past: hole)
    bench.drain()
    // 60 s are 30 bars of 96 000 frames from 9 600 on: 9 600 + 2 880 000.
    #expect(bench.stops.first?.frame.value == 2_889_600)
    #expect(bench.queues.status.load().transport == .stopped)
    #expect(!bench.queues.status.load().hasTimer)
  }
}
