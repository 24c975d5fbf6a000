import MetronomeModel
import MusicalTime
import RealtimeEngine
import Testing

@testable import ALSASequencer

@Suite struct OverduePulses {
  private func rolling(_ configuration: MIDIPortConfiguration) -> SimulatedPort {
    var run = Run()
    run.start(at: 9600, known: 0)
    run.pulses(0..<24, from: 9600)
    var port = SimulatedPort(configuration)
    port.play(run.ordered, until: 690)
    return port
  }

  @Test("up to 24 late pulses leave half an interval apart until caught up; the count is exact")
  func caughtUp() {
    var port = rolling(MIDIPortConfiguration(name: "A"))
    #expect(port.clockTimes.count == 24)
    // Pulse 24 was due at 700 ms; at 1190 ms pulses 24 ... 47 are overdue (700 + 23 x 20.833).
    var late = Run()
    late.pulses(24..<120, from: 33_600)
    port.oversleep(late.facts, until: 1190)
    port.run(until: 5000)
    #expect(port.clockTimes.count == 120)
    let after = Array(port.clockTimes.dropFirst(24))
    #expect(after[0] == 1_190_000)
    // Half of 20833.33 us is 10416.67 us: never closer.
    #expect(gaps(after).allSatisfy { $0 >= 10_416 && $0 <= 20_834 })
    #expect(gaps(after)[0] <= 10_417)
    // Caught up: the last pulse is at its own instant, 9600 + 119000 frames = 2679.167 ms.
    #expect(after.last == 2_679_166 || after.last == 2_679_167)
    #expect(port.stream.counters.droppedPulses == 0)
    #expect(port.stream.counters.latePulses > 24)
    #expect(port.transport.map(\.message) == [.start])
  }

  @Test("a pulse that is due but not yet a millisecond late is none of the 24")
  func edge() {
    // Pulse 24 + n is due at 700 + n x 20.8333 ms: the 25th late one at 1200 ms, late at 1201.
    for (now, dropped) in [(1200.9, Int64(0)), (1201.1, 25)] {
      var port = rolling(MIDIPortConfiguration(name: "A", reconnect: .clockOnly))
      var late = Run()
      late.pulses(24..<120, from: 33_600)
      port.oversleep(late.facts, until: now)
      port.run(until: 5000)
      #expect(port.stream.counters.droppedPulses == dropped)
    }
  }

  @Test("more than 24 late pulses are dropped and counted, then the policy follows")
  func dropped() {
    var late = Run()
    late.pulses(24..<240, from: 33_600)
    // At 1250 ms the pulses 24 ... 50 are due: 700 + 26 x 20.833 = 1241.7 ms.
    let expected: [MIDIReconnectPolicy: [MIDIMessage]] = [
      .clockOnly: [.start],
      // Pulses 51 ... 239 are announced; F2 waits behind them, so only FC is seen here.
      .songPosition: [.start, .stop, .songPosition(40)],
      .startAtBar: [.start, .stop],
    ]
    for policy in MIDIReconnectPolicy.allCases {
      var port = rolling(MIDIPortConfiguration(name: "A", reconnect: policy))
      port.oversleep(late.facts, until: 1250)
      #expect(port.stream.counters.droppedPulses == 27)
      port.run(until: 20_000)
      #expect(port.clockTimes.count == 240 - 27)
      #expect(port.transport.map(\.message) == expected[policy])
      #expect(gaps(port.clockTimes.dropFirst(24).map { $0 }).allSatisfy { $0 >= 10_416 })
    }
  }

  @Test("after a drop the music is joined again at a MIDI beat, or at a bar, by the policy")
  func joined() {
    for (policy, last) in [
      (MIDIReconnectPolicy.songPosition, MIDIMessage.resume), (.startAtBar, .start),
    ] {
      var port = rolling(MIDIPortConfiguration(name: "A", reconnect: policy))
      var late = Run()
      late.pulses(24..<54, from: 33_600)
      port.oversleep(late.facts, until: 1250)
      var run = Run()
      run.pulses(54..<240, from: 63_600)
      port.play(run.ordered, until: 10_000)
      #expect(port.transport.last?.message == last)
      // The next MIDI beat after pulse 53 is pulse 54, 1325 ms; bar 2 is pulse 96, 2200 ms.
      let due: Int64 = policy == .songPosition ? 1_324_000 : 2_199_000
      #expect(port.transport.last?.microseconds == due)
    }
  }

