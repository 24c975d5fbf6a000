import MetronomeModel
import MusicalTime

/// Mutes, ramps, count-in, timer, taps.
extension PresetReader {
  mutating func readPractice(_ object: JSONObjectReader) throws(FormatError) {
    try readMutes(object)
    preset.barMuting = try PresetReader.barMuting(object)
    preset.ramp = try PresetReader.ramp(object)
    if case .object? = object.node("countIn")?.value {
      let inner = try object.object("countIn", keys: PresetKeys.names(PresetKeys.countIn))
      preset.countIn = try inner?.integer("bars", Limits.countInBars, unit: "bars")
      preset.isCountInMuted = try inner?.bool("mute")
    } else {
      preset.countIn = try object.integer("countIn", Limits.countInBars, unit: "bars")
    }
    preset.timer = try PresetReader.timer(object)
    if let tap = try object.object("tap", keys: PresetKeys.names(PresetKeys.tap)) {
      preset.movesPhaseByTaps = try tap.bool("phase")
      if let text = try tap.string("unit") {
        guard let unit = TapUnit(text: text) else {
          throw tap.error("unit", "'\(text)': allowed are beat and a note value such as 1/4")
        }
        preset.tapUnit = unit
      }
      preset.tapLimitSeconds = try tap.number("limit", Limits.tapLimitSeconds, unit: "s")
    }
    preset.setlist = try PresetReader.nameOrOff("setlist", object)
    preset.map = try PresetReader.nameOrOff("map", object)
  }

  private static func nameOrOff(
    _ key: String, _ object: JSONObjectReader
  ) throws(FormatError) -> Preset.Setting<String>? {
    if object.isNull(key) { return .off }
    return try object.name(key).map { .on($0) }
  }

  private mutating func readMutes(_ object: JSONObjectReader) throws(FormatError) {
    guard let mute = try object.object("mute", keys: PresetKeys.names(PresetKeys.mute)) else {
      return
    }
    preset.isMuted = try mute.bool("all")
    if let nodes = try mute.list("levels", atMost: Accent.allCases.count) {
      var levels: Set<Accent> = []
      for name in try PresetReader.texts(nodes, "levels", in: mute, nullable: false) {
        guard let level = Accent.allCases.first(where: { $0.name == name }), level != .silent else {
          throw mute.error("levels", "'\(name ?? "")': allowed are strong, normal and soft")
        }
        levels.insert(level)
      }
      preset.mutedLevels = levels
    }
    if mute.isNull("solo") {
      preset.soloLevel = .off
    } else {
      preset.soloLevel = try mute.accent("solo").map { .on($0) }
    }
  }

  private static func barMuting(_ object: JSONObjectReader) throws(FormatError) -> BarMuting? {
    if case .string? = object.node("barMuting")?.value {
      return try object.word("barMuting", [("off", BarMuting.off)])
    }
    guard
      let inner = try object.object("barMuting", keys: PresetKeys.names(PresetKeys.barMuting))
    else { return nil }
    if let percent = try inner.number("random", Limits.mutePercent, unit: "%") {
      guard !inner.has("play"), !inner.has("mute"), !inner.has("growing") else {
        throw inner.error("random", "stands beside play, mute or growing: keep one kind")
      }
      return .random(
        percentHundredths: Int32((percent * 100).rounded()), seed: try seed(inner) ?? 1)
    }
    guard !inner.has("seed") else {
      throw inner.error("seed", "belongs to random, which is not there")
    }
    let play = Int32(try inner.required("play", try inner.integer("play", Limits.bars)))
    if let growing = try inner.integer("growing", Limits.bars) {
      guard !inner.has("mute") else {
        throw inner.error("growing", "stands beside mute: keep one of them")
      }
      return .growing(play: play, maximum: Int32(growing))
    }
    let mute = try inner.required("mute", try inner.integer("mute", Limits.bars))
    return .cycle(play: play, mute: Int32(mute))
  }

  /// All 64 bits of a seed: more than a Double could hold.
  private static func seed(_ object: JSONObjectReader) throws(FormatError) -> UInt64? {
    guard let node = object.node("seed") else { return nil }
    guard case .number(let number) = node.value, let seed = UInt64(number.text) else {
      throw object.error("seed", "\(node.value.shown): allowed are whole numbers 0 to 2^64 - 1")
    }
    return seed
  }

  // MARK: Ramps

