import MetronomeModel

/// The keys of a preset, object by object, with what stands there: the reader knows no others and
/// the documentation is made from them.
enum PresetKeys {
  struct Key {
    var name: String
    var value: String
    var meaning: String

    init(_ name: String, _ value: String, _ meaning: String) {
      self.name = name
      self.value = value
      self.meaning = meaning
    }
  }

  private static func range(_ range: ClosedRange<Double>, _ unit: String) -> String {
    JSONObjectReader.text(range, unit: unit)
  }

  private static func range(_ range: ClosedRange<Int>) -> String {
    "\(range.lowerBound) to \(range.upperBound)"
  }

  static let root: [Key] = [
    Key("title", "text", "for people"),
    Key("tempo", "number or { }", "quarters a minute, \(range(Limits.quarterTempo, ""))"),
    Key("meter", "text", "\"4/4\", \"2+2+3/8\", \"6/8.\""),
    Key("pattern", "text", "a letter a beat: X strong, x normal, - soft, . silent; needs meter"),
    Key("subdivision", "number or { }", "clicks a beat, \(range(Limits.subdivision))"),
    Key(
      "swing", "number or \"triplet\"",
      "share of a pair's first click, \(range(Limits.swingPercent, "%"))"),
    Key("layer", "number", "clicks a bar of a second layer, \(range(Limits.layer)); 0 is none"),
    Key("volume", "number or \"silent\"", range(Limits.gainDecibels, "dB of full scale")),
    Key("sounds", "{ }", "the sound of each kind of click"),
    Key("beatSounds", "list", "a sound for each beat of the bar, null where the level's stays"),
    Key(
      "analogSync", "number",
      "pulses a quarter of the sync sound, "
        + Limits.analogSyncPerQuarter.map { "\($0)" }.joined(separator: ", ")),
    Key("mute", "{ }", "what is not heard"),
    Key("barMuting", "{ } or \"off\"", "bars that are silent while time goes on"),
    Key("trainer", "{ } or \"off\"", "a tempo that climbs or falls in steps; instead of glide"),
    Key("trainerEnd", "word", "how later trainers end: hold, stop, loop or return"),
    Key("glide", "{ }", "a tempo that changes continuously; instead of trainer"),
    Key("countIn", "number or { }", "bars before bar 1, \(range(Limits.countInBars))"),
    Key(
      "timer", "number, { } or \"off\"",
      "minutes of playing, \(range(Limits.timerMinutes, "min"))"),
    Key("tap", "{ }", "how taps are taken"),
    Key("offsets", "{ }", "milliseconds by which outputs are moved"),
    Key("horizon", "number", "milliseconds by which beats are made known ahead, 100 to 2000"),
    Key("setlist", "text or null", "name of a setlist; null ends the one in force"),
    Key("map", "text or null", "name of a tempo map; null ends the one in force"),
    Key("follow", "text", "whose MIDI clock is followed: off, on, or Client:Port"),
    Key("link", "word", "part in an Ableton Link session: off, follow, peer or lead"),
    Key("linkSync", "true or false", "whether start and stop are shared with the session"),
    Key(
      "linkQuantum", "number or \"bar\"",
      "quarters after which the session's phase begins anew, \(range(Limits.linkQuarters, ""))"),
    Key("midi", "list of { }", "MIDI clock ports"),
    Key("mappings", "list of { }", "what MIDI messages and keys do"),
    Key("feedback", "list of { }", "OSC targets that are told about changes"),
    Key("beats", "list of { }", "OSC targets that pulse on the beat"),
  ]

  static let tempo: [Key] = [
    Key("value", "number", "units a minute"),
    Key("microseconds", "number", "or: the exact length of a quarter, then value is what is shown"),
    Key("unit", "text", "the note value counted, \"1/4\", \"1/8\", \"1/4.\""),
  ]
  static let subdivision: [Key] = [
    Key("count", "number", "clicks a beat, \(range(Limits.subdivision))"),
    Key("level", "word", "strong, normal, soft or silent"),
  ]
  static let sounds: [Key] = ControlCommand.SoundTarget.allCases.map {
    Key($0.rawValue, "{ }", "its sound")
  }
  static let sound: [Key] = [
    Key("name", "text", "wood, beep, bell, noise, or a file of the sound folder"),
    Key("gain", "number or \"silent\"", range(Limits.gainDecibels, "dB")),
    Key("pitch", "number", range(Limits.semitones, "semitones")),
    Key("channels", "list of numbers", "output channels, \(range(Limits.outputChannels))"),
    Key("keepSilence", "true or false", "keep silence at the head of a file"),
  ]
  static let mute: [Key] = [
    Key("all", "true or false", "all clicks"),
    Key("levels", "list of words", "levels: strong, normal, soft"),
    Key("solo", "word or null", "the one level that is heard; null for all"),
  ]
  static let barMuting: [Key] = [
    Key("play", "number", "bars heard, \(range(Limits.bars))"),
    Key("mute", "number", "then bars silent, \(range(Limits.bars))"),
    Key("growing", "number", "or: silent bars grow from 1 to this, \(range(Limits.bars))"),
    Key("random", "number", "or: share of bars silent, \(range(Limits.mutePercent, "%"))"),
    Key("seed", "number", "of random; the same seed, the same bars"),
  ]
  static let trainer: [Key] = [
    Key("from", "number", "first tempo"),
    Key("to", "number", "last tempo"),
    Key(
      "step", "number",
      "units a minute, \(JSONNumber(Limits.trainerStep).text) where it is left out"),
    Key("unit", "text", "the note value counted, \"1/4\" where it is left out"),
    Key("minutes", "number", "length of the whole"),
    Key("seconds", "number", "or: length of the whole, \(range(Limits.rampSeconds, "s"))"),
    Key("secondsPerStep", "number", "or: length of a level"),
    Key("barsPerStep", "number", "or: bars of a level, \(range(Limits.bars))"),
    Key("end", "word", "hold, stop, loop or return"),
  ]
  static let glide: [Key] = [
    Key("from", "number", "first tempo"),
    Key("to", "number", "last tempo"),
    Key("unit", "text", "the note value counted"),
    Key("seconds", "number", "linear in time, \(range(Limits.rampSeconds, "s"))"),
    Key("bars", "number", "or: linear in score position, \(range(Limits.bars))"),
    Key("when", "word", "beat, bar or now: where it begins"),
  ]
  static let countIn: [Key] = [
    Key("bars", "number", range(Limits.countInBars)),
    Key("mute", "true or false", "whether it is silent"),
  ]
  static let timer: [Key] = [
    Key("minutes", "number", range(Limits.timerMinutes, "min")),
    Key("stop", "true or false", "whether playing stops at its end"),
  ]
  static let tap: [Key] = [
    Key("phase", "true or false", "whether the beat moves to the tap"),
    Key("limit", "number", "a longer gap begins anew, \(range(Limits.tapLimitSeconds, "s"))"),
    Key("unit", "text", "what one tap is: beat, or a note value such as 1/4"),
  ]
  static let offsets: [Key] = [
    Key("audio", "number", range(Limits.audioOffsetMilliseconds, "ms")),
    Key("beats", "number", range(Limits.eventOffsetMilliseconds, "ms")),
  ]

  static func names(_ keys: [Key]) -> [String] { keys.map(\.name) }
}
