import MetronomeModel
import MusicalTime
import RealtimeEngine
import ThreadCrossing
import Testing

@testable import ALSASequencer

/// A MIDI thread without a thread: the loop, stepped at chosen instants, before a recording
/// sequencer.
final class LoopBench {
  let library = RecordingSequencer()
  let facts = SPSCQueue<EngineEvent>(capacity: 4096)
  let commands = SPSCQueue<MIDIThreadCommand>(capacity: 64)
  let retired = SPSCQueue<UInt>(capacity: 64)
  let clock = LatestValue(testClock)
  let handle: SequencerHandle
  let loop: MIDIClockLoop
  var counters: [LatestValue<MIDIClockCounters>] = []
  var now = at(0)

  init() throws {
    handle = try SequencerHandle(library: library)
    loop = MIDIClockLoop(
      handle: handle, facts: facts, clock: clock, commands: commands, retired: retired)
  }

  func add(_ configuration: MIDIPortConfiguration) {
    let cell = LatestValue(MIDIClockCounters())
    let slot = MIDIPortSlot(
      port: UInt8(counters.count),
      stream: MIDIClockStream(settings: MIDIStreamSettings(configuration)), published: cell)
    commands.push(
      .add(
        slot: UInt8(counters.count),
        pointer: UInt(bitPattern: Unmanaged.passRetained(slot).toOpaque())))
    counters.append(cell)
  }

  /// Steps at every deadline, and where a fact becomes known.
  func play(_ known: [(known: Double, event: EngineEvent)], until end: Double) {
    for fact in known {
      run(until: at(fact.known))
      facts.push(fact.event)
      _ = loop.step(now: now)
    }
    run(until: at(end))
  }

  private func run(until end: MonotonicTime) {
    while let due = loop.step(now: now), due <= end { now = max(due, now) }
    now = max(now, end)
    _ = loop.step(now: now)
  }

  func messages(_ port: UInt8) -> [MIDIMessage] {
    library.sent.filter { $0.port == port }.map(\.message)
  }
}

