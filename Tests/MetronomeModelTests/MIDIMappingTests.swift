import MetronomeModel
import Testing

@Suite struct MIDIMappingRules {
  @Test(
    "a rule is read and written as a person writes it",
    arguments: [
      ("note 36", "tap"), ("cc 64 channel 10", "mute toggle"), ("program *", "preset {}"),
      ("program 3", "preset/next"), ("start", "start"), ("continue", "continue"),
      ("stop", "stop"), ("key 200", "preset/next"), ("key pagedown", "tap"),
      ("note 0 channel 16", "tempo/push hold"),
    ])
  func roundTrip(trigger: String, action: String) throws {
    #expect(try MIDITrigger(trigger).text == trigger)
    #expect(try MIDIAction(action).text == action)
  }

  @Test(
    "a malformed rule is refused with what it may look like",
    arguments: [
      ("", "trigger"), ("note", "trigger"), ("note 128", "0 to 127"), ("note -1", "0 to 127"),
      ("cc x", "0 to 127"), ("note 1 channel 0", "1 to 16"), ("note 1 channel 17", "1 to 16"),
      ("program 0", "1 to 128"), ("program 129", "1 to 128"), ("key 0", "key code"),
      ("key 768", "key code"), ("key frobnicate", "pagedown"),
      ("note 99999999999999999999", "0 to 127"), ("start 1", "trigger"),
    ])
  func malformed(text: String, reason: String) {
    do {
      _ = try MIDITrigger(text)
      Issue.record("'\(text)' was taken")
    } catch {
      #expect(error.description.contains(reason))
      #expect(error.description.contains("'\(text)'"))
    }
  }

  @Test(
    "a malformed action is refused",
    arguments: ["", "60..180", "tempo a..b", "tempo 60..", "tempo ..", "tempo 1..inf"])
  func malformedAction(text: String) {
    #expect(throws: MIDIMappingError.self) { try MIDIAction(text) }
  }

  @Test("a controller spreads over its range, ends included, either way round")
  func range() throws {
    let mapping = try MIDIMapping(texts: [("cc 1", "tempo 60..187"), ("cc 2", "volume/db 0..-40")])
    // 127 steps of exactly 1 from 60 to 187.
    #expect(mapping.demands(of: .controller(1, value: 0, channel: 1)) == [.setting("tempo 60.0")])
    #expect(
      mapping.demands(of: .controller(1, value: 100, channel: 5)) == [.setting("tempo 160.0")])
    #expect(
      mapping.demands(of: .controller(1, value: 127, channel: 1)) == [.setting("tempo 187.0")])
    // 0 - 40 x 64 / 127 = -20.157...
    #expect(
      mapping.demands(of: .controller(2, value: 64, channel: 1)) == [
        .setting("volume/db -20.157")
      ])
  }

  @Test("a press acts once, letting go acts only where it is held")
  func pressAndRelease() throws {
    let mapping = try MIDIMapping(texts: [
      ("note 36", "tap"), ("note 38", "tempo/push hold"), ("cc 64", "toggle"), ("key 109", "tap"),
    ])
    #expect(mapping.demands(of: .note(36, velocity: 90, channel: 10)) == [.tap])
    #expect(mapping.demands(of: .noteOff(36, channel: 10)).isEmpty)
    #expect(
      mapping.demands(of: .note(38, velocity: 1, channel: 10)) == [.command("tempo/push 1")])
    #expect(mapping.demands(of: .noteOff(38, channel: 10)) == [.command("tempo/push 0")])
    #expect(mapping.demands(of: .controller(64, value: 127, channel: 1)) == [.command("toggle")])
    #expect(mapping.demands(of: .controller(64, value: 63, channel: 1)).isEmpty)
    #expect(mapping.demands(of: .key(109, isPressed: true)) == [.tap])
    #expect(mapping.demands(of: .key(109, isPressed: false)).isEmpty)
  }

  @Test("a program names a preset by the number people see")
  func program() throws {
    let mapping = try MIDIMapping(texts: [("program *", "preset {}")])
    #expect(mapping.demands(of: .program(0, channel: 3)) == [.command("preset 1")])
    #expect(mapping.demands(of: .program(127, channel: 3)) == [.command("preset 128")])
  }

  @Test("a channel that is named must be the one that plays")
  func channel() throws {
    let mapping = try MIDIMapping(texts: [("note 36 channel 10", "tap")])
    #expect(mapping.demands(of: .note(36, velocity: 90, channel: 10)) == [.tap])
    #expect(mapping.demands(of: .note(36, velocity: 90, channel: 9)).isEmpty)
  }

  @Test func `a rule for one channel or program stands above one for any`() throws {
    let mapping = try MIDIMapping(texts: [
      ("cc 64", "tap"), ("cc 64 channel 2", "toggle"), ("cc 64 channel 2", "mute 1"),
      ("program *", "preset {}"), ("program 5", "stop"), ("program * channel 3", "start"),
    ])
    #expect(mapping.demands(of: .controller(64, value: 127, channel: 1)) == [.tap])
    #expect(
      mapping.demands(of: .controller(64, value: 127, channel: 2))
        == [.command("toggle"), .command("mute 1")])
    #expect(mapping.demands(of: .program(3, channel: 1)) == [.command("preset 4")])
    #expect(mapping.demands(of: .program(4, channel: 1)) == [.command("stop")])
    #expect(mapping.demands(of: .program(9, channel: 3)) == [.command("start")])
  }

  @Test func `what was learned takes the place of the same trigger in any table`() throws {
    let learned = [
      MIDIMapping.Rule(trigger: .key(109), action: .command("preset/next")),
      MIDIMapping.Rule(trigger: .note(36, channel: 10), action: .tap),
    ]
    let mapping = try MIDIMapping(texts: [("key 109", "stop"), ("note 36", "start")]).with(learned)
    #expect(mapping.demands(of: .key(109, isPressed: true)) == [.command("preset/next")])
    #expect(mapping.demands(of: .note(36, velocity: 9, channel: 10)) == [.tap])
    #expect(mapping.demands(of: .note(36, velocity: 9, channel: 1)) == [.command("start")])
  }
}
