import MetronomeModel
import MusicalTime
import RealtimeEngine
import Testing

@testable import ALSASequencer

@Suite struct StartAndStop {
  @Test("FA leaves once, one millisecond before the first F8, which is beat one")
  func start() {
    var run = Run()
    run.start(at: 9600, known: 0)
    run.pulses(0..<200, from: 9600)
    run.stop(at: 9600 + 200_000, next: 200)
    var port = SimulatedPort(MIDIPortConfiguration(name: "Clock"))
    port.play(run.ordered, until: 10_000)
    // 9600 frames are 200 ms; 1000 frames are 20833.33 us.
    #expect(port.sent[0] == Sent(message: .start, microseconds: 199_000))
    #expect(port.sent[1] == Sent(message: .clock, microseconds: 200_000))
    #expect(port.sent[2] == Sent(message: .clock, microseconds: 220_833))
    #expect(port.clockTimes.count == 200)
    #expect(port.transport.map(\.message) == [.start, .stop])
  }

  @Test("the lead of FA is as set, with no F8 between", arguments: [1.0, 2, 10, 100])
  func lead(milliseconds: Double) {
    var run = Run()
    run.ahead = 150
    run.pulses(0..<9, from: 0, flags: .free)
    run.start(at: 9600, known: 0)
    run.pulses(0..<24, from: 9600)
    var port = SimulatedPort(
      MIDIPortConfiguration(name: "Clock", clock: .always, startLeadMilliseconds: milliseconds))
    port.play(run.ordered, until: 1000)
    let start = port.sent.firstIndex { $0.message == .start } ?? 0
    #expect(port.sent[start + 1] == Sent(message: .clock, microseconds: 200_000))
    // The last free pulse, number 8, is at 8000 frames = 166.667 ms: FA cannot be before it.
    let expected = max(200_000 - Int64(milliseconds * 1000), 167_166)
    #expect(port.sent[start].microseconds == expected)
    #expect(port.sent.filter { $0.message == .start }.count == 1)
  }

  @Test("a start from a free-running clock keeps one odd gap of 1 to 2 intervals and no shorter")
  func rephase() {
    var run = Run()
    run.pulses(0..<9, from: 500, flags: .free)
    run.start(at: 9700, known: 0)
    run.pulses(0..<48, from: 9700)
    var port = SimulatedPort(MIDIPortConfiguration(name: "Clock", clock: .always))
    port.play(run.ordered, until: 2000)
    // Free pulses end at 8500, beat one is at 9700: 1200 frames = 25 ms; all others 20.833 ms.
    let distances = gaps(port.clockTimes)
    #expect(distances.filter { $0 >= 20_832 && $0 <= 20_834 }.count == distances.count - 1)
    #expect(distances.max() == 25_000)
    let start = port.sent.firstIndex { $0.message == .start } ?? 0
    #expect(port.sent[start + 1].microseconds == 202_083)
  }

  @Test("free pulses are sent by a port whose clock is always on, and by no other")
  func free() {
    var run = Run()
    run.pulses(0..<24, from: 0, flags: .free)
    for (clock, count) in [(MIDIClockMode.always, 24), (.rolling, 0), (.off, 0)] {
      var port = SimulatedPort(MIDIPortConfiguration(name: "Clock", clock: clock))
      port.play(run.ordered, until: 1000)
      #expect(port.sent.count == count)
    }
  }

  @Test("a stop voids every pulse at or after its frame and sends FC at its instant")
  func stop() {
    var run = Run()
    run.start(at: 9600, known: 0)
    run.pulses(0..<60, from: 9600)
    // 40 pulses lie before frame 49600; the stop is at pulse 40 itself.
    run.stop(at: 49_600, next: 40, known: 1020)
    run.facts.removeAll { $0.known > 1020 }
    var port = SimulatedPort(MIDIPortConfiguration(name: "Clock"))
    port.play(run.ordered, until: 5000)
    #expect(port.clockTimes.count == 40)
    // 49600 frames = 1033.333 ms.
    #expect(port.sent.last == Sent(message: .stop, microseconds: 1_033_333))
  }

  @Test("no F8 follows FC where the clock is for rolling only")
  func silentAfterStop() {
    var run = Run()
    run.start(at: 9600, known: 0)
    run.pulses(0..<24, from: 9600)
    run.stop(at: 33_600, next: 24)
    run.pulses(0..<24, from: 34_000, flags: .free)
    var port = SimulatedPort(MIDIPortConfiguration(name: "Clock"))
    port.play(run.ordered, until: 5000)
    #expect(port.sent.last?.message == .stop)
    #expect(port.clockTimes.count == 24)
  }

