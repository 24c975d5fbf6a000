import CommandLineOptions
import MetronomeModel
import MusicalTime
import OfflineRender
import SoundFiles

/// The plan and outputs that a command line of `tactus render` asks for.
struct RenderArguments {
  var plan: RenderPlan
  var outputs = RenderOutputs()
  /// What had to be changed to read the song.
  private(set) var notes: [String] = []
  private let parsed: ParsedOptions

  init(_ parsed: ParsedOptions, console: Console) throws(OptionError) {
    self.parsed = parsed
    plan = RenderPlan(length: .untilStopped)
    let folders = ProgramFolders.here(
      user: parsed.value("folder"), shipped: parsed.value("shipped-presets"))
    plan.soundFolder = SoundFolder(paths: [folders.sounds])
    var library = RenderLibrary(folders)
    try readLibrary(&library)
    plan.library = library
    try readSound()
    let score = try ScoreArguments(parsed.arguments, unit: parsed.value("unit"))
    try readOutputs(console)
    try readMusic(score)
    try readPractice()
    try readScript(console)
    try readLength(bars: score.bars)
  }

  private mutating func request(_ command: ControlCommand, _ source: String) {
    plan.preparation.append((command, source))
  }

  // MARK: music

  private mutating func readLibrary(_ library: inout RenderLibrary) throws(OptionError) {
    // The preset comes first, so that everything else goes over it.
    if let text = parsed.value("preset") {
      request(.preset(try library.take(preset: text)), "--preset")
    }
    if let text = parsed.value("map") {
      plan.sectionNames = try library.take(map: text)
      notes += library.notes
      request(.loadMap(name: text), "--map")
    }
  }

  private mutating func readMusic(_ score: ScoreArguments) throws(OptionError) {
    let pattern = parsed.value("pattern") ?? score.pattern
    switch (score.meter, pattern) {
    case (let meter?, let pattern?): request(.meterAndPattern(meter, pattern), "--pattern")
    case (let meter?, nil): request(.meter(meter), "METER")
    case (nil, let pattern?): request(.pattern(pattern), "--pattern")
    case (nil, nil): break
    }
    if let tempo = score.tempo {
      request(.tempo(tempo.value, unit: tempo.unit, when: .beat), "TEMPO")
    }
    if let trainer = score.trainer { request(trainer, "TEMPO") }
    if let count = try parsed.integer("subdivision", in: Limits.subdivision) {
      request(.subdivision(count), "--subdivision")
    }
    if let name = try parsed.choice(
      "subdivision-level", among: ["strong", "normal", "soft", "silent"])
    {
      let level = Accent.allCases.first { $0.name == name } ?? .soft
      request(.subdivisionLevel(level), "--subdivision-level")
    }
    if parsed.value("swing") == "triplet" {
      request(.swing(.triplet), "--swing")
    } else if let percent = try parsed.number("swing", in: Limits.swingPercent, unit: "%") {
      guard let swing = Swing(percent: percent) else {
        throw .text("--swing \(parsed.value("swing") ?? ""): \(Swing.decimals)")
      }
      request(.swing(swing), "--swing")
    }
    if let count = try parsed.integer("layer", in: Limits.layer, unit: "clicks a bar") {
      request(.layer(count), "--layer")
    }
  }

  private mutating func readPractice() throws(OptionError) {
    if let end = try parsed.choice("trainer-end", among: ["hold", "stop", "loop", "return"]) {
      let ends: [String: SpeedTrainer.End] = [
        "hold": .hold, "stop": .stop, "loop": .loop, "return": .return,
      ]
      request(.trainerEnd(ends[end] ?? .hold), "--trainer-end")
    }
    let ramps = ["trainer", "ramp", "glide"].filter { parsed.has($0) }
    if ramps.count > 1 {
      throw .text("--\(ramps[0]) and --\(ramps[1]) exclude each other: give one ramp")
    }
    for name in ["trainer", "ramp"] {
      if let text = parsed.value(name) {
        request(try RampText.trainer(text, option: "--\(name)"), "--\(name)")
      }
    }
    if let text = parsed.value("glide") {
      request(try RampText.glide(text, option: "--glide"), "--glide")
    }
    try readMuting()
    if let bars = try parsed.integer("count-in", in: Limits.countInBars, unit: "bars") {
      request(.countIn(bars: bars), "--count-in")
    }
    if let minutes = try parsed.number("timer", in: Limits.timerMinutes, unit: "minutes") {
      request(.timer(minutes: minutes), "--timer")
    }
  }

