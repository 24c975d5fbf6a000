import MetronomeModel

/// Offsets, MIDI ports, mappings and OSC targets.
extension PresetReader {
  static let reconnectWords: [(String, MIDIReconnectPolicy)] = [
    ("clock", .clockOnly), ("position", .songPosition), ("start", .startAtBar),
  ]

  mutating func readOutputs(_ object: JSONObjectReader) throws(FormatError) {
    if let offsets = try object.object("offsets", keys: PresetKeys.names(PresetKeys.offsets)) {
      preset.audioOffsetMilliseconds = try offsets.number(
        "audio", Limits.audioOffsetMilliseconds, unit: "ms")
      preset.beatOffsetMilliseconds = try offsets.number(
        "beats", Limits.eventOffsetMilliseconds, unit: "ms")
    }
    let horizons =
      Double(Limits.horizonMilliseconds)...Double(Limits.longestHorizonMilliseconds)
    preset.horizonMilliseconds = try object.number("horizon", horizons, unit: "ms")
    preset.follow = try object.string("follow").map { FollowSource(text: $0) }
    preset.linkMode = try object.word("link", LinkMode.allCases.map { ($0.rawValue, $0) })
    preset.sharesLinkPlaying = try object.bool("linkSync")
    if case .string? = object.node("linkQuantum")?.value {
      preset.linkQuantum = try object.word("linkQuantum", [("bar", LinkQuantum.bar)])
    } else {
      preset.linkQuantum = try object.number(
        "linkQuantum", Limits.linkQuarters, unit: "quarters"
      ).map { .quarters($0) }
    }
    if let ports = try object.objects(
      "midi", atMost: PresetFormat.mostPorts, keys: PresetKeys.names(PresetKeys.port))
    {
      var configurations: [MIDIPortConfiguration] = []
      for port in ports { configurations.append(try PresetReader.port(port)) }
      if let name = MIDIPortConfiguration.duplicateName(in: configurations) {
        throw object.error("midi", "two ports are called '\(name)': give each its own name")
      }
      preset.midiPorts = configurations
    }
    if let rows = try object.objects(
      "mappings", atMost: PresetFormat.mostMappings, keys: PresetKeys.names(PresetKeys.mapping))
    {
      var mappings: [MIDIMapping.Rule] = []
      for row in rows { mappings.append(try PresetReader.mapping(row)) }
      preset.mappings = mappings
    }
    if let rows = try object.objects(
      "feedback", atMost: PresetFormat.mostTargets, keys: PresetKeys.names(PresetKeys.feedback))
    {
      var targets: [FeedbackTarget] = []
      for row in rows { targets.append(try PresetReader.feedback(row)) }
      preset.feedback = targets
    }
    if let rows = try object.objects(
      "beats", atMost: PresetFormat.mostTargets, keys: PresetKeys.names(PresetKeys.beatTarget))
    {
      var targets: [BeatTarget] = []
      for row in rows { targets.append(try PresetReader.beatTarget(row)) }
      preset.beatTargets = targets
    }
  }

  // MARK: MIDI ports

  private static func port(_ object: JSONObjectReader) throws(FormatError) -> MIDIPortConfiguration
  {
    var port = MIDIPortConfiguration(
      name: try object.required("name", try object.string("name", bytes: 63)))
    if let nodes = try object.list("connect", atMost: 16) {
      port.connections = try texts(nodes, "connect", in: object, nullable: false).compactMap { $0 }
    }
    if let clock = try object.word("clock", MIDIClockMode.allCases.map { ($0.rawValue, $0) }) {
      port.clock = clock
    }
    port.transport = try object.bool("transport") ?? port.transport
    port.songPosition = try object.bool("songPosition") ?? port.songPosition
    port.offsetMilliseconds =
      try object.number("offset", Limits.eventOffsetMilliseconds, unit: "ms") ?? 0
    if let lead = try object.number("startLead", Limits.startLeadMilliseconds, unit: "ms") {
      port.startLeadMilliseconds = lead
    }
    if let wait = try object.number(
      "songPositionWait", Limits.songPositionWaitMilliseconds, unit: "ms")
    {
      port.songPositionWaitMilliseconds = wait
    }
    port.continueAsStart =
      try object.word("continue", [("continue", false), ("start", true)]) ?? false
    port.pulsesBeforeStart =
      try object.integer("pulsesBeforeStart", Limits.pulsesBeforeStart, unit: "pulses") ?? 0
    port.startAtCountIn = try object.bool("startAtCountIn") ?? false
    port.repositionOnJump = try object.bool("repositionOnJump") ?? false
    port.reconnect = try object.word("reconnect", reconnectWords) ?? port.reconnect
    if let notes = try object.object("notes", keys: PresetKeys.names(PresetKeys.notes)) {
      port.beatNotes = try beatNotes(notes)
    }
    if port.name.isEmpty { throw object.error("name", "is empty: give 1 to 63 bytes") }
    return port
  }