@Suite struct MIDIThreadWork {
  @Test("eight ports get the same stream, and each instant goes to the kernel in one call")
  func eightPorts() throws {
    let bench = try LoopBench()
    for index in 0..<8 { bench.add(MIDIPortConfiguration(name: "\(index)")) }
    var run = Run()
    run.start(at: 9600, known: 0)
    run.pulses(0..<48, from: 9600)
    run.stop(at: 57_600, next: 48)
    bench.play(run.ordered, until: 3000)
    for port in 0..<8 {
      #expect(
        bench.messages(UInt8(port))
          == [.start] + Array(repeating: .clock, count: 48) + [.stop])
    }
    #expect(bench.counters.allSatisfy { $0.load().pulses == 48 })
    #expect(bench.library.buffered.isEmpty)
  }

  @Test("it wants to be woken for pulses exactly while a port that sends them has none waiting")
  func appetite() throws {
    let bench = try LoopBench()
    var silent = MIDIPortConfiguration(name: "off")
    silent.clock = .off
    bench.add(silent)
    _ = bench.loop.step(now: bench.now)
    #expect(!bench.loop.wantsPulses)
    bench.add(MIDIPortConfiguration(name: "on"))
    _ = bench.loop.step(now: bench.now)
    #expect(bench.loop.wantsPulses)
    var run = Run()
    run.start(at: 9600, known: 0)
    run.pulses(0..<2, from: 9600)
    for fact in run.ordered { bench.facts.push(fact.event) }
    #expect(bench.loop.hasFacts)
    // FA and two pulses: until the last has left, what comes later is due later.
    while let due = bench.loop.step(now: bench.now) {
      #expect(!bench.loop.wantsPulses)
      bench.now = due
    }
    #expect(!bench.loop.hasFacts)
    #expect(bench.loop.wantsPulses)
    #expect(bench.messages(1) == [.start, .clock, .clock])
  }

  @Test("a pulse that is due does not wait until many facts are taken in")
  func factsWait() throws {
    let bench = try LoopBench()
    for index in 0..<8 { bench.add(MIDIPortConfiguration(name: "\(index)")) }
    var run = Run()
    run.start(at: 9600, known: 0)
    run.ahead = 200
    run.pulses(0..<24, from: 9600)
    bench.play(run.ordered.filter { $0.known < 250 }, until: 250)
    let sent = bench.messages(0).count
    // Pulse 3 is due at 200 + 3 x 20.833 = 262.5 ms, when a whole beat of facts has just come.
    var more = Run()
    more.pulses(24..<48, from: 33_600)
    for fact in more.ordered { bench.facts.push(fact.event) }
    // 20 us before it nothing is begun; at its instant it leaves, whatever else there is.
    #expect(bench.loop.step(now: at(262.48)) == at(262.5))
    #expect(bench.loop.step(now: at(262.5)) != nil)
    #expect(bench.messages(0).count == sent + 1)
    #expect(bench.loop.step(now: at(262.55)) == at(262.55))
    // The rest is taken in without a pause, and then the next pulse is waited for.
    var steps = 0
    while bench.loop.step(now: at(262.6)) == at(262.6) { steps += 1 }
    #expect((1..<24).contains(steps))
    #expect(bench.facts.pop() == nil)
  }

  @Test("facts whose instant has passed are all taken in before any of them is sent")
  func overdueFacts() throws {
    let bench = try LoopBench()
    for index in 0..<8 { bench.add(MIDIPortConfiguration(name: "\(index)")) }
    var run = Run()
    run.start(at: 9600, known: 0)
    run.pulses(0..<2, from: 9600)
    bench.play(run.ordered, until: 230)
    let sent = bench.messages(0).count
    // Thirty pulses from 241.667 ms on, told of a second later: more than may be sent late.
    var late = Run()
    late.pulses(2..<32, from: 11_600)
    for fact in late.ordered { bench.facts.push(fact.event) }
    _ = bench.loop.step(now: at(1900))
    #expect(bench.counters[0].load().droppedPulses == 30)
    #expect(!bench.messages(0).dropFirst(sent).contains(.clock))
  }

  @Test("any drain result from 0 up is success", arguments: [0, 1, 28, 4096] as [Int32])
  func drain(result: Int32) throws {
    let bench = try LoopBench()
    bench.library.drainResult = result
    bench.add(MIDIPortConfiguration(name: "A"))
    var run = Run()
    run.start(at: 9600, known: 0)
    run.pulses(0..<24, from: 9600)
    bench.play(run.ordered, until: 3000)
    #expect(bench.messages(0).count == 25)
    #expect(bench.counters[0].load().refused == 0)
  }

  @Test("what the kernel refuses is counted and holds up nothing that follows")
  func refusal() throws {
    let bench = try LoopBench()
    bench.add(MIDIPortConfiguration(name: "A"))
    var run = Run()
    run.start(at: 9600, known: 0)
    run.pulses(0..<48, from: 9600)
    let facts = run.ordered
    bench.play(facts.filter { $0.known < 300 }, until: 300)
    let before = bench.messages(0).count
    bench.library.drainResult = -11
    bench.play(facts.filter { (300..<500).contains($0.known) }, until: 500)
    #expect(bench.messages(0).count == before)
    #expect(bench.library.buffered.isEmpty)
    bench.library.drainResult = 0
    bench.play(facts.filter { $0.known >= 500 }, until: 3000)
    let counters = bench.counters[0].load()
    #expect(counters.pulses == 48)
    #expect(counters.refused > 0)
    #expect(Int64(bench.messages(0).count) == 49 - counters.refused)
  }

  @Test("the end sends FC on every rolling port before it returns")
  func finish() throws {
    let bench = try LoopBench()
    bench.add(MIDIPortConfiguration(name: "A"))
    bench.add(MIDIPortConfiguration(name: "B", beatNotes: MIDIBeatNotes(isOn: true)))
    var run = Run()
    run.start(at: 9600, known: 0)
    run.pulses(0..<48, from: 9600)
    run.beat(bar: 0, beat: 0, at: 9600, accent: .strong)
    bench.play(run.ordered.filter { $0.known < 205 }, until: 205)
    bench.commands.push(.finish)
    #expect(bench.loop.step(now: at(205)) == nil || bench.loop.isFinished)
    #expect(bench.loop.isFinished)
    #expect(bench.messages(0).last == .stop)
    #expect(Set(bench.messages(1).suffix(2)) == [.stop, .noteOff(channel: 9, note: 76)])
  }

  @Test("a port that is removed in play ends with FC; the others miss nothing")
  func remove() throws {
    let bench = try LoopBench()
    bench.add(MIDIPortConfiguration(name: "A"))
    bench.add(MIDIPortConfiguration(name: "B"))
    var run = Run()
    run.start(at: 9600, known: 0)
    run.pulses(0..<96, from: 9600)
    bench.play(run.ordered.filter { $0.known < 500 }, until: 500)
    bench.commands.push(.remove(slot: 0))
    bench.play(run.ordered.filter { $0.known >= 500 }, until: 5000)
    #expect(bench.messages(0).last == .stop)
    #expect(bench.messages(1).filter { $0 == .clock }.count == 96)
    let pointer = try #require(bench.retired.pop().flatMap { UnsafeRawPointer(bitPattern: $0) })
    Unmanaged<MIDIPortSlot>.fromOpaque(pointer).release()
  }

  @Test("a port that is added in play joins at a MIDI beat; the others miss nothing")
  func join() throws {
    let bench = try LoopBench()
    bench.add(MIDIPortConfiguration(name: "A"))
    var run = Run()
    run.start(at: 9600, known: 0)
    run.pulses(0..<96, from: 9600)
    bench.play(run.ordered.filter { $0.known < 500 }, until: 500)
    bench.add(MIDIPortConfiguration(name: "B"))
    bench.play(run.ordered.filter { $0.known >= 500 }, until: 5000)
    let joined = bench.messages(1)
    let place = try #require(joined.firstIndex { $0 == .resume })
    #expect(
      joined.first { $0 != .clock } == .songPosition(UInt16((96 - joined[place...].count + 1) / 6)))
    #expect(bench.messages(0).filter { $0 == .clock }.count == 96)
  }

  @Test("the measured output latency moves every port")
  func latency() throws {
    let bench = try LoopBench()
    bench.add(MIDIPortConfiguration(name: "A"))
    bench.commands.push(.latency(nanoseconds: 7_000_000))
    var run = Run()
    run.start(at: 9600, known: 0)
    run.pulses(0..<1, from: 9600)
    bench.play(run.ordered, until: 206)
    #expect(bench.messages(0) == [.start])
    bench.play([], until: 208)
    #expect(bench.messages(0) == [.start, .clock])
  }
}

