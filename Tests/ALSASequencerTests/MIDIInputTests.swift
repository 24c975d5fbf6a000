import MetronomeModel
import MusicalTime
import Testing

@testable import ALSASequencer

/// The few commands these tests speak.
private func read(_ text: String) -> ControlCommand? {
  let words = text.split(separator: " ")
  switch (words.first, words.count) {
  case ("start", 1): return .start
  case ("stop", 1): return .stop
  case ("continue", 1): return .continue
  case ("toggle", 1): return .toggle
  case ("preset/next", 1): return .nextPreset
  case ("tempo/push", 2): return .push(words[1] == "1")
  case ("tempo", 2): return Double(words[1]).map { .tempo($0, unit: nil, when: .beat) }
  default: return nil
  }
}

@Suite struct ControlPort {
  private let library = RecordingSequencer()
  private let input: MIDIInput

  init() throws {
    library.openResult = 130
    input = try MIDIInput(
      handle: SequencerHandle(library: library), stamped: false, read: read, ownCounters: { [] })
  }

  private func arrive(_ kinds: SequencerEvent.Kind...) {
    for kind in kinds {
      library.incoming.append(
        .success(
          SequencerEvent(kind: kind, source: SequencerAddress(client: 20, port: 0), port: 0)))
    }
  }

  @Test("a pedal taps at the instant it arrives, a series for each device")
  func tap() {
    arrive(.controller(channel: 0, number: 64, value: 127))
    // Client 20, port 0: 20 x 256.
    #expect(
      input.service(now: at(5)) == [.command(.tap(at: at(5), series: 5120))])
  }

  @Test("transport messages act as such")
  func transport() {
    arrive(.start, .stop, .resume)
    #expect(
      input.service(now: at(0)) == [.command(.start), .command(.stop), .command(.continue)])
  }

  @Test("of a knob's values in one turn the last one counts")
  func knob() throws {
    try input.control.use(MIDIMapping(texts: [("cc 1", "tempo 60..187")]))
    for value in 0..<100 { arrive(.controller(channel: 0, number: 1, value: UInt8(value))) }
    #expect(input.service(now: at(0)) == [.command(.tempo(159, unit: nil, when: .beat))])
  }

  @Test("a rule with a command that nobody knows is refused, and the old mapping stays")
  func unknown() throws {
    #expect(throws: MIDIMappingError.self) {
      try input.control.use(MIDIMapping(texts: [("note 1", "explode")]))
    }
    arrive(.start)
    #expect(input.service(now: at(0)) == [.command(.start)])
  }

  @Test("learn binds the next thing played and then it acts")
  func learn() throws {
    try input.control.learn(MIDIAction("preset/next"))
    arrive(.noteOff(channel: 9, note: 40), .noteOn(channel: 9, note: 36, velocity: 99))
    let rule = MIDIMapping.Rule(
      trigger: .note(36, channel: 10), action: .command("preset/next"))
    #expect(input.service(now: at(0)) == [.learned(rule)])
    arrive(.noteOn(channel: 9, note: 36, velocity: 99))
    #expect(input.service(now: at(1)) == [.command(.nextPreset)])
  }

  @Test("a storm is bounded work a turn, and is told once a minute")
  func storm() {
    var told = 0
    var commands = 0
    // Ten thousand a second for three seconds, a turn every 10 ms.
    for turn in 0..<300 {
      for _ in 0..<100 { arrive(.clock) }
      let before = library.incoming.count
      for report in input.service(now: at(Double(turn) * 10)) {
        if case .storm = report { told += 1 }
        if case .command = report { commands += 1 }
      }
      #expect(before - library.incoming.count <= MIDIInput.mostEvents)
    }
    #expect(told == 1)
    #expect(commands == 0)
  }

  @Test("a flood of notes is bounded commands a turn, and a stop gets through")
  func flood() {
    for _ in 0..<200 { arrive(.start) }
    arrive(.stop)
    let reports = input.service(now: at(0))
    #expect(reports.count == MIDIControl.mostCommands + 1)
    #expect(reports.last == .command(.stop))
  }

  @Test("what nobody understands and an overrun do no harm")
  func garbage() {
    library.incoming.append(.failure(SequencerCode(-28)))
    library.incoming.append(.failure(SequencerCode(-28)))
    arrive(.other, .songPosition(16_383), .clientVanished(client: 3))
    arrive(.start)
    #expect(input.service(now: at(0)) == [.overrun, .command(.start)])
  }

  @Test("an echo of our clock is told with both names, once")
  func echo() throws {
    let library = RecordingSequencer()
    var counters = MIDIClockCounters()
    let input = try MIDIInput(
      handle: SequencerHandle(library: library), stamped: false, read: read,
      ownCounters: { [("Clock", counters)] })
    var told: [MIDIInput.Report] = []
    for pulse in 1...400 {
      let sent = Double(pulse) * 20.833
      counters.pulses = Int64(pulse)
      counters.newestPulse = at(sent).nanoseconds
      library.incoming.append(
        .success(
          SequencerEvent(
            kind: .clock, source: SequencerAddress(client: 20, port: 0), port: 1)))
      told += input.service(now: at(sent + 1))
    }
    #expect(told == [.echo(from: "Clock", into: "Sync")])
  }
}
