public import ALSAAudio
public import CommandLineOptions
public import MetronomeModel
public import MusicalTime
internal import BeatOutputs
internal import OSCProtocol
internal import OSCWire

/// What the daemon was asked for on its command line.
///
/// - Thread: any
public struct DaemonOptions: Equatable, Sendable {
  public var meter: Meter?
  public var tempo: Tempo?
  public var pattern: String?
  public var subdivision: Int?
  public var swing: Swing?
  public var sound: String?
  public var volumeDecibels: Double?
  public var countInBars: Int?
  public var autostart = false
  public var preset: String?
  public var folder: String?
  public var shippedPresets: String?

  public var output = PCMRequest()
  /// nil: no OSC at all; 0: any free port.
  public var oscPort: Int? = Limits.oscPort
  public var allowed: [String] = []
  public var observers: [String] = []
  public var admins: [String] = []
  public var feedback: [String] = []
  public var beatTargets: [String] = []
  /// How often each beat is announced.
  public var beatCopies = 1
  /// Nil: the shortest.
  public var beatLeadMilliseconds: Double?
  public var follow = FollowSource.off
  /// Whether the daemon is announced on the network, and the page and OSCQuery are served.
  public var isDiscoverable = true
  /// HTTP and WebSocket; nil: neither the page nor OSCQuery, 0: any free port.
  public var webPort: Int? = Limits.webPort
  public var usesMIDI = true
  /// Faults that port Clock makes on purpose.
  public var injectedFaults: String?
  public var midiPorts: [MIDIPortConfiguration] = [MIDIPortConfiguration(name: "Clock")]
  public var locksMemory = true
  public var isQuiet = false

  /// A meter or a tempo on the command line starts at once.
  public var startsAtOnce: Bool { autostart || meter != nil || tempo != nil }

  /// What was typed of the music, as a preset.
  public var typedPreset: Preset {
    var typed = Preset()
    typed.tempo = tempo
    typed.meter = meter
    if let pattern {
      typed.meter = meter ?? .common
      typed.pattern = try? AccentPattern(text: pattern, for: meter ?? .common)
    }
    typed.subdivision = subdivision
    typed.swing = swing
    typed.volumeDecibels = volumeDecibels
    typed.countIn = countInBars
    if let sound {
      for target in ControlCommand.SoundTarget.clicks { typed.sounds[target] = .init(name: sound) }
    }
    return typed
  }

  public init() {}
}

extension DaemonOptions {
  public static let parser = OptionParser(
    command: "tactusd",
    summary: "A metronome: clicks, MIDI clock and beat events from one sample clock.",
    usage: "[METER] [TEMPO] [OPTIONS]",
    positionals: [
      PositionalDeclaration("METER", "As in 4/4, 2+2+3/8 or 6/8. (two dotted quarters)."),
      PositionalDeclaration("TEMPO", "Quarter notes a minute, 5 to 999, to a thousandth."),
    ],
    options: declarations,
    exitCodes: [
      ExitCode(0, "Ended by a signal or by /tactus/quit."),
      ExitCode(2, "An argument or option is malformed, unknown or out of range."),
      ExitCode(3, "The OSC port is taken; the message says by whom where that can be known."),
    ],
    notes: [
      "With a meter or a tempo it starts at once, with neither it waits for a command.",
      "Try:\n  tactusd 120\n  tactusd 3/4 96 --device hw:CARD=USB --midi-connect \"TR-8S\"",
    ])