  private static func beatNotes(_ object: JSONObjectReader) throws(FormatError) -> MIDIBeatNotes {
    var notes = MIDIBeatNotes()
    notes.isOn = try object.bool("on") ?? true
    notes.channel = try object.integer("channel", 1...16) ?? notes.channel
    notes.strong = try note("strong", object) ?? notes.strong
    notes.normal = try note("normal", object) ?? notes.normal
    notes.soft = try note("soft", object) ?? notes.soft
    if let length = try object.number("length", Limits.noteMilliseconds, unit: "ms") {
      notes.lengthMilliseconds = length
    }
    return notes
  }

  private static func note(
    _ key: String, _ object: JSONObjectReader
  ) throws(FormatError) -> MIDIBeatNotes.Note? {
    guard let inner = try object.object(key, keys: PresetKeys.names(PresetKeys.note)) else {
      return nil
    }
    return MIDIBeatNotes.Note(
      note: try inner.required("note", try inner.integer("note", 0...127)),
      velocity: try inner.required("velocity", try inner.integer("velocity", 0...127)))
  }

  // MARK: Mappings

  private static func mapping(_ object: JSONObjectReader) throws(FormatError) -> MIDIMapping.Rule {
    let trigger = try trigger(object)
    let command = try object.required("command", try object.string("command"))
    guard !command.isEmpty, !command.hasPrefix("/") else {
      throw object.error(
        "command", "'\(command)': write the address below /tactus/, such as \"tap\"")
    }
    var action = MIDIAction(command: command)
    action.words = try arguments(object).map { argument in
      guard case .text(let text) = argument else { return .argument(argument) }
      return MIDIAction.Word(text) ?? .argument(argument)
    }
    if action.words.last == .argument(.text("hold")) {
      action.words.removeLast()
      action.isHeld = true
    }
    let limits = -1e9...1e9
    let from = try object.number("from", limits)
    let to = try object.number("to", limits)
    if let from, let to {
      action.words.insert(.spread(from: from, to: to), at: 0)
    } else if from != nil || to != nil {
      throw object.error(from == nil ? "from" : "to", "is missing: from and to go together")
    }
    guard trigger.hasValue || !action.needsValue else {
      throw object.error(
        from == nil ? "arguments" : "from",
        "'\(trigger.text)' has no value: from, to and {} need a note, controller or program")
    }
    return MIDIMapping.Rule(trigger: trigger, action: action)
  }

  private static func trigger(_ object: JSONObjectReader) throws(FormatError) -> MIDITrigger {
    let sources = ["note", "controller", "program", "transport", "key"].filter(object.has)
    guard sources.count == 1, let kind = sources.first else {
      throw object.error(
        sources.last ?? "note",
        "a mapping has one of note, controller, program, transport and key, this one "
          + "\(sources.count)")
    }
    let channel = try object.integer("channel", 1...16)
    if kind == "key" || kind == "transport", channel != nil {
      throw object.error("channel", "a \(kind) has no channel: remove it")
    }
    if kind != "key", object.has("device") {
      throw object.error("device", "belongs to key, which is not there")
    }
    switch kind {
    case "note": return .note(try object.integer("note", 0...127) ?? 0, channel: channel)
    case "controller":
      return .controller(try object.integer("controller", 0...127) ?? 0, channel: channel)
    case "program":
      if case .string? = object.node("program")?.value {
        _ = try object.word("program", [("any", true)])
        return .program(nil, channel: channel)
      }
      return .program(try object.integer("program", 0...127), channel: channel)
    case "transport":
      return try object.word(
        "transport", [("start", .start), ("continue", .resume), ("stop", .stop)]) ?? .start
    default:
      let name = try object.string("key") ?? ""
      guard let code = LinuxKey.code(name) else {
        throw object.error("key", "'\(name)': \(MIDITrigger.keyRule)")
      }
      return .key(code, device: try object.string("device"))
    }
  }