  @Test("a stop before the first pulse sends no FA")
  func stopInLeadIn() {
    var run = Run()
    run.start(at: 9600, known: 0)
    run.pulses(0..<3, from: 9600)
    run.stop(at: 9000, next: 0, known: 180)
    run.facts.removeAll { $0.known > 180 }
    var port = SimulatedPort(MIDIPortConfiguration(name: "Clock"))
    port.play(run.ordered, until: 5000)
    #expect(port.sent.map(\.message) == [.stop])
  }

  @Test("panic is now: what waits is dropped, notes end, FC leaves")
  func panic() {
    var run = Run()
    run.start(at: 9600, known: 0)
    run.pulses(0..<60, from: 9600)
    run.beat(bar: 0, beat: 0, at: 9600, accent: .strong)
    run.stop(at: 12_000, next: 3, panic: true, known: 210)
    run.facts.removeAll { $0.known > 210 }
    var port = SimulatedPort(
      MIDIPortConfiguration(
        name: "Clock", beatNotes: MIDIBeatNotes(isOn: true, lengthMilliseconds: 500)))
    port.play(run.ordered, until: 5000)
    let end = port.sent.filter { $0.microseconds >= 210_000 }
    #expect(Set(end.map(\.message)) == [.stop, .noteOff(channel: 9, note: 76)])
    #expect(end.allSatisfy { $0.microseconds == 210_000 })
  }

  @Test("the end of the port sends FC now, and once")
  func finish() {
    var run = Run()
    run.start(at: 9600, known: 0)
    run.pulses(0..<60, from: 9600)
    var port = SimulatedPort(MIDIPortConfiguration(name: "Clock"))
    port.play(run.ordered.filter { $0.known < 300 }, until: 300)
    port.stream.finish()
    port.collect(testClock)
    #expect(port.sent.last == Sent(message: .stop, microseconds: 300_000))
    port.stream.finish()
    port.collect(testClock)
    #expect(port.sent.filter { $0.message == .stop }.count == 1)
  }

  @Test("a port without transport sends pulses only; one without a clock transport only")
  func switches() {
    var run = Run()
    run.start(at: 9600, known: 0)
    run.pulses(0..<24, from: 9600)
    run.stop(at: 33_600, next: 24)
    var pulses = SimulatedPort(MIDIPortConfiguration(name: "A", transport: false))
    pulses.play(run.ordered, until: 5000)
    #expect(pulses.transport.isEmpty)
    #expect(pulses.sent.count == 24)
    var transport = SimulatedPort(MIDIPortConfiguration(name: "B", clock: .off))
    transport.play(run.ordered, until: 5000)
    #expect(
      transport.sent == [
        Sent(message: .start, microseconds: 199_000),
        Sent(message: .stop, microseconds: 700_000),
      ])
  }
}

@Suite struct CountIn {
  @Test("pulses run through the count-in and FA precedes bar 1, or the count-in where asked")
  func place() {
    var run = Run()
    run.start(at: 105_600, countInPulses: 96, known: 0)
    run.pulses(-96..<96, from: 9600)
    for (atCountIn, instant) in [(false, Int64(2_199_000)), (true, 199_000)] {
      var port = SimulatedPort(MIDIPortConfiguration(name: "A", startAtCountIn: atCountIn))
      port.play(run.ordered, until: 10_000)
      #expect(port.transport == [Sent(message: .start, microseconds: instant)])
      #expect(port.clockTimes.count == 192)
    }
  }

  @Test("a bar of pulses precedes FA where asked, without a count-in at the next bar line")
  func pulsesBeforeStart() {
    let configuration = MIDIPortConfiguration(name: "A", pulsesBeforeStart: 96)
    var run = Run()
    run.start(at: 9600, known: 0)
    run.pulses(0..<200, from: 9600)
    var port = SimulatedPort(configuration)
    port.play(run.ordered, until: 10_000)
    // Bar 2 is at 9600 + 96000 frames = 2200 ms.
    #expect(port.transport == [Sent(message: .start, microseconds: 2_199_000)])

    var counted = Run()
    counted.start(at: 105_600, countInPulses: 96, known: 0)
    counted.pulses(-96..<96, from: 9600)
    var other = SimulatedPort(configuration)
    other.play(counted.ordered, until: 10_000)
    #expect(other.transport == [Sent(message: .start, microseconds: 2_199_000)])

    var free = Run()
    free.pulses(0..<100, from: 0, flags: .free)
    free.start(at: 100_800, known: 1900)
    free.pulses(0..<96, from: 100_800)
    var always = SimulatedPort(
      MIDIPortConfiguration(name: "A", clock: .always, pulsesBeforeStart: 96))
    always.play(free.ordered, until: 10_000)
    #expect(always.transport == [Sent(message: .start, microseconds: 2_099_000)])
  }