@Suite struct KernelQueuePath {
  private func bench(driftPPB: Int64 = 0) throws -> LoopBench {
    let bench = try LoopBench()
    bench.loop.queue = try SequencerQueue(bench.handle, name: "Tactus")
    bench.loop.begin(.queue, now: .distantFuture)
    return bench
  }

  @Test("messages are queued 40 ms ahead, half a tick before their instant")
  func ahead() throws {
    let bench = try bench()
    bench.add(MIDIPortConfiguration(name: "A"))
    var run = Run()
    run.start(at: 9600, known: 0)
    run.pulses(0..<2, from: 9600)
    bench.play(run.ordered, until: 159.5)
    #expect(bench.messages(0) == [.start])
    bench.play([], until: 161)
    #expect(bench.messages(0) == [.start, .clock])
    let stamps = bench.library.sent.compactMap(\.queueNanoseconds)
    #expect(stamps.count == 2)
    // A millisecond from FA to F8, whatever the queue's own zero is.
    #expect(stamps[1] - stamps[0] == 1_000_000)
  }

  @Test("a stop takes back from the queue what it voids, and the count is that of what is left")
  func stop() throws {
    let bench = try bench()
    bench.add(MIDIPortConfiguration(name: "A"))
    var run = Run()
    run.framesPerPulse = 120
    run.start(at: 9600, known: 0)
    run.pulses(0..<100, from: 9600)
    // At 210 ms pulses up to 250 ms (number 20) are in the kernel; the stop is at 225 ms: 10 stay.
    run.stop(at: 10_800, next: 10, known: 210)
    run.facts.removeAll { $0.known > 210 }
    bench.play(run.ordered, until: 3000)
    #expect(bench.messages(0).filter { $0 == .clock }.count == 10)
    #expect(bench.messages(0).last == .stop)
    #expect(bench.counters[0].load().pulses == 10)
  }

