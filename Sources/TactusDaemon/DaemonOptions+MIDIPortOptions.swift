internal import ALSASequencer
internal import CommandLineOptions
internal import MetronomeModel

extension DaemonOptions {
  /// Reads the MIDI ports of a command line: `Clock`, which is always there, and any more.
  mutating func readMIDI(_ parsed: ParsedOptions) throws(OptionError) {
    usesMIDI = !parsed.has("no-midi")
    midiPorts[0].connections = parsed.values("midi-connect")
    typedOfClock = Set(["midi-connect", "midi-clock", "midi-offset"].filter { parsed.has($0) })
    if let text = try parsed.choice(
      "midi-clock", among: MIDIClockMode.allCases.map(\.rawValue)),
      let mode = MIDIClockMode(rawValue: text)
    {
      midiPorts[0].clock = mode
    }
    if let offset = try parsed.number(
      "midi-offset", in: Limits.eventOffsetMilliseconds, unit: "ms")
    {
      midiPorts[0].offsetMilliseconds = offset
    }
    if let text = parsed.value("inject") {
      do throws(ClockPerturbation.Problem) { _ = try ClockPerturbation(text) } catch {
        throw .text("--inject: \(error)")
      }
      injectedFaults = text
    }
    for specification in parsed.values("midi-port") {
      midiPorts.append(try DaemonOptions.port(specification))
    }
    if let name = MIDIPortConfiguration.duplicateName(in: midiPorts) {
      throw .text("--midi-port '\(name)' is named twice: give each port a name of its own")
    }
  }

  /// `NAME,connect=X,clock=always,offset=-5`
  static func port(_ text: String) throws(OptionError) -> MIDIPortConfiguration {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false)
    var port = MIDIPortConfiguration(name: String(parts.first ?? ""))
    for part in parts.dropFirst() {
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard sides.count == 2 else {
        throw .value("--midi-port", given: text, allowed: "NAME,key=value,...")
      }
      try set(String(sides[0]), String(sides[1]), on: &port)
    }
    if let problem = port.problem { throw .text("--midi-port: \(problem)") }
    return port
  }

  private static func set(
    _ key: String, _ value: String, on port: inout MIDIPortConfiguration
  ) throws(OptionError) {
    switch key {
    case "connect": port.connections.append(value)
    case "clock":
      guard let mode = MIDIClockMode(rawValue: value) else {
        throw .choice(
          "--midi-port clock", given: value, allowed: MIDIClockMode.allCases.map(\.rawValue),
          suggestion: nil)
      }
      port.clock = mode
    case "offset":
      port.offsetMilliseconds = try milliseconds(
        key, value, range: Limits.eventOffsetMilliseconds)
    case "lead":
      port.startLeadMilliseconds = try milliseconds(
        key, value, range: Limits.startLeadMilliseconds)
    case "wait":
      port.songPositionWaitMilliseconds = try milliseconds(
        key, value, range: Limits.songPositionWaitMilliseconds)
    case "transport": port.transport = try flag(key, value)
    case "position": port.songPosition = try flag(key, value)
    case "notes": port.beatNotes.isOn = try flag(key, value)
    case "jumps": port.repositionOnJump = try flag(key, value)
    case "continue":
      guard value == "start" || value == "continue" else {
        throw .choice(
          "--midi-port continue", given: value, allowed: ["start", "continue"], suggestion: nil)
      }
      port.continueAsStart = value == "start"
    case "start":
      guard value == "bar1" || value == "countin" else {
        throw .choice(
          "--midi-port start", given: value, allowed: ["bar1", "countin"], suggestion: nil)
      }
      port.startAtCountIn = value == "countin"
    case "before":
      guard let pulses = Int(value) else {
        throw .value(
          "--midi-port before", given: value,
          allowed:
            "\(Limits.pulsesBeforeStart.lowerBound) to \(Limits.pulsesBeforeStart.upperBound) pulses"
        )
      }
      port.pulsesBeforeStart = pulses
    default:
      let known = [
        "connect", "clock", "offset", "lead", "wait", "transport", "position", "notes", "jumps",
        "continue", "start", "before",
      ]
      throw .choice(
        "--midi-port key", given: key, allowed: known,
        suggestion: NearestName.of(key, among: known))
    }
  }

  private static func milliseconds(
    _ key: String, _ value: String, range: ClosedRange<Double>
  ) throws(OptionError) -> Double {
    guard let number = DecimalText.number(value), range.contains(number) else {
      throw .value(
        "--midi-port \(key)", given: value, allowed: RangeText.of(range, unit: "ms"))
    }
    return number
  }

  private static func flag(_ key: String, _ value: String) throws(OptionError) -> Bool {
    switch value {
    case "on": return true
    case "off": return false
    default:
      throw .choice("--midi-port \(key)", given: value, allowed: ["on", "off"], suggestion: nil)
    }
  }
}