  @Test("an FC among what is dropped still leaves")
  func stopIsKept() {
    var port = rolling(MIDIPortConfiguration(name: "A"))
    var late = Run()
    late.pulses(24..<54, from: 33_600)
    late.stop(at: 63_600, next: 54)
    port.oversleep(late.facts, until: 3000)
    port.run(until: 5000)
    #expect(port.transport.map(\.message) == [.start, .stop])
  }

  @Test("an FA among what is dropped is made up for at the next bar, whatever the policy")
  func startIsKept() {
    for policy in [MIDIReconnectPolicy.clockOnly, .startAtBar] {
      var port = SimulatedPort(MIDIPortConfiguration(name: "A", reconnect: policy))
      var run = Run()
      run.start(at: 9600, known: 0)
      run.pulses(0..<60, from: 9600)
      port.oversleep(run.facts, until: 3000)
      var later = Run()
      later.pulses(144..<240, from: 153_600)
      port.play(later.ordered, until: 9000)
      #expect(port.transport.filter { $0.message == .start }.count == 1)
      // Pulse 192, bar 3, is at 201600 frames = 4200 ms.
      #expect(port.transport.last?.microseconds == 4_199_000)
    }
  }
}

@Suite struct Offsets {
  @Test("the offset moves every message of the port", arguments: [-300.0, -20, 0, 35.5, 500])
  func moved(offset: Double) {
    var run = Run()
    run.ahead = 450
    run.start(at: 48_000, known: 0)
    run.pulses(0..<24, from: 48_000)
    run.stop(at: 72_000, next: 24, known: 1150)
    var port = SimulatedPort(MIDIPortConfiguration(name: "A", offsetMilliseconds: offset))
    port.play(run.ordered, until: 5000)
    let shift = Int64(offset * 1000)
    #expect(port.transport.first?.microseconds == 999_000 + shift)
    #expect(port.clockTimes.first == 1_000_000 + shift)
    // The stop becomes known at 1150 ms: with -300 or -20 its FC cannot be before.
    #expect(port.sent.last == Sent(message: .stop, microseconds: max(1_500_000 + shift, 1_200_000)))
  }

  @Test("a change of offset reorders nothing, loses nothing and brings no burst")
  func change() {
    for (from, to) in [(0.0, -300.0), (0, 500), (500, -300), (-300, 500)] {
      var run = Run()
      run.ahead = 450
      run.start(at: 48_000, known: 0)
      run.pulses(0..<480, from: 48_000)
      var configuration = MIDIPortConfiguration(name: "A", offsetMilliseconds: from)
      var port = SimulatedPort(configuration)
      let half = run.ordered.count / 2
      port.play(Array(run.ordered.prefix(half)), until: run.ordered[half].known)
      configuration.offsetMilliseconds = to
      port.stream.configure(MIDIStreamSettings(configuration))
      port.play(Array(run.ordered.dropFirst(half)), until: 20_000)
      #expect(port.clockTimes.count == 480)
      #expect(gaps(port.clockTimes).allSatisfy { $0 >= 10_416 })
      #expect(port.stream.counters.droppedPulses == 0)
      // Pulse 479 is at 48000 + 479000 frames = 10979.167 ms.
      #expect(abs((port.clockTimes.last ?? 0) - 10_979_167 - Int64(to * 1000)) <= 1)
    }
  }

  @Test("an instant follows the FrameClock until the message leaves")
  func refined() {
    var run = Run()
    run.start(at: 9600, known: 0)
    run.pulses(0..<2, from: 9600)
    var port = SimulatedPort(MIDIPortConfiguration(name: "A"))
    for fact in run.ordered { port.stream.take(fact.event, clock: testClock, now: at(0)) }
    let moved = FrameClock(
      frame: FrameIndex(0), heardAt: MonotonicTime(nanoseconds: origin + 3_000_000),
      framesPerSecond: rate)
    port.run(until: 500, clock: moved)
    #expect(port.clockTimes == [203_000, 223_833])
  }
}