  private static let declarations: [OptionDeclaration] = [
    .value(
      "unit", "NOTE", "Note value that TEMPO counts, as in 1/8 or 1/4. (dotted).", group: "Music"),
    .value(
      "pattern", "LETTERS", "One letter a beat: X strong, x normal, - soft, . silent.",
      group: "Music"),
    .value("subdivision", "N", "Clicks a beat, 1 to 9.", group: "Music"),
    .value(
      "swing", "PERCENT", "Share of the first of each pair, 50 to 75, or triplet.", group: "Music"),
    .value("count-in", "BARS", "Bars counted in before bar 1, 0 to 16.", group: "Music"),
    .value(
      "sound", "NAME", "wood, beep, bell, noise, or a file of the sound folder.", group: "Music"),
    .value(
      "volume", "DB", "Level in dB of full scale, -90 to 0; -12 unless given.", group: "Music"),
    .value("preset", "NAME", "Preset to begin with.", group: "Music"),
    .flag("autostart", "Start without a METER or TEMPO too.", group: "Music"),
    .value(
      "device", "NAME", "ALSA device: default, a card's id, hw:CARD=ID; none for no sound.",
      group: "Sound"),
    .value("rate", "HZ", "Sample rate to ask for; the rate got is reported.", group: "Sound"),
    .value("channels", "N", "Output channels to ask for, 2 to 64.", group: "Sound"),
    .value("period", "FRAMES", "Frames a period to ask for, 16 to 8192.", group: "Sound"),
    .value(
      "buffer", "MS",
      "Longest buffer to ask for, 2 to 500 ms; unless given, four periods, at most 50.",
      group: "Sound"),
    .value(
      "midi-connect", "NAME", "Send MIDI clock to this Client, Client:Port or Client:*.",
      repeatable: true, group: "MIDI"),
    .value(
      "midi-port", "SPEC",
      "One more clock port: NAME[,connect=CLIENT][,clock=off|rolling|always][,offset=MS]"
        + "[,transport=on|off][,position=on|off][,lead=MS][,continue=start][,notes=on].",
      repeatable: true, group: "MIDI"),
    .value("midi-clock", "WHEN", "Port Clock sends pulses: off, rolling or always.", group: "MIDI"),
    .value("midi-offset", "MS", "Port Clock is so much later, -300 to 500.", group: "MIDI"),
    .value(
      "inject", "FAULTS",
      "Port Clock misbehaves on purpose, for people who build receivers: jitter=5%,drop=1%,double=1%.",
      group: "MIDI"),
    .optional(
      "follow", "NAME",
      "Follow the MIDI clock that arrives at port Sync; with a name connect this Client or "
        + "Client:Port to it.", group: "MIDI"),
    .flag("no-midi", "Do not open the ALSA sequencer.", group: "MIDI"),
    .value("osc-port", "PORT", "UDP and TCP port, 0 for any free one, off for none.", group: "OSC"),
    .value(
      "allow", "CIDR", "A network that may play, besides the attached ones.", repeatable: true,
      group: "OSC"),
    .value("observe", "CIDR", "A network that may only listen.", repeatable: true, group: "OSC"),
    .value(
      "admin", "CIDR", "A network that may quit, save and connect.", repeatable: true, group: "OSC"),
    .value(
      "beat-target", "TARGET",
      "Lamp desk or tablet told at each beat: HOST:PORT,PROFILE[,ADDRESS][,ms=60][,offset=-20]; "
        + "profiles gate, phase, beats, notes, template.",
      repeatable: true, group: "OSC"),
    .value(
      "beat-copies", "N", "Announce each beat so often, 1 to 5, for bad networks.", group: "OSC"),
    .value(
      "beat-lead", "MS",
      "Announce beats so far ahead, 100 to 2000; 100 unless given. For slow networks.",
      group: "OSC"),
    .value(
      "feedback", "HOST:PORT", "Always send beats and changes there.", repeatable: true,
      group: "OSC"),
    .value(
      "web-port", "PORT",
      "Port of the page for browsers and of OSCQuery, 0 for any free one, off for neither; "
        + "\(Limits.webPort) unless given.", group: "OSC"),
    .flag(
      "no-discovery", "Neither the page and OSCQuery nor an announcement on the network.",
      group: "OSC"),
    .value("folder", "PATH", "User folder of presets, sounds and maps."),
    .value("shipped-presets", "PATH", "Folder of the presets that came with Tactus."),
    .flag("no-lock", "Do not lock memory."),
    .flag("quiet", "Warnings only."),
  ]

  /// Reads a command line.
  ///
  /// - Throws: the first thing that is wrong, with the allowed range and the way out.
  public init(_ parsed: ParsedOptions) throws(OptionError) {
    self.init()
    try readMusic(parsed)
    try readSound(parsed)
    try readMIDI(parsed)
    try readOSC(parsed)
    folder = parsed.value("folder")
    shippedPresets = parsed.value("shipped-presets")
    locksMemory = !parsed.has("no-lock")
    isQuiet = parsed.has("quiet")
  }

