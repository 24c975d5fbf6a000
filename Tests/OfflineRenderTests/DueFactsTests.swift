import MusicalTime
import RealtimeEngine
import Testing

@testable import OfflineRender

@Suite struct DueFactsTests {
  static func pulse(_ frame: Int64, _ number: Int64) -> EngineEvent {
    .pulse(PulseEvent(frame: FrameIndex(frame), number: number, songPulse: number, flags: []))
  }

  static func taken(_ facts: inout DueFacts, before end: Int64) -> [Int64] {
    var frames: [Int64] = []
    facts.take(before: FrameIndex(end)) { frames.append($0.frame.value) }
    return frames
  }

  @Test func `facts come out once they are due, in the order of frames`() {
    var facts = DueFacts()
    for frame in [10, 30, 20, 40] as [Int64] { facts.announce(Self.pulse(frame, frame)) }
    #expect(Self.taken(&facts, before: 10) == [])
    #expect(Self.taken(&facts, before: 31) == [10, 20, 30])
    #expect(Self.taken(&facts, before: 100) == [40])
    #expect(Self.taken(&facts, before: 100) == [])
  }

  @Test func `what a stop voids never comes out`() {
    var facts = DueFacts()
    for frame in [10, 20, 30] as [Int64] { facts.announce(Self.pulse(frame, frame)) }
    facts.announce(
      .stopped(
        StopEvent(frame: FrameIndex(20), nextPulse: 20, songPulse: 20, isPanic: false)))
    #expect(Self.taken(&facts, before: 100) == [10, 20])
  }
}