@Suite struct BeatNotes {
  private let configuration = MIDIPortConfiguration(
    name: "A", clock: .off, transport: false,
    beatNotes: MIDIBeatNotes(
      isOn: true, channel: 3, strong: .init(note: 40, velocity: 120),
      normal: .init(note: 41, velocity: 90), soft: .init(note: 42, velocity: 30),
      lengthMilliseconds: 25))

  @Test("each accent has its note, a silent beat has none, a note ends after its length")
  func accents() {
    var run = Run()
    for (beat, accent) in [Accent.strong, .normal, .soft, .silent].enumerated() {
      run.beat(bar: 0, beat: UInt8(beat), at: 9600 + Int64(beat) * 24_000, accent: accent)
    }
    var port = SimulatedPort(configuration)
    port.play(run.ordered, until: 5000)
    #expect(
      port.sent == [
        Sent(message: .noteOn(channel: 2, note: 40, velocity: 120), microseconds: 200_000),
        Sent(message: .noteOff(channel: 2, note: 40), microseconds: 225_000),
        Sent(message: .noteOn(channel: 2, note: 41, velocity: 90), microseconds: 700_000),
        Sent(message: .noteOff(channel: 2, note: 41), microseconds: 725_000),
        Sent(message: .noteOn(channel: 2, note: 42, velocity: 30), microseconds: 1_200_000),
        Sent(message: .noteOff(channel: 2, note: 42), microseconds: 1_225_000),
      ])
    #expect(port.sent[0].message.bytes == [0x92, 40, 120])
  }

  @Test("a muted bar has no notes while its clock goes on; the mute of the clicks leaves notes")
  func muted() {
    var run = Run()
    run.beat(bar: 0, beat: 0, at: 9600, flags: .mutedBar)
    run.beat(bar: 1, beat: 0, at: 105_600, flags: .mute)
    run.start(at: 9600, known: 0)
    run.pulses(0..<192, from: 9600)
    var playing = configuration
    playing.clock = .rolling
    var port = SimulatedPort(playing)
    port.play(run.ordered, until: 8000)
    #expect(port.clockTimes.count == 192)
    #expect(port.transport.map(\.microseconds) == [2_200_000, 2_225_000])
  }

  @Test("the same note again ends the one that still sounds")
  func overlap() {
    var run = Run()
    run.beat(bar: 0, beat: 0, at: 9600)
    run.beat(bar: 0, beat: 1, at: 10_080)
    var port = SimulatedPort(configuration)
    port.play(run.ordered, until: 5000)
    // 10080 frames are 210 ms, before the first note's end at 225 ms.
    #expect(port.sent.map(\.microseconds) == [200_000, 210_000, 210_000, 235_000])
    #expect(port.sent[1].message == .noteOff(channel: 2, note: 41))
  }

  @Test("a note that is 50 ms late is left out and counted")
  func tooLate() {
    var run = Run()
    run.beat(bar: 0, beat: 0, at: 9600)
    run.beat(bar: 0, beat: 1, at: 33_600)
    var port = SimulatedPort(configuration)
    port.oversleep(run.facts, until: 260)
    port.run(until: 5000)
    #expect(port.sent.first?.microseconds == 700_000)
    #expect(port.stream.counters.droppedNotes == 1)
  }
}