  @Test("the queue's rate is measured and followed", arguments: [-300, 0, 50, 300] as [Int64])
  func rate(partsPerMillion: Int64) {
    var line = QueueTimeline()
    // The queue started at 5 s of the clock and runs off by so many parts per million.
    func queue(_ mono: Int64) -> Int64 {
      (mono - 5_000_000_000) * (1_000_000 + partsPerMillion) / 1_000_000
    }
    for second in 0...60 {
      let mono = 10_000_000_000 + Int64(second) * 1_000_000_000
      line.observe(queue: queue(mono), mono: MonotonicTime(nanoseconds: mono))
    }
    #expect(abs(line.driftPPB - partsPerMillion * 1000) <= 1)
    let later = MonotonicTime(nanoseconds: 70_900_000_000)
    #expect(abs(line.queueTime(at: later) - queue(70_900_000_000)) <= 2)
    #expect(abs(line.mono(at: queue(70_900_000_000)).nanoseconds(since: later)) <= 2)
  }
}

@Suite struct QueueSteps {
  @Test("a step of the queue is taken over at once and is no drift")
  func step() {
    var line = QueueTimeline()
    for second in 0..<10 {
      let mono = Int64(second) * 1_000_000_000
      // 7.6 ms ahead from the third reading on.
      line.observe(
        queue: mono + (second >= 2 ? 7_600_000 : 0), mono: MonotonicTime(nanoseconds: mono))
    }
    #expect(line.driftPPB == 0)
    #expect(line.queueTime(at: MonotonicTime(nanoseconds: 9_500_000_000)) == 9_507_600_000)
  }
}

@Suite struct SequencerCalls {
  @Test("a kernel without a sequencer is named with the way out")
  func absent() {
    let library = RecordingSequencer()
    library.openResult = -2
    do {
      _ = try SequencerHandle(library: library)
      Issue.record("it opened")
    } catch {
      #expect("\(error)".contains("modprobe snd-seq"))
    }
  }

  @Test("every call after the close, or without an open, fails and does not end the process")
  func closed() {
    let library = SystemSequencer()
    library.close()
    let somewhere = SequencerAddress(client: 1, port: 0)
    let time = SequencerQueueTime(queue: 0, nanoseconds: 0)
    let join = SequencerConnection(from: somewhere, to: somewhere)
    // EBADF is 9.
    #expect(library.createPort(name: "x", direction: .input, stampQueue: nil) == -9)
    #expect(library.deletePort(0) == -9)
    #expect(library.output(.clock, from: 0, to: .subscribers, at: nil) == -9)
    #expect(library.outputDirect(.clock, from: 0, to: somewhere) == -9)
    #expect(library.drain() == -9)
    library.dropOutput()
    #expect(library.removeQueued(from: 0, atOrAfter: time) == -9)
    #expect(library.input() == nil)
    #expect(library.descriptor == -1)
    #expect(library.connect(join) == -9)
    #expect(library.disconnect(join) == -9)
    #expect(library.ports().isEmpty)
    #expect(library.receivers(of: somewhere).isEmpty)
    #expect(library.createQueue(name: "x") == -9)
    #expect(library.setQueueResolution(0, hertz: 100) == -9)
    #expect(library.startQueue(0) == -9)
    #expect(library.freeQueue(0) == -9)
    #expect(library.queueTime(0) == -9)
  }