  @Test("resuming within the count-in still sends the one FA at bar 1")
  func resumedCountIn() {
    var run = Run()
    run.start(at: 105_600, countInPulses: 96, known: 0)
    run.pulses(-96..<(-48), from: 9600)
    run.stop(at: 57_600, next: -48)
    run.resume(at: 67_200, pulse: -48, song: -48, known: 1200)
    run.pulses(-48..<24, from: 67_200)
    var port = SimulatedPort(MIDIPortConfiguration(name: "A"))
    port.play(run.ordered, until: 10_000)
    // Pulse 0 is at 67200 + 48000 frames = 2400 ms.
    #expect(port.transport.map(\.message) == [.stop, .start])
    #expect(port.transport.last?.microseconds == 2_399_000)
  }
}

@Suite struct Continue {
  /// Stops after `song` pulses and continues 400 ms later; beat of the resumption at 38400 frames.
  private func run(song: Int64) -> Run {
    var run = Run()
    run.resume(at: 38_400, pulse: song, song: song, known: 600)
    run.pulses(song..<(song + 192), from: 38_400)
    return run
  }

  @Test("without song position FB leaves one millisecond before the first F8")
  func plain() {
    var port = SimulatedPort(MIDIPortConfiguration(name: "A", songPosition: false))
    port.play(run(song: 217).ordered, until: 10_000)
    #expect(port.transport == [Sent(message: .resume, microseconds: 799_000)])
    #expect(port.clockTimes.first == 800_000)
  }

  @Test("with song position F2 names the next MIDI beat and FB precedes that beat's F8")
  func position() {
    var port = SimulatedPort(MIDIPortConfiguration(name: "A"))
    port.play(run(song: 217).ordered, until: 10_000)
    // 217 = 36 x 6 + 1: the next MIDI beat is 37, five pulses on: 800 + 5 x 20.8333 = 904.167 ms.
    #expect(
      port.transport == [
        Sent(message: .songPosition(37), microseconds: 600_000),
        Sent(message: .resume, microseconds: 903_166),
      ])
    // Bar 3 beat 2 in 4/4 is quarter 9, MIDI beat 36: F2 24 00.
    var located = SimulatedPort(MIDIPortConfiguration(name: "A"))
    located.play(run(song: 216).ordered, until: 10_000)
    #expect(located.transport.first?.message == .songPosition(36))
    #expect(located.transport.first?.message.bytes == [0xF2, 0x24, 0x00])
    #expect(located.transport.last == Sent(message: .resume, microseconds: 799_000))
    #expect(located.sent.filter { $0.message == .songPosition(36) }.count == 1)
  }

  @Test("FB waits so long after F2, at a later MIDI beat where needed")
  func wait() {
    var port = SimulatedPort(
      MIDIPortConfiguration(name: "A", songPositionWaitMilliseconds: 300))
    var run = run(song: 216)
    run.facts.insert(
      (
        0,
        .tempo(
          TempoEvent(
            frame: FrameIndex(0), tempo: Tempo(unchecked: 120_000, unit: .quarter),
            quarterThousandths: 120_000, isGlide: false))
      ), at: 0)
    port.play(run.ordered, until: 10_000)
    // F2 at 600 ms; the beat at 800 ms is 200 ms off, the next at 925 ms is far enough.
    #expect(
      port.transport == [
        Sent(message: .songPosition(37), microseconds: 600_000),
        Sent(message: .resume, microseconds: 924_000),
      ])
  }

  @Test("a place over 16383 MIDI beats is not sent, and is counted", arguments: [16_383, 16_384])
  func fourteenBits(beat: Int64) {
    var port = SimulatedPort(MIDIPortConfiguration(name: "A"))
    port.play(run(song: beat * 6).ordered, until: 10_000)
    let fits = beat == 16_383
    #expect(port.transport.map(\.message) == (fits ? [.songPosition(16_383)] : []) + [.resume])
    #expect(port.stream.counters.songPositionsOmitted == (fits ? 0 : 1))
  }

  @Test("with continue = start FA leaves at the next bar and no FB at all")
  func asStart() {
    var port = SimulatedPort(MIDIPortConfiguration(name: "A", continueAsStart: true))
    port.play(run(song: 120).ordered, until: 10_000)
    // Pulse 192 is the bar line, 72 pulses = 1500 ms after 800 ms.
    #expect(port.transport == [Sent(message: .start, microseconds: 2_299_000)])
  }

  @Test("a stop before FB takes back the F2 that has not left and the FB")
  func stopped() {
    var run = run(song: 217)
    run.stop(at: 38_000, next: 217, known: 700)
    run.facts.removeAll { $0.known > 700 }
    var port = SimulatedPort(MIDIPortConfiguration(name: "A"))
    port.play(run.ordered, until: 10_000)
    #expect(port.transport.map(\.message) == [.songPosition(37), .stop])
    #expect(port.clockTimes.isEmpty)
  }
}

