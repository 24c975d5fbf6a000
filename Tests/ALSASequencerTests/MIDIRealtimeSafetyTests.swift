import CLinux
import Glibc
import MetronomeModel
import MusicalTime
import RealtimeEngine
import Synchronization
import Testing
import ThreadCrossing

@testable import ALSASequencer

private let isSanitized = getenv("TACTUS_RTSAN") != nil

/// The sanitizer ends the process with status 43 at the first call that may wait or allocate.
@Suite(.enabled(if: isSanitized, "only a build with TACTUS_RTSAN=1 can judge this"))
struct MIDIRealtimeSafetyTests {
  @Test func `a playing clock loop neither allocates nor locks nor waits`() async {
    await #expect(processExitsWith: .success) {
      // The first time outside the context: a debug build sets up generic types on first use.
      for ports in [1, 8] { try playWholeRun(ports: ports, watched: false) }
      for ports in [1, 8] { try playWholeRun(ports: ports, watched: true) }
    }
  }
}

/// Without the sanitizer the same run only shows that every message is sent.
@Suite struct MIDIClockRunTests {
  @Test("every port sends every pulse and its Stop", arguments: [1, 8])
  func run(ports: Int) throws { try playWholeRun(ports: ports, watched: false) }
}

/// Ten seconds from Start to Stop through the MIDI thread's work.
private func playWholeRun(ports: Int, watched: Bool) throws {
  let library = SilentSequencer()
  let facts = SPSCQueue<EngineEvent>(capacity: 4096)
  let commands = SPSCQueue<MIDIThreadCommand>(capacity: 64)
  let loop = MIDIClockLoop(
    handle: try SequencerHandle(library: library), facts: facts, clock: LatestValue(testClock),
    commands: commands, retired: SPSCQueue<UInt>(capacity: 64))
  for index in 0..<ports {
    var configuration = MIDIPortConfiguration(name: "\(index)")
    configuration.clock = index % 2 == 0 ? .always : .rolling
    configuration.beatNotes.isOn = index % 3 == 0
    let slot = MIDIPortSlot(
      port: UInt8(index), stream: MIDIClockStream(settings: MIDIStreamSettings(configuration)),
      published: LatestValue(MIDIClockCounters()))
    commands.push(
      .add(slot: UInt8(index), pointer: UInt(bitPattern: Unmanaged.passRetained(slot).toOpaque())))
  }
  var run = Run()
  run.start(at: 9600, known: 0)
  run.pulses(0..<240, from: 9600)
  run.stop(at: 249_600, next: 240)
  let known = run.ordered
  // The thread's first step takes the ports in; from then on it plays.
  _ = loop.step(now: at(0))
  var now = at(0)
  for fact in known {
    facts.push(fact.event)
    if watched { clinux_rtsan_enter() }
    while let due = loop.step(now: now), due <= at(fact.known) { now = max(due, now) }
    if watched { clinux_rtsan_exit() }
    now = max(now, at(fact.known))
  }
  if watched { clinux_rtsan_enter() }
  while let due = loop.step(now: now), due <= at(10_000) { now = max(due, now) }
  if watched { clinux_rtsan_exit() }
  #expect(library.clocks.load(ordering: .relaxed) >= 240 * ports)
  #expect(library.stops.load(ordering: .relaxed) == ports)
}
