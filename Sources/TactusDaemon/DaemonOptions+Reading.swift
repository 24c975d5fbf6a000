public import CommandLineOptions
internal import ALSAAudio
internal import BeatOutputs
internal import MetronomeModel
internal import MusicalTime
internal import OSCProtocol
internal import OSCWire
internal import TakeRecorder

extension DaemonOptions {
  /// Reads a command line.
  ///
  /// - Throws: the first thing that is wrong, with the allowed range and the way out.
  public init(_ parsed: ParsedOptions) throws(OptionError) {
    self.init()
    try readMusic(parsed)
    try readSound(parsed)
    try readMIDI(parsed)
    try readOSC(parsed)
    try readLink(parsed)
    folder = parsed.value("folder")
    shippedPresets = parsed.value("shipped-presets")
    if let text = parsed.value("state-folder") {
      keepsState = text != "off"
      if keepsState {
        guard text.hasPrefix("/") else {
          throw .value("--state-folder", given: text, allowed: "an absolute path, or off")
        }
        stateFolder = text
      }
    }
    isFresh = parsed.has("fresh")
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
    if let word = try parsed.choice("keep-awake", among: KeepAwake.allCases.map(\.rawValue)),
      let choice = KeepAwake(rawValue: word)
    {
      keepAwake = choice
    }
    output.channelCount = try parsed.integer("channels", in: 2...64) ?? output.channelCount
    output.periodFrames = try parsed.integer("period", in: 16...8192, unit: "frames")
    output.bufferMilliseconds = try parsed.number("buffer", in: 2...500, unit: "ms")
    if let device = parsed.value("capture") {
      guard !device.isEmpty, device.utf8.count <= 200 else {
        throw .value("--capture", given: device, allowed: "an ALSA name of 1 to 200 bytes")
      }
      capture.device = device
    }
    capture.channelCount =
      try parsed.integer("capture-channels", in: CaptureRequest.channelRange)
      ?? capture.channelCount
    switch try parsed.choice("take-format", among: ["24", "float"]) {
    case "float"?: takeSample = .float32
    default: takeSample = .pcm24
    }
  }

  private mutating func readLink(_ parsed: ParsedOptions) throws(OptionError) {
    if let text = parsed.value("link") {
      guard let mode = LinkMode(rawValue: text) else {
        throw .value("--link", given: text, allowed: "off, follow, peer or lead")
      }
      linkMode = mode
      namesLinkMode = true
    }
    sharesLinkPlaying = parsed.has("link-sync")
    if let text = parsed.value("link-quantum") {
      guard let quantum = LinkQuantum(text: text) else {
        throw .value(
          "--link-quantum", given: text,
          allowed: "bar, or \(RangeText.of(Limits.linkQuarters)) quarters")
      }
      linkQuantum = quantum
    }
    if linkMode == .follow || linkMode == .peer, follow != .off {
      throw .text(
        "--link \(linkMode.rawValue) and --follow both give the tempo: leave one out, or use "
          + "--link lead, which passes the followed tempo on")
    }
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