  @Test("a message to one receiver goes past the buffer, after what is in it")
  func oneReceiver() throws {
    let library = RecordingSequencer()
    let handle = try SequencerHandle(library: library)
    #expect(handle.send(.clock, from: 0, to: .subscribers))
    #expect(library.sent.isEmpty)
    #expect(handle.send(.start, from: 0, to: SequencerAddress(client: 20, port: 0)))
    #expect(library.sent.map(\.message) == [.clock, .start])
  }

  @Test("bytes are those of the standard")
  func bytes() {
    #expect(MIDIMessage.clock.bytes == [0xF8])
    #expect(MIDIMessage.start.bytes == [0xFA])
    #expect(MIDIMessage.resume.bytes == [0xFB])
    #expect(MIDIMessage.stop.bytes == [0xFC])
    // 16383 is 7F 7F; 128 is 00 01.
    #expect(MIDIMessage.songPosition(16_383).bytes == [0xF2, 0x7F, 0x7F])
    #expect(MIDIMessage.songPosition(128).bytes == [0xF2, 0x00, 0x01])
    #expect(MIDIMessage.noteOff(channel: 15, note: 1).bytes == [0x8F, 1, 64])
  }
}

@Suite struct PortList {
  private func output() throws -> (MIDIClockOutput, RecordingSequencer) {
    let library = RecordingSequencer()
    return (
      MIDIClockOutput(
        handle: try SequencerHandle(library: library),
        facts: SPSCQueue<EngineEvent>(capacity: 16), clock: LatestValue(testClock)), library
    )
  }

  @Test("a port named twice is refused by name")
  func twice() throws {
    let (output, _) = try output()
    try output.add(MIDIPortConfiguration(name: "Drums"))
    #expect(throws: MIDIPortError.nameTaken("Drums")) {
      try output.add(MIDIPortConfiguration(name: "Drums"))
    }
  }

  @Test(
    "an offset out of range is refused with the value and the range",
    arguments: [-301.0, 501, .nan])
  func offset(value: Double) throws {
    let (output, library) = try output()
    do {
      try output.add(MIDIPortConfiguration(name: "Drums", offsetMilliseconds: value))
      Issue.record("it was taken")
    } catch {
      #expect("\(error)".contains("-300.0 to 500.0 ms"))
      #expect("\(error)".contains("'Drums'"))
    }
    #expect(!library.calls.contains("createPort Drums"))
  }

  @Test("a list leaves the ports that stay alone")
  func apply() throws {
    let (output, library) = try output()
    #expect(
      output.apply([MIDIPortConfiguration(name: "A"), MIDIPortConfiguration(name: "B")]).isEmpty)
    #expect(
      output.apply([
        MIDIPortConfiguration(name: "B", offsetMilliseconds: -5), MIDIPortConfiguration(name: "C"),
      ]).isEmpty)
    #expect(output.portNames == ["C", "B"])
    #expect(library.calls.filter { $0 == "createPort B" }.count == 1)
    #expect(output.configuration(of: "B")?.offsetMilliseconds == -5)
    // 5 ms early and 1 ms from FA to F8.
    #expect(output.leadMilliseconds == 6)
  }

  @Test("the thirty-third port is refused with the limit")
  func tooMany() throws {
    let (output, _) = try output()
    for index in 0..<MIDIClockOutput.mostPorts {
      try output.add(MIDIPortConfiguration(name: "\(index)"))
    }
    #expect(throws: MIDIPortError.tooMany("x", most: 32)) {
      try output.add(MIDIPortConfiguration(name: "x"))
    }
  }
}
