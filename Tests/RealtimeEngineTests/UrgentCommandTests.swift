import MetronomeModel
import MusicalTime
import Testing

@testable import RealtimeEngine

/// At 48 kHz and 120 a minute a beat is 24 000 frames; the lead-in is 9 600.
@Suite struct UrgentCommandTests {
  @Test(arguments: [true, false])
  func `a stop passes commands that are held and those that wait behind them`(isPanic: Bool) {
    let bench = EngineBench()
    bench.start()
    bench.run(to: 20_000)
    for index in 0..<(3 * HeldCommands.capacity) {
      bench.send(.masterGain(0.5), at: 96_000, id: UInt32(index + 10))
    }
    bench.run(to: 24_000)
    bench.send(isPanic ? .panic : .stop, id: 1)
    bench.run(to: 30_000)
    #expect(bench.effective(1) == 24_000)
    bench.run(to: 100_000)
    // None of them is lost.
    for index in 0..<(3 * HeldCommands.capacity) {
      #expect(bench.effective(UInt32(index + 10)) == 96_000)
    }
  }

  @Test func `a mute passes them, too`() {
    let bench = EngineBench()
    for _ in 0..<(2 * HeldCommands.capacity) { bench.send(.masterGain(0.5), at: 96_000) }
    bench.send(.mute(true), id: 1)
    bench.run(to: 1_000)
    #expect(bench.effective(1) == 0)
  }

  @Test func `what was sent before a stop and can be taken is taken before it`() {
    let bench = EngineBench()
    bench.start(id: 1)
    bench.send(.stop, id: 2)
    bench.start(id: 3)
    bench.run(to: 48_000)
    #expect(bench.effective(1) == 9_600)
    #expect(bench.effective(2) == 0)
    #expect(bench.effective(3) == 9_600)
    #expect(bench.validBeats.first?.frame.value == 9_600)
  }

  @Test func `a start behind a full hold is void where a later stop has passed it`() {
    let bench = EngineBench()
    for _ in 0..<(2 * HeldCommands.capacity) { bench.send(.masterGain(0.5), at: 48_000) }
    bench.start(id: 1)
    bench.send(.stop, id: 2)
    bench.run(to: 96_000)
    #expect(bench.refusal(2) == .alreadyStopped)
    #expect(bench.refusal(1) == .overtaken)
    #expect(bench.beats.isEmpty)
  }
}