@Suite struct Jumps {
  private var run: Run {
    var run = Run()
    run.start(at: 9600, known: 0)
    run.pulses(0..<192, from: 9600)
    run.jump(at: 201_600, number: 192, song: 96)
    run.pulses(192..<384, from: 201_600, song: 96)
    return run
  }

  @Test("a jump while rolling sends nothing but pulses")
  func plain() {
    var port = SimulatedPort(MIDIPortConfiguration(name: "A"))
    port.play(run.ordered, until: 10_000)
    #expect(port.transport.map(\.message) == [.start])
    #expect(port.clockTimes.count == 384)
    #expect(gaps(port.clockTimes).allSatisfy { (20_833...20_834).contains($0) })
  }

  @Test("where asked FC, F2 and FB fit into the last pulse interval before the jump")
  func reposition() {
    var port = SimulatedPort(MIDIPortConfiguration(name: "A", repositionOnJump: true))
    port.play(run.ordered, until: 10_000)
    let transport = Array(port.transport.dropFirst())
    #expect(transport.map(\.message) == [.stop, .songPosition(16), .resume])
    // The jump is at 4200 ms, the pulse before it at 4179.167 ms.
    #expect(transport.allSatisfy { (4_179_167..<4_200_000).contains($0.microseconds) })
    #expect(transport[2].microseconds - transport[1].microseconds >= 10_000)
    #expect(port.clockTimes.count == 384)
    #expect(gaps(port.clockTimes).allSatisfy { (20_833...20_834).contains($0) })
  }

  @Test("repositioning at 999 quarters a minute moves no pulse")
  func fast() {
    // 48000 x 60 / 999 / 24 = 120.1 frames; 120 keeps whole numbers: 2.5 ms.
    var run = Run()
    run.framesPerPulse = 120
    run.start(at: 9600, known: 0)
    run.pulses(0..<192, from: 9600)
    run.jump(at: 9600 + 192 * 120, number: 192, song: 0)
    run.pulses(192..<384, from: 9600 + 192 * 120, song: 0)
    var port = SimulatedPort(MIDIPortConfiguration(name: "A", repositionOnJump: true))
    port.play(run.ordered, until: 10_000)
    #expect(port.transport.map(\.message) == [.start, .stop, .songPosition(0), .resume])
    #expect(gaps(port.clockTimes).allSatisfy { $0 == 2500 })
  }
}

@Suite struct ExactInstants {
  @Test(
    "a pulse leaves at its exact instant, not at that of the nearest frame",
    arguments: [999_000, 113_000, 137_501, 5_000] as [Int64])
  func betweenFrames(thousandths: Int64) {
    // A pulse lasts 48000 x 60000 / 24 / thousandths frames, which is 2.5 x 10^12 / thousandths ns.
    var facts: [(known: Double, event: EngineEvent)] = [
      (
        0,
        .started(StartEvent(frame: FrameIndex(9600), firstFrame: FrameIndex(9600), firstPulse: 0))
      )
    ]
    for number in 0..<200 as Range<Int64> {
      let point =
        ExactFrame(FrameIndex(9600))
        + ExactFrame(numerator: Int128(number) * 120_000_000, denominator: Int128(thousandths))
      facts.append(
        (0, .pulse(PulseEvent(at: point, number: number, songPulse: number, flags: []))))
    }
    var stream = MIDIClockStream(settings: MIDIStreamSettings(MIDIPortConfiguration(name: "A")))
    for fact in facts { stream.take(fact.event, clock: testClock, now: at(0)) }
    var number: Int64 = 0
    var start: MonotonicTime?
    while let message = stream.next(testClock, now: at(0), until: .distantFuture) {
      guard message.message == .clock else {
        start = message.due
        continue
      }
      // Frame 9600 is 200 ms after frame 0. Two roundings to whole nanoseconds.
      let exact = origin + 200_000_000 + number * 2_500_000_000_000 / thousandths
      #expect(abs(message.due.nanoseconds - exact) <= 2, "pulse \(number)")
      if number == 0 { #expect(start == message.due.advanced(byNanoseconds: -1_000_000)) }
      number += 1
    }
    #expect(number == 200)
  }
}