  private static func arguments(
    _ object: JSONObjectReader
  ) throws(FormatError) -> [CommandArgument] {
    var arguments: [CommandArgument] = []
    for node in try object.list("arguments", atMost: 16) ?? [] {
      switch node.value {
      case .number(let number): arguments.append(.number(number.double))
      case .string(let text) where text.utf8.count <= 200: arguments.append(.text(text))
      default:
        throw object.error(
          "arguments", "\(node.value.shown): allowed are numbers and texts of up to 200 bytes")
      }
    }
    return arguments
  }

  // MARK: OSC targets

  private static func target(
    _ object: JSONObjectReader
  ) throws(FormatError) -> (host: String, port: Int) {
    let host = try object.required("host", try object.string("host"))
    guard !host.isEmpty else { throw object.error("host", "is empty: give a name or an address") }
    return (host, try object.required("port", try object.integer("port", 1...65_535)))
  }

  private static func feedback(_ object: JSONObjectReader) throws(FormatError) -> FeedbackTarget {
    let target = try target(object)
    var result = FeedbackTarget(host: target.host, port: target.port)
    if let nodes = try object.list("topics", atMost: 8) {
      result.topics = []
      for text in try texts(nodes, "topics", in: object, nullable: false) {
        guard let text, let topic = FeedbackTarget.Topic(rawValue: text) else {
          throw object.error("topics", "'\(text ?? "")': allowed are beat, sub and state")
        }
        result.topics.insert(topic)
      }
    }
    return result
  }

  private static func beatTarget(_ object: JSONObjectReader) throws(FormatError) -> BeatTarget {
    let target = try target(object)
    let words = ["gate", "phase", "perBeat", "notes", "template"].map { ($0, $0) }
    let kind = try object.required("profile", try object.word("profile", words))
    let address = try object.required("address", try object.string("address"))
    if let fault = BeatTemplate.fault(inAddress: address) { throw object.error("address", fault) }
    let belongs = [
      "length": ["gate", "perBeat", "notes"], "rate": ["phase"], "arguments": ["template"],
      "channel": ["notes"],
    ]
    for (key, kinds) in belongs.sorted(by: { $0.key < $1.key })
    where object.has(key) && !kinds.contains(kind) {
      throw object.error(key, "belongs to \(kinds.joined(separator: " or ")), this is a \(kind)")
    }
    let length = try object.number("length", Limits.noteMilliseconds, unit: "ms") ?? 50
    let profile: BeatTarget.Profile
    switch kind {
    case "gate": profile = .gate(address: address, milliseconds: length)
    case "perBeat": profile = .perBeat(address: address, milliseconds: length)
    case "phase":
      profile = .phase(
        address: address, perSecond: try object.number("rate", 1...100, unit: "a second") ?? 30)
    case "notes":
      profile = .notes(
        address: address, channel: try object.integer("channel", 1...16) ?? 10,
        milliseconds: length)
    default:
      let arguments = try arguments(object)
      for case .text(let word) in arguments {
        if let fault = BeatTemplate.fault(inWord: word) { throw object.error("arguments", fault) }
      }
      profile = .template(address: address, arguments: arguments)
    }
    return BeatTarget(
      host: target.host, port: target.port, profile: profile,
      offsetMilliseconds: try object.number("offset", Limits.eventOffsetMilliseconds, unit: "ms")
        ?? 0,
      includesMutedBars: try object.bool("mutedBars") ?? false,
      leastAccent: try object.accent("least") ?? .silent)
  }
}