  private static func ramp(
    _ object: JSONObjectReader
  ) throws(FormatError) -> Preset.Setting<Preset.Ramp>? {
    if case .string? = object.node("trainer")?.value {
      if try object.word("trainer", [("off", true)]) == true, !object.has("glide") { return .off }
      throw object.error("glide", "stands beside trainer: keep one of them")
    }
    if object.has("trainer"), object.has("glide") {
      throw object.error("glide", "stands beside trainer: keep one of them")
    }
    if let inner = try object.object("trainer", keys: PresetKeys.names(PresetKeys.trainer)) {
      return .on(.trainer(try trainer(inner)))
    }
    if let inner = try object.object("glide", keys: PresetKeys.names(PresetKeys.glide)) {
      return .on(try glide(inner))
    }
    return nil
  }

  private static func ends(
    _ object: JSONObjectReader
  ) throws(FormatError) -> (from: Tempo, to: Tempo) {
    let unit = try unit(object)
    let from = try object.required("from", try tempo("from", unit: unit, in: object))
    let to = try object.required("to", try tempo("to", unit: unit, in: object))
    guard from != to else {
      throw object.error("to", "is the same as from: a ramp needs two different tempos")
    }
    return (from, to)
  }

  private static func trainer(_ object: JSONObjectReader) throws(FormatError) -> SpeedTrainer {
    let ends = try ends(object)
    let widest = Limits.quarterTempo.upperBound * 8
    let step = try object.number("step", 0...widest) ?? Limits.trainerStep
    let stepThousandths = Int32((step * 1000).rounded())
    guard stepThousandths > 0 else {
      throw object.error("step", "0: a step is above 0 (0.001 at the least)")
    }
    let forms = ["minutes", "seconds", "secondsPerStep", "barsPerStep"].filter(object.has)
    guard forms.count == 1 else {
      throw object.error(
        forms.last ?? "minutes",
        "a trainer has one of minutes, seconds, secondsPerStep and barsPerStep, this one "
          + "\(forms.count)")
    }
    let seconds = Limits.rampSeconds
    let share: SpeedTrainer.Share
    if let bars = try object.integer("barsPerStep", Limits.bars, unit: "bars") {
      share = .barsPerLevel(Int32(bars))
    } else if let each = try object.number("secondsPerStep", seconds, unit: "s") {
      share = .millisecondsPerLevel(Int64((each * 1000).rounded()))
    } else if let total = try object.number("seconds", seconds, unit: "s") {
      share = .totalMilliseconds(Int64((total * 1000).rounded()))
    } else {
      let minutes = try object.number("minutes", Limits.timerMinutes, unit: "min") ?? 1
      share = .totalMilliseconds(Int64((minutes * 60_000).rounded()))
    }
    let end = try object.word("end", SpeedTrainer.End.allCases.map { ("\($0)", $0) }) ?? .hold
    return SpeedTrainer(
      unchecked: ends.from, to: ends.to, stepThousandths: stepThousandths, share: share, end: end)
  }

  private static func glide(_ object: JSONObjectReader) throws(FormatError) -> Preset.Ramp {
    let ends = try ends(object)
    guard object.has("seconds") != object.has("bars") else {
      throw object.error("seconds", "a glide has either seconds or bars")
    }
    let when = try object.word("when", ChangeBoundary.allCases.map { ($0.name, $0) }) ?? .beat
    let length: GlideRamp.Length
    if let bars = try object.integer("bars", Limits.bars, unit: "bars") {
      length = .bars(Int32(bars))
    } else {
      length = .seconds(try object.number("seconds", Limits.rampSeconds, unit: "s") ?? 1)
    }
    return .glide(GlideRamp(unchecked: ends.from, to: ends.to, length: length), when: when)
  }

  private static func timer(
    _ object: JSONObjectReader
  ) throws(FormatError) -> Preset.Setting<Preset.Timer>? {
    switch object.node("timer")?.value {
    case nil: return nil
    case .string: return try object.word("timer", [("off", .off)])
    case .object:
      guard let inner = try object.object("timer", keys: PresetKeys.names(PresetKeys.timer)) else {
        return nil
      }
      let minutes = try inner.required(
        "minutes", try inner.number("minutes", Limits.timerMinutes, unit: "min"))
      return .on(Preset.Timer(minutes: minutes, stops: try inner.bool("stop") ?? true))
    default:
      let minutes = try object.number("timer", Limits.timerMinutes, unit: "min")
      return minutes.map { .on(Preset.Timer(minutes: $0)) }
    }
  }
}
