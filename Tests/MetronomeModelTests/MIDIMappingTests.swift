import MetronomeModel
import Testing

@Suite struct MIDIMappingRules {
  @Test(
    "a rule is read and written as a person writes it",
    arguments: [
      ("note 36", "tap"), ("cc 64 channel 10", "mute toggle"), ("program *", "preset {}"),
      ("program 3", "preset/next"), ("start", "start"), ("continue", "continue"),
      ("stop", "stop"), ("key playcd", "preset/next"), ("key 700", "preset {} hold"),
      ("key pagedown device Air Turn*", "preset \"My Song\""), ("cc 7", "tempo 60..180.5"),
      ("key pagedown", "tap"),
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
      ("note 3 device x", "belongs to a key"),
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

  @Test("a value is laid onto a range, ends included, either way round")
  func range() throws {
    // 127 steps of exactly 1 from 60 to 187.
    let up = try MIDIAction("tempo 60..187")
    #expect(up.arguments(value: 0, counted: 0) == [.number(60)])
    #expect(up.arguments(value: 100, counted: 100) == [.number(160)])
    #expect(up.arguments(value: 127, counted: 127) == [.number(187)])
    // 0 - 40 x 64 / 127 = -20.157...
    let down = try MIDIAction("volume/db 0..-40")
    #expect(down.arguments(value: 64, counted: 64) == [.number(-20.157)])
    #expect(down.arguments(value: 64, counted: 64, isRounded: true) == [.number(-20)])
  }

  @Test("what is held gets one more argument, what is counted the number people see")
  func arguments() throws {
    let push = try MIDIAction("tempo/push hold")
    #expect(push.arguments(value: 1, counted: 1) == [.number(1)])
    #expect(push.arguments(value: 0, counted: 0, isPressed: false) == [.number(0)])
    #expect(try MIDIAction("preset {}").arguments(value: 0, counted: 1) == [.number(1)])
    #expect(
      try MIDIAction(#"preset "hold 1..2""#).arguments(value: 0, counted: 0)
        == [.text("hold 1..2")])
  }

  private static func texts(
    _ rules: [(String, String)], _ gesture: MIDIGesture
  ) throws -> [String] {
    let mapping = MIDIMapping(
      rules: try rules.map {
        MIDIMapping.Rule(trigger: try MIDITrigger($0.0), action: try MIDIAction($0.1))
      })
    return mapping.matches(gesture).map { mapping.rules[$0].action.text }
  }

  @Test("a channel or a device that is named must be the one that plays")
  func channel() throws {
    let note = [("note 36 channel 10", "tap")]
    #expect(try Self.texts(note, .note(36, velocity: 90, channel: 10)) == ["tap"])
    #expect(try Self.texts(note, .note(36, velocity: 90, channel: 9)).isEmpty)
    let key = [("key KEY_PAGEDOWN device AirTurn*", "toggle"), ("key pagedown", "tap")]
    #expect(
      try Self.texts(key, .key(109, isPressed: true, device: "AirTurn DUO ")) == ["toggle"])
    #expect(try Self.texts(key, .key(109, isPressed: true, device: "Keyboard")) == ["tap"])
  }

  @Test func `a rule for one channel or program stands above one for any`() throws {
    let rules = [
      ("cc 64", "tap"), ("cc 64 channel 2", "toggle"), ("cc 64 channel 2", "mute 1"),
      ("program *", "preset {}"), ("program 5", "stop"), ("program * channel 3", "start"),
    ]
    #expect(try Self.texts(rules, .controller(64, value: 127, channel: 1)) == ["tap"])
    #expect(
      try Self.texts(rules, .controller(64, value: 127, channel: 2)) == ["toggle", "mute 1"])
    #expect(try Self.texts(rules, .program(3, channel: 1)) == ["preset {}"])
    #expect(try Self.texts(rules, .program(4, channel: 1)) == ["stop"])
    #expect(try Self.texts(rules, .program(9, channel: 3)) == ["start"])
  }

  @Test func `what was learned takes the place of the same trigger in any table`() throws {
    let table = MIDIMapping(rules: [
      .init(trigger: .key(109, device: nil), action: MIDIAction(command: "stop")),
      .init(trigger: .note(36, channel: nil), action: MIDIAction(command: "start")),
    ])
    let mapping = table.with([
      .init(trigger: .key(109, device: nil), action: MIDIAction(command: "preset/next")),
      .init(trigger: .note(36, channel: 10), action: .tap),
    ])
    func texts(_ gesture: MIDIGesture) -> [String] {
      mapping.matches(gesture).map { mapping.rules[$0].action.text }
    }
    #expect(texts(.key(109, isPressed: true, device: "x")) == ["preset/next"])
    #expect(texts(.note(36, velocity: 9, channel: 10)) == ["tap"])
    #expect(texts(.note(36, velocity: 9, channel: 1)) == ["start"])
  }

  @Test("a controller presses once for each rise to 64 and is let go under 48, each by itself")
  func rises() {
    var detector = PressDetector()
    func edges(_ values: [Int], number: Int = 64, hand: UInt64 = 1) -> [PressDetector.Edge?] {
      values.map {
        detector.edge(of: .controller(number, value: $0, channel: 1), hand: hand)
      }
    }
    #expect(
      edges([50, 80, 100, 127, 70, 30, 0]) == [nil, .pressed, nil, nil, nil, .released, nil])
    // Between 48 and 63 nothing changes.
    #expect(edges([64, 50, 63, 90, 48, 47]) == [.pressed, nil, nil, nil, nil, .released])
    #expect(edges([127]) == [.pressed])
    #expect(edges([127], number: 65) == [.pressed])
    #expect(edges([127], hand: 2) == [.pressed])
  }

  @Test(
    "keys are known by the kernel's names, without its prefix, and by their codes",
    arguments: [
      ("KEY_PAGEDOWN", 109), ("pagedown", 109), ("PageUp", 104), ("109", 109), ("KEY_A", 30),
      ("KEY_F13", 183), ("KEY_PLAYPAUSE", 164), ("KEY_ENTER", 28), ("BTN_SOUTH", 304),
      ("KEY_RIGHT", 106), ("KEY_DOWN", 108), ("KEY_F11", 87), ("KEY_SPACE", 57), ("KEY_M", 50),
    ] as [(String, Int)])
  func keys(name: String, code: Int) {
    #expect(LinuxKey.code(name) == code)
    #expect(LinuxKey.code(LinuxKey.name(code)) == code)
  }
}
