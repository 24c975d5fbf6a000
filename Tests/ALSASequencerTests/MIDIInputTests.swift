import MetronomeModel
import MusicalTime
import Testing

@testable import ALSASequencer

/// The few commands these tests speak.
private func read(_ command: String, _ arguments: [CommandArgument]) -> ControlCommand? {
  switch (command, arguments.count, arguments.first) {
  case ("start", 0, _): return .start
  case ("stop", 0, _): return .stop
  case ("continue", 0, _): return .continue
  case ("toggle", 0, _): return .toggle
  case ("preset/next", 0, _): return .nextPreset
  case ("tempo/push", 1, .number(let value)): return .push(value == 1)
  case ("tempo", 1, .number(let value)) where (5...999).contains(value):
    return .tempo(value, unit: nil, when: .beat)
  case ("volume", 1, .number(let value)) where (0...1).contains(value):
    return .volume(decibels: value)
  case ("preset", 1, .number(let value)) where (1...9999).contains(value):
    return Int(exactly: value).map { .preset(.number($0)) }
  default: return nil
  }
}

private func rules(_ texts: [(String, String)]) throws -> MIDIMapping {
  MIDIMapping(
    rules: try texts.map {
      MIDIMapping.Rule(trigger: try MIDITrigger($0.0), action: try MIDIAction($0.1))
    })
}

@Suite struct ControlPort {
  private let library = RecordingSequencer()
  private let input: MIDIInput

  init() throws {
    library.openResult = 130
    input = try MIDIInput(
      handle: SequencerHandle(library: library), read: read, ownCounters: { [] })
  }

  private func arrive(_ kinds: SequencerEvent.Kind...) {
    for kind in kinds {
      library.incoming.append(
        .success(
          SequencerEvent(kind: kind, source: SequencerAddress(client: 20, port: 0), port: 0)))
    }
  }

  /// Commands alone.
  private func commands(_ reports: [MIDIInput.Report]) -> [ControlCommand] {
    reports.compactMap { if case .command(let command, _, _) = $0 { command } else { nil } }
  }