  private mutating func readMuting() throws(OptionError) {
    let names = ["mute-bars", "mute-random", "mute-growing"].filter { parsed.has($0) }
    if names.count > 1 {
      throw .text("--\(names[0]) and --\(names[1]) exclude each other: give one kind of muting")
    }
    if let text = parsed.value("mute-bars") {
      let (play, mute) = try pair(text, "--mute-bars", "PLAY/MUTE, each 1 to 9999 bars, as in 3/1")
      request(.muteBars(.cycle(play: play, mute: mute)), "--mute-bars")
    }
    if let text = parsed.value("mute-growing") {
      let (play, maximum) = try pair(
        text, "--mute-growing", "PLAY/MAXIMUM, each 1 to 9999 bars, as in 4/4")
      request(.muteBars(.growing(play: play, maximum: maximum)), "--mute-growing")
    }
    if let text = parsed.value("mute-random") {
      let sides = text.split(separator: ":", omittingEmptySubsequences: false)
      let seed = sides.count == 2 ? UInt64(sides[1]) : 1
      guard (1...2).contains(sides.count), let percent = DecimalText.number(sides[0]),
        Limits.mutePercent.contains(percent), let seed
      else {
        throw .value(
          "--mute-random", given: text, allowed: "PERCENT[:SEED], 0 to 100 %, as in 30:7")
      }
      request(
        .muteBars(.random(percentHundredths: Int32((percent * 100).rounded()), seed: seed)),
        "--mute-random")
    }
  }

  private func pair(
    _ text: String, _ option: String, _ allowed: String
  ) throws(OptionError) -> (Int32, Int32) {
    let sides = text.split(separator: "/", omittingEmptySubsequences: false)
    guard sides.count == 2, let first = Int(sides[0]), let second = Int(sides[1]),
      Limits.bars.contains(first), Limits.bars.contains(second)
    else { throw .value(option, given: text, allowed: allowed) }
    return (Int32(first), Int32(second))
  }

  // MARK: sound

  private mutating func readSound() throws(OptionError) {
    if let text = parsed.value("rate") {
      guard let rate = Int(text), Limits.sampleRates.contains(rate) else {
        throw .value(
          "--rate", given: text,
          allowed: Limits.sampleRates.map(String.init).joined(separator: ", ") + " Hz")
      }
      plan.rate = Int64(rate)
    }
    plan.channelCount = try parsed.integer("channels", in: Limits.outputChannels) ?? 2
    if let decibels = try parsed.number("volume", in: Limits.gainDecibels, unit: "dB") {
      request(.volume(decibels: decibels), "--volume")
    }
    if let name = parsed.value("sound") {
      for target in ControlCommand.SoundTarget.clicks {
        request(.sound(target, name: name), "--sound")
      }
    }
    if let text = parsed.value("sync") {
      let sides = text.split(separator: ":", omittingEmptySubsequences: false)
      let channel = sides.count == 2 ? Int(sides[1]) : nil
      guard (1...2).contains(sides.count), let count = Int(sides[0]),
        Limits.analogSyncPerQuarter.contains(count), sides.count == 1 || channel != nil
      else {
        throw .value(
          "--sync", given: text,
          allowed: "0, 1, 2, 4, 24 or 48 pulses a quarter, with :CHANNEL, as in 24:2")
      }
      request(.analogSync(perQuarter: count, channel: channel), "--sync")
    }
  }

  // MARK: length