@Suite struct Reconnection {
  @Test("one that comes back is told the place by the policy, and it alone")
  func policies() {
    let place = MIDIDestination(client: 36, port: 1)
    for policy in MIDIReconnectPolicy.allCases {
      var run = Run()
      run.start(at: 9600, known: 0)
      run.pulses(0..<480, from: 9600)
      var port = SimulatedPort(MIDIPortConfiguration(name: "A", reconnect: policy))
      port.play(run.ordered.filter { $0.known <= 1000 }, until: 1000)
      port.stream.reconnected(place, clock: testClock, now: at(1000))
      port.play(run.ordered.filter { $0.known > 1000 }, until: 20_000)
      let reported = Array(port.transport.dropFirst())
      switch policy {
      case .clockOnly: #expect(reported.isEmpty)
      case .songPosition:
        // At 1000 ms pulse 43 (1095.8 ms) is the last one known; behind it MIDI beat 8 is pulse
        // 48, due 200 + 48 x 20.8333 = 1200 ms.
        #expect(reported.map(\.message) == [.songPosition(8), .resume])
        #expect(reported.last?.microseconds == 1_199_000)
      case .startAtBar:
        #expect(reported == [Sent(message: .start, microseconds: 2_199_000, destination: place)])
      }
      #expect(reported.allSatisfy { $0.destination == place })
      #expect(port.clockTimes.count == 480)
      #expect(gaps(port.clockTimes).allSatisfy { (20_833...20_834).contains($0) })
    }
  }

  @Test(
    "one that comes before FA has left hears FA like all the others, and nothing else",
    arguments: [50, 150, 198] as [Double])
  func beforeStart(comes: Double) {
    var run = Run()
    run.start(at: 9600, known: 0)
    run.pulses(0..<96, from: 9600)
    var port = SimulatedPort(MIDIPortConfiguration(name: "A"))
    // FA leaves at 199 ms; its pulse is known from 100 ms on.
    port.play(run.ordered.filter { $0.known <= comes }, until: comes)
    port.stream.reconnected(
      MIDIDestination(client: 36, port: 0), clock: testClock, now: at(comes))
    port.play(run.ordered.filter { $0.known > comes }, until: 5000)
    #expect(port.transport == [Sent(message: .start, microseconds: 199_000)])
  }

  @Test("one that comes while nothing plays is told nothing")
  func stopped() {
    var port = SimulatedPort(MIDIPortConfiguration(name: "A"))
    port.stream.reconnected(
      MIDIDestination(client: 36, port: 0), clock: testClock, now: at(0))
    port.run(until: 1000)
    #expect(port.sent.isEmpty)
  }
}

@Suite struct Counting {
  /// A pulse n of a quarter tempo T lies at the frame nearest to n x 60 x rate / (24 T).
  private func pulses(_ count: Int64, thousandths: Int64) -> Run {
    var run = Run()
    run.start(at: 9600, known: 0)
    for number in 0..<count {
      let numerator = number * 60 * rate * 1000
      let denominator = 24 * thousandths
      let frame = 9600 + (2 * numerator + denominator) / (2 * denominator)
      run.facts.append(
        (
          Run.milliseconds(frame) - 100,
          .pulse(
            PulseEvent(
              frame: FrameIndex(frame), number: number, songPulse: number,
              flags: number % 96 == 0 ? .barLine : []))
        ))
    }
    return run
  }

  @Test(
    "every window of 24 pulses holds the tempo within 0.1 per cent",
    arguments: [20, 30, 59, 89, 103, 105, 106, 107, 108, 109, 110, 111, 120, 158, 999] as [Int64])
  func windows(tempo: Int64) {
    let run = pulses(500, thousandths: tempo * 1000)
    var port = SimulatedPort(MIDIPortConfiguration(name: "A"))
    port.play(run.ordered, until: 100_000)
    let times = port.clockTimes
    #expect(times.count == 500)
    let quarter = 60_000_000 / Double(tempo)
    for index in 0..<(times.count - 24) {
      let measured = Double(times[index + 24] - times[index])
      #expect(abs(measured - quarter) <= quarter / 1000)
    }
  }

  @Test("a day of pulses is sent to the last one, in order, none late")
  func day() {
    // A tenth of a day at 999: 999 x 24 x 144 minutes would be 3.4 million; 100000 are enough to
    // wrap every ring many times.
    let run = pulses(100_000, thousandths: 999_000)
    var port = SimulatedPort(MIDIPortConfiguration(name: "A"))
    port.play(run.ordered, until: 10_000_000)
    #expect(port.stream.counters.pulses == 100_000)
    #expect(port.stream.counters.latePulses == 0)
    #expect(gaps(port.clockTimes).allSatisfy { $0 > 0 })
  }
}