  private mutating func readMusic(_ parsed: ParsedOptions) throws(OptionError) {
    var unit = NoteValue.quarter
    if let text = parsed.value("unit") {
      guard let value = NoteValue(text: text) else {
        throw .value("--unit", given: text, allowed: "a note value such as 1/4, 1/8 or 1/4.")
      }
      unit = value
    }
    var arguments = parsed.arguments[...]
    if let first = arguments.first, first.contains("/") || arguments.count == 2 {
      do throws(MeterError) { meter = try Meter(text: first) } catch { throw .text("\(error)") }
      arguments = arguments.dropFirst()
    }
    if let text = arguments.first {
      guard let value = DecimalText.number(text), let read = Tempo(value, unit: unit) else {
        throw .value(
          "tempo", given: text,
          allowed: "a number that makes \(RangeText.of(Limits.quarterTempo)) quarters a minute")
      }
      tempo = read
    }
    pattern = parsed.value("pattern")
    if let text = pattern {
      do throws(AccentPatternError) {
        _ = try AccentPattern(text: text, for: meter ?? .common)
      } catch { throw .text("--pattern: \(error)") }
    }
    subdivision = try parsed.integer("subdivision", in: Limits.subdivision)
    if parsed.value("swing") == "triplet" {
      swing = .triplet
    } else if let percent = try parsed.number("swing", in: Limits.swingPercent, unit: "%") {
      guard let share = Swing(percent: percent) else {
        throw .text("--swing \(parsed.value("swing") ?? ""): \(Swing.decimals)")
      }
      swing = share
    }
    sound = parsed.value("sound")
    volumeDecibels = try parsed.number("volume", in: Limits.gainDecibels, unit: "dB")
    countInBars = try parsed.integer("count-in", in: Limits.countInBars, unit: "bars")
    preset = parsed.value("preset")
    autostart = parsed.has("autostart")
  }

  private mutating func readSound(_ parsed: ParsedOptions) throws(OptionError) {
    if let device = parsed.value("device") {
      guard !device.isEmpty, device.utf8.count <= 200 else {
        throw .value("--device", given: device, allowed: "an ALSA name of 1 to 200 bytes")
      }
      output.device = device
    }
    if let rate = try parsed.integer("rate", in: 8_000...192_000, unit: "Hz") {
      guard Limits.sampleRates.contains(rate) else {
        throw .value(
          "--rate", given: "\(rate)",
          allowed: Limits.sampleRates.map(String.init).joined(separator: ", "))
      }
      output.framesPerSecond = rate
    }
    output.channelCount = try parsed.integer("channels", in: 2...64) ?? output.channelCount
    output.periodFrames = try parsed.integer("period", in: 16...8192, unit: "frames")
    output.bufferMilliseconds = try parsed.number("buffer", in: 2...500, unit: "ms")
  }

  private mutating func readOSC(_ parsed: ParsedOptions) throws(OptionError) {
    if let text = parsed.value("osc-port") {
      if text == "off" {
        oscPort = nil
      } else {
        guard let port = Int(text), (0...65_535).contains(port) else {
          throw .value("--osc-port", given: text, allowed: "0 to 65535, or off")
        }
        oscPort = port
      }
    }
    if let text = parsed.value("web-port") {
      if text == "off" {
        webPort = nil
      } else {
        guard let port = Int(text), (0...65_535).contains(port) else {
          throw .value("--web-port", given: text, allowed: "0 to 65535, or off")
        }
        webPort = port
      }
    }
    for option in ["allow", "observe", "admin"] {
      for text in parsed.values(option) where AddressNetwork(text) == nil {
        throw .value(
          "--\(option)", given: text, allowed: "a network such as 192.168.1.0/24, or one address")
      }
    }
    for text in parsed.values("feedback")
    where SocketAddress.split(text, defaultPort: nil) == nil {
      throw .value("--feedback", given: text, allowed: "HOST:PORT or [IPv6]:PORT")
    }
    allowed = parsed.values("allow")
    observers = parsed.values("observe")
    admins = parsed.values("admin")
    feedback = parsed.values("feedback")
    for text in parsed.values("beat-target") {
      do throws(ProfileTargetError) { _ = try NamedTarget(text: text) } catch {
        throw .text("--beat-target: \(error)")
      }
    }
    beatTargets = parsed.values("beat-target")
    beatCopies = try parsed.integer("beat-copies", in: 1...5) ?? 1
    beatLeadMilliseconds = try parsed.number(
      "beat-lead",
      in: Double(Limits.horizonMilliseconds)...Double(Limits.longestHorizonMilliseconds), unit: "ms"
    )
    if let name = parsed.value("follow") { follow = name.isEmpty ? .connected : .named(name) }
    isDiscoverable = !parsed.has("no-discovery")
  }
}