  @Test("a pedal taps at the instant it arrives, a series for each device")
  func tap() {
    arrive(.controller(channel: 0, number: 64, value: 127))
    // Client 20, port 0: 20 x 256.
    #expect(
      input.service(now: at(5)) == [
        .command(.tap(at: at(5), series: 5120), hand: 5120, at: at(5))
      ])
  }

  @Test("transport messages act as such")
  func transport() {
    arrive(.start, .stop, .resume)
    #expect(commands(input.service(now: at(0))) == [.start, .stop, .continue])
  }

  @Test("of a knob's values in one turn the last one counts")
  func knob() throws {
    #expect(input.control.use(try rules([("cc 1", "tempo 60..187")])).isEmpty)
    for value in 0..<100 { arrive(.controller(channel: 0, number: 1, value: UInt8(value))) }
    #expect(commands(input.service(now: at(0))) == [.tempo(159, unit: nil, when: .beat)])
  }

  @Test("a pedal that sweeps taps once for each rise")
  func sweep() {
    for value in [50, 80, 100, 127, 70, 30, 0, 90] as [UInt8] {
      arrive(.controller(channel: 0, number: 64, value: value))
    }
    #expect(commands(input.service(now: at(0))).count == 2)
  }

  @Test("a rule that nobody understands is dropped and named; its neighbours act")
  func unknown() throws {
    let problems = input.control.use(
      try rules([
        ("note 1", "explode"), ("start", "toggle"), ("note 2", "tempo 0..100"),
        ("note 3", "volume {}"), ("key 30", "tempo 60..100"),
      ]))
    #expect(problems.map(\.text) == ["explode", "tempo 0..100", "volume {}", "tempo 60..100"])
    #expect(problems[0].reason.contains("preset/next"))
    arrive(.start)
    #expect(commands(input.service(now: at(0))) == [.toggle])
  }

  @Test("a velocity and a program are laid onto a range; a range of whole numbers gives such")
  func values() throws {
    #expect(
      input.control.use(
        try rules([
          ("note 36", "volume 0..1"), ("program *", "preset 1..128"), ("cc 3", "preset 1..4"),
          ("note 38", "tempo/push hold"),
        ])
      ).isEmpty)
    arrive(.noteOn(channel: 9, note: 36, velocity: 127), .program(channel: 0, number: 4))
    // 1 + 3 x 100 / 127 = 3.36
    arrive(.controller(channel: 0, number: 3, value: 100))
    #expect(
      commands(input.service(now: at(0))) == [
        .volume(decibels: 1), .preset(.number(5)), .preset(.number(3)),
      ])
    arrive(.noteOn(channel: 9, note: 38, velocity: 1), .noteOff(channel: 9, note: 38))
    #expect(commands(input.service(now: at(1))) == [.push(true), .push(false)])
  }

  @Test("learn binds the next thing pressed and then it acts")
  func learn() throws {
    try input.control.learn(MIDIAction("preset/next"))
    arrive(
      .noteOff(channel: 9, note: 40), .controller(channel: 0, number: 1, value: 20),
      .noteOn(channel: 9, note: 36, velocity: 99))
    let rule = MIDIMapping.Rule(
      trigger: .note(36, channel: 10), action: MIDIAction(command: "preset/next"))
    #expect(input.service(now: at(0)) == [.learned(rule)])
    _ = input.control.use(MIDIMapping().with([rule]))
    arrive(.noteOn(channel: 9, note: 36, velocity: 99))
    #expect(commands(input.service(now: at(1))) == [.nextPreset])
  }

  @Test("what nobody understands is not learned", arguments: ["bogus", "tempo 1..2", "tempo"])
  func learnBogus(text: String) throws {
    #expect(throws: MIDIMappingError.self) { try input.control.learn(MIDIAction(text)) }
    #expect(!input.control.isLearning)
  }

  @Test("a clock at Control is named while one is followed and none comes to Sync")
  func wrongPort() {
    arrive(.clock)
    #expect(input.service(now: at(0)).isEmpty)
    input.follow(true)
    for _ in 0..<3 { arrive(.clock) }
    #expect(input.service(now: at(5000)) == [.clockAtControl])
    // Only while a clock is followed is what arrives stamped, at both ports.
    #expect(library.calls.count { $0.hasPrefix("stamp ") && !$0.hasSuffix("off") } == 2)
  }

  @Test("a storm is bounded work a turn, and is told once a minute")
  func storm() {
    var reported = 0
    var commands = 0
    // Ten thousand a second for three seconds, a turn every 10 ms.
    for turn in 0..<300 {
      for _ in 0..<100 { arrive(.clock) }
      let before = library.incoming.count
      for report in input.service(now: at(Double(turn) * 10)) {
        if case .storm = report { reported += 1 }
        if case .command = report { commands += 1 }
      }
      #expect(before - library.incoming.count <= MIDIInput.mostEvents)
    }
    #expect(reported == 1)
    #expect(commands == 0)
  }

  @Test("a flood of notes is bounded commands a turn, and a stop gets through")
  func flood() {
    for _ in 0..<200 { arrive(.start) }
    arrive(.stop)
    let reports = input.service(now: at(0))
    #expect(reports.count == MIDIControl.mostCommands + 1)
    #expect(commands(reports).last == .stop)
  }

  @Test("what nobody understands and an overrun do no harm")
  func garbage() {
    library.incoming.append(.failure(SequencerCode(-28)))
    library.incoming.append(.failure(SequencerCode(-28)))
    arrive(.other, .songPosition(16_383), .clientVanished(client: 3))
    arrive(.start)
    let reports = input.service(now: at(0))
    #expect(reports.first == .overrun)
    #expect(commands(reports) == [.start])
  }

  @Test("an echo of our clock is told with both names, once our tempo was changed")
  func echo() throws {
    let library = RecordingSequencer()
    var counters = MIDIClockCounters()
    let input = try MIDIInput(
      handle: SequencerHandle(library: library), read: read,
      ownCounters: { [("Clock", counters)] })
    var reported: [MIDIInput.Report] = []
    var sent = 0.0
    for pulse in 1...400 {
      // 120, and 121 from pulse 200 on: 0.172 ms a pulse, 4 ms in 24.
      sent += pulse < 200 ? 20.833 : 20.661
      counters.pulses = Int64(pulse)
      counters.newestPulse = at(sent).nanoseconds
      library.incoming.append(
        .success(
          SequencerEvent(
            kind: .clock, source: SequencerAddress(client: 20, port: 0), port: 1)))
      reported += input.service(now: at(sent + 1))
      if pulse < 200 { #expect(reported.isEmpty) }
    }
    #expect(reported == [.echo(from: "Clock", into: "Sync")])
  }
}

@Suite struct Learning {
  private let start = MIDIAction(command: "start")

  @Test("a learn ends with its time, once")
  func time() throws {
    var session = LearnSession()
    try session.begin(start, owner: "a", seconds: 1, now: at(0))
    #expect(session.expire(now: at(999)) == nil)
    #expect(session.expire(now: at(1_000)) == start)
    #expect(session.expire(now: at(1_001)) == nil)
  }

  @Test("who asked may go on or choose anew; another is told who learns what, and for how long")
  func owners() throws {
    var session = LearnSession()
    try session.begin(start, owner: "a", seconds: 3, now: at(0))
    try session.begin(start, owner: "a", seconds: 3, now: at(2_000))
    do {
      try session.begin(.tap, owner: "b", seconds: 3, now: at(3_500))
      Issue.record("two learn at once")
    } catch {
      #expect("\(error)".contains("'start' is being learned for a for 2 s more"))
    }
    try session.begin(.tap, owner: "a", seconds: 3, now: at(3_600))
    #expect(session.action == .tap)
    session.finish()
    try session.begin(start, owner: "b", seconds: 3, now: at(3_700))
    // One that was forgotten is over when its time is.
    try session.begin(.tap, owner: "c", seconds: 3, now: at(6_700))
  }
}