  private mutating func readLength(bars argument: Int?) throws(OptionError) {
    let bars = try parsed.integer("bars", in: 1...99_999, unit: "bars") ?? argument
    if let text = parsed.value("duration") {
      if bars != nil { throw .text("--duration and --bars exclude each other: give one length") }
      guard let time = DurationText.nanoseconds(text), time > 0 else {
        throw .value("--duration", given: text, allowed: "\(DurationText.forms), up to 96h")
      }
      plan.length = .frames(DurationText.frames(nanoseconds: time, rate: plan.rate))
    } else if let bars {
      plan.length = .bars(bars)
    } else {
      let stops =
        ["timer", "map", "script", "preset"].contains { parsed.has($0) }
        || parsed.value("trainer-end") == "stop"
      guard stops else {
        throw .text(
          "the length is missing: give --duration TIME (\(DurationText.forms)) or --bars N")
      }
    }
    if let text = parsed.value("tail") {
      guard let time = DurationText.nanoseconds(text), time <= 60_000_000_000 else {
        throw .value("--tail", given: text, allowed: "0 to 60s, as in 500ms or 2s")
      }
      plan.tailFrames = DurationText.frames(nanoseconds: time, rate: plan.rate)
    }
  }

  private mutating func readScript(_ console: Console) throws(OptionError) {
    guard let path = parsed.value("script") else { return }
    plan.script = try RenderScript.read(path, rate: plan.rate, console: console)
  }

  // MARK: outputs

  private mutating func readOutputs(_ console: Console) throws(OptionError) {
    let bits = try parsed.choice("bits", among: ["16", "24", "float"]) ?? "24"
    let encodings: [String: SoundFileFormat.Encoding] = [
      "16": .pcm16, "24": .pcm24, "float": .float32,
    ]
    let encoding = encodings[bits] ?? .pcm24
    var usesStandardOutput: String?
    var options: [String: String] = [:]
    func destination(_ option: String) throws(OptionError) -> RenderDestination? {
      guard let path = parsed.value(option) else { return nil }
      guard !path.isEmpty else {
        throw .value("--\(option)", given: path, allowed: "a file name, or - for standard output")
      }
      guard path == "-" else {
        // A device may be named twice: what goes to /dev/null is lost anyhow.
        if let other = options.updateValue(option, forKey: path), !TextFile.isDevice(path) {
          throw .text("--\(other) and --\(option) both go to '\(path)': name another for one")
        }
        return .path(path)
      }
      if let other = usesStandardOutput {
        throw .text("--\(other) and --\(option) both go to standard output: name a file for one")
      }
      usesStandardOutput = option
      return .descriptor(console.output, name: "standard output")
    }
    if let target = try destination("wav") {
      outputs.sounds.append(.init(target, format: SoundFileFormat(.wav, encoding)))
    }
    if let target = try destination("flac") {
      if encoding == .float32 {
        throw .text("--bits float is not possible in FLAC: use 16 or 24, or --wav")
      }
      // The format's own limit.
      guard plan.channelCount <= 8 else {
        throw .text(
          "--channels \(plan.channelCount) is not possible in FLAC: give 1 to 8, or --wav")
      }
      outputs.sounds.append(.init(target, format: SoundFileFormat(.flac, encoding)))
    }
    if let folder = parsed.value("stems") {
      let isFLAC = parsed.has("flac") && !parsed.has("wav")
      outputs.stems = .init(
        folder: folder, format: SoundFileFormat(isFLAC ? .flac : .wav, encoding))
    }
    outputs.midi = try destination("midi")
    outputs.events = try destination("events")
    outputs.exactMIDI = parsed.has("exact")
    if outputs.exactMIDI, outputs.midi == nil {
      throw .text("--exact is about the MIDI file: give --midi FILE too")
    }
    if outputs.isEmpty {
      throw .text("there is nothing to write: give --wav, --flac, --midi, --events or --stems")
    }
  }

  /// Whether standard output carries a file, so that nothing else may go there.
  var fillsStandardOutput: Bool {
    let destinations =
      outputs.sounds.map(\.destination)
      + [outputs.midi, outputs.events]
      .compactMap { $0 }
    return destinations.contains { if case .descriptor = $0 { true } else { false } }
  }
}
