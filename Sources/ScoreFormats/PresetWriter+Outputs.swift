import MetronomeModel

/// MIDI ports, mappings and OSC targets.
extension PresetWriter {
  static func port(_ port: MIDIPortConfiguration) -> JSONValue {
    let reconnect = PresetReader.reconnectWords.first { $0.1 == port.reconnect }?.0
    return .members([
      ("name", .string(port.name)),
      ("connect", .list(port.connections.map { .string($0) })),
      ("clock", .string(port.clock.rawValue)),
      ("transport", .bool(port.transport)),
      ("songPosition", .bool(port.songPosition)),
      ("offset", .number(port.offsetMilliseconds)),
      ("startLead", .number(port.startLeadMilliseconds)),
      ("songPositionWait", .number(port.songPositionWaitMilliseconds)),
      ("continue", .string(port.continueAsStart ? "start" : "continue")),
      ("pulsesBeforeStart", .integer(port.pulsesBeforeStart)),
      ("startAtCountIn", .bool(port.startAtCountIn)),
      ("repositionOnJump", .bool(port.repositionOnJump)),
      ("reconnect", reconnect.map { .string($0) }),
      ("notes", notes(port.beatNotes)),
    ])
  }

  private static func notes(_ notes: MIDIBeatNotes) -> JSONValue {
    func note(_ note: MIDIBeatNotes.Note) -> JSONValue {
      .members([("note", .integer(note.note)), ("velocity", .integer(note.velocity))])
    }
    return .members([
      ("on", .bool(notes.isOn)), ("channel", .integer(notes.channel)),
      ("strong", note(notes.strong)), ("normal", note(notes.normal)), ("soft", note(notes.soft)),
      ("length", .number(notes.lengthMilliseconds)),
    ])
  }

  private static func argument(_ argument: CommandArgument) -> JSONValue {
    switch argument {
    case .number(let value): .number(value)
    case .text(let text): .string(text)
    }
  }

  private static func word(_ word: MIDIAction.Word) -> JSONValue {
    switch word {
    case .argument(let argument): self.argument(argument)
    case .value, .spread: .string(MIDIAction(command: "", words: [word]).text.dropBlank)
    }
  }

  static func mapping(_ rule: MIDIMapping.Rule) -> JSONValue {
    var members: [(String, JSONValue?)] = []
    func number(_ key: String, _ value: Int, _ channel: Int?) {
      members = [(key, .integer(value)), ("channel", channel.map { .integer($0) })]
    }
    switch rule.trigger {
    case .note(let note, let channel): number("note", note, channel)
    case .controller(let controller, let channel): number("controller", controller, channel)
    case .program(let program?, let channel): number("program", program, channel)
    case .program(nil, let channel):
      members = [("program", .string("any")), ("channel", channel.map { .integer($0) })]
    case .start: members = [("transport", .string("start"))]
    case .resume: members = [("transport", .string("continue"))]
    case .stop: members = [("transport", .string("stop"))]
    case .key(let code, let device):
      members = [
        ("key", .string(LinuxKey.name(code))), ("device", device.map { .string($0) }),
      ]
    }
    var words = rule.action.words
    var range: (from: Double, to: Double)?
    if case .spread(let from, let to)? = words.first {
      range = (from, to)
      words.removeFirst()
    }
    if rule.action.isHeld { words.append(.argument(.text("hold"))) }
    members += [
      ("command", .string(rule.action.command)),
      ("arguments", words.isEmpty ? nil : .list(words.map(word))),
      ("from", range.map { .number($0.from) }),
      ("to", range.map { .number($0.to) }),
    ]
    return .members(members)
  }

  static func feedback(_ target: FeedbackTarget) -> JSONValue {
    .members([
      ("host", .string(target.host)), ("port", .integer(target.port)),
      (
        "topics",
        .list(
          FeedbackTarget.Topic.allCases.filter(target.topics.contains).map { .string($0.rawValue) })
      ),
    ])
  }

  static func beatTarget(_ target: BeatTarget) -> JSONValue {
    var members: [(String, JSONValue?)] = [
      ("host", .string(target.host)), ("port", .integer(target.port)),
    ]
    switch target.profile {
    case .gate(let address, let length):
      members += [
        ("profile", .string("gate")), ("address", .string(address)), ("length", .number(length)),
      ]
    case .perBeat(let address, let length):
      members += [
        ("profile", .string("perBeat")), ("address", .string(address)),
        ("length", .number(length)),
      ]
    case .phase(let address, let rate):
      members += [
        ("profile", .string("phase")), ("address", .string(address)), ("rate", .number(rate)),
      ]
    case .notes(let address, let channel, let length):
      members += [
        ("profile", .string("notes")), ("address", .string(address)),
        ("channel", .integer(channel)), ("length", .number(length)),
      ]
    case .template(let address, let arguments):
      members += [
        ("profile", .string("template")), ("address", .string(address)),
        ("arguments", .list(arguments.map(argument))),
      ]
    }
    members += [
      ("offset", .number(target.offsetMilliseconds)),
      ("mutedBars", .bool(target.includesMutedBars)),
      ("least", .string(target.leastAccent.name)),
    ]
    return .members(members)
  }
}

extension String {
  /// Without the blank in front of it.
  fileprivate var dropBlank: String { String(drop { $0 == " " }) }
}
