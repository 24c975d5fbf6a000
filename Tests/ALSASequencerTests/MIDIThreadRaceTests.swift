import MetronomeModel
import MusicalTime
import RealtimeEngine
import RealtimeHost
import Testing
import ThreadCrossing

@testable import ALSASequencer

/// For ThreadSanitizer: the real thread between a control thread that changes ports and an audio
/// thread that announces.
@Suite struct MIDIThreadRaceTests {
  @Test("ports come, change and go while the thread plays: nothing is lost at the end")
  func changes() throws {
    let library = SilentSequencer()
    let facts = SPSCQueue<EngineEvent>(capacity: 4096)
    let start = MonotonicClock.now()
    let clock = LatestValue(
      FrameClock(frame: FrameIndex(0), heardAt: start, framesPerSecond: 48_000))
    let output = MIDIClockOutput(
      handle: try SequencerHandle(library: library), facts: facts, clock: clock)
    try output.add(MIDIPortConfiguration(name: "Clock", clock: .always))
    try output.start(allowsRealtime: false)
    for round in 0..<200 {
      let name = "Port \(round)"
      try output.add(MIDIPortConfiguration(name: name))
      try output.configure(MIDIPortConfiguration(name: name, offsetMilliseconds: 1))
      facts.push(
        .pulse(
          PulseEvent(frame: FrameIndex(Int64(round) * 10), number: 0, songPulse: 0, flags: .free)))
      output.wakeUp.signal()
      _ = output.counters(of: "Clock")
      _ = output.status
      try output.remove(name)
      output.service()
    }
    output.stop()
    #expect(output.portNames == ["Clock"])
  }
}
