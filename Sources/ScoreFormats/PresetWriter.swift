import MetronomeModel
import MusicalTime

/// A preset as a JSON value: every key that is set, in the order of the documentation.
enum PresetWriter {
  static func value(_ preset: Preset) -> JSONValue {
    .members([
      ("title", preset.title.map { .string($0) }),
      ("tempo", preset.tempo.map(tempo)),
      ("meter", preset.meter.map { .string($0.description) }),
      ("pattern", preset.pattern.map { .string($0.description) }),
      ("subdivision", subdivision(preset)),
      ("swing", preset.swing.map(swing)),
      ("layer", preset.layer.map { .integer($0) }),
      ("volume", preset.volumeDecibels.map(decibels)),
      ("sounds", sounds(preset)),
      ("beatSounds", preset.beatSounds.map { .list($0.map { $0.map { .string($0) } ?? .null }) }),
      ("analogSync", preset.analogSync.map { .integer($0) }),
      ("mute", mute(preset)),
      ("barMuting", preset.barMuting.map(barMuting)),
      ("trainer", trainer(preset.ramp)),
      ("trainerEnd", preset.trainerEnd.map { .string("\($0)") }),
      ("glide", glide(preset.ramp)),
      ("countIn", countIn(preset)),
      ("timer", preset.timer.map(timer)),
      ("tap", tap(preset)),
      ("offsets", offsets(preset)),
      ("horizon", preset.horizonMilliseconds.map { .number($0) }),
      ("setlist", preset.setlist.map(name)),
      ("map", preset.map.map(name)),
      ("follow", preset.follow.map { .string("\($0)") }),
      ("link", preset.linkMode.map { .string($0.rawValue) }),
      ("linkSync", preset.sharesLinkPlaying.map { .bool($0) }),
      ("linkQuantum", preset.linkQuantum.map(linkQuantum)),
      ("midi", preset.midiPorts.map { .list($0.map(port)) }),
      ("mappings", preset.mappings.map { .list($0.map(mapping)) }),
      ("feedback", preset.feedback.map { .list($0.map(feedback)) }),
      ("beats", preset.beatTargets.map { .list($0.map(beatTarget)) }),
    ])
  }

  /// nil where no member is set.
  static func some(_ members: [(String, JSONValue?)]) -> JSONValue? {
    members.contains { $0.1 != nil } ? .members(members) : nil
  }

  static func thousandths(_ value: Int64) -> JSONValue {
    .number(JSONNumber(text: ThousandthsText.text(value)))
  }

  static func hundredths(_ value: Int32) -> JSONValue { thousandths(Int64(value) * 10) }

  static func tempo(_ tempo: Tempo) -> JSONValue {
    let value = thousandths(Int64(tempo.thousandths))
    if let length = microseconds(tempo) {
      return .members([("value", value), ("microseconds", length)])
    }
    if tempo.unit == .quarter { return value }
    return .members([("value", value), ("unit", .string(tempo.unit.description))])
  }

  /// The exact length of a quarter where the tempo was given as one.
  static func microseconds(_ tempo: Tempo) -> JSONValue? {
    tempo.length.map { .number($0.microseconds) }
  }

  static func decibels(_ value: Double) -> JSONValue {
    value.isFinite ? .number(value) : .string("silent")
  }

  private static func linkQuantum(_ quantum: LinkQuantum) -> JSONValue {
    switch quantum {
    case .bar: .string("bar")
    case .quarters(let number): .number(number)
    }
  }

  private static func name(_ setting: Preset.Setting<String>) -> JSONValue {
    switch setting {
    case .off: .null
    case .on(let name): .string(name)
    }
  }

  private static func subdivision(_ preset: Preset) -> JSONValue? {
    guard let level = preset.subdivisionLevel else {
      return preset.subdivision.map { .integer($0) }
    }
    return .members([
      ("count", preset.subdivision.map { .integer($0) }), ("level", .string(level.name)),
    ])
  }

  private static func swing(_ swing: Swing) -> JSONValue {
    switch swing {
    case .percentHundredths(let value): hundredths(value)
    case .triplet: .string("triplet")
    }
  }

  private static func sounds(_ preset: Preset) -> JSONValue? {
    some(
      ControlCommand.SoundTarget.allCases.map { target in
        let value = preset.sounds[target].map { sound -> JSONValue in
          .members([
            ("name", sound.name.map { .string($0) }),
            ("gain", sound.decibels.map(decibels)),
            ("pitch", sound.semitones.map { .number($0) }),
            ("channels", sound.channels.map { .list($0.map { .integer($0) }) }),
            ("keepSilence", sound.keepsLeadingSilence.map { .bool($0) }),
          ])
        }
        return (target.rawValue, value)
      })
  }

  private static func mute(_ preset: Preset) -> JSONValue? {
    let levels = preset.mutedLevels.map { muted in
      JSONValue.list(
        Accent.allCases.reversed().filter(muted.contains).map { .string($0.name) })
    }
    let solo: JSONValue? =
      switch preset.soloLevel {
      case nil: nil
      case .off: .null
      case .on(let level): .string(level.name)
      }
    return some([
      ("all", preset.isMuted.map { .bool($0) }), ("levels", levels), ("solo", solo),
    ])
  }

  private static func barMuting(_ muting: BarMuting) -> JSONValue {
    switch muting {
    case .off: .string("off")
    case .cycle(let play, let mute):
      .members([("play", .integer(Int(play))), ("mute", .integer(Int(mute)))])
    case .random(let percent, let seed):
      .members([
        ("random", hundredths(percent)), ("seed", .number(JSONNumber(text: "\(seed)"))),
      ])
    case .growing(let play, let maximum):
      .members([("play", .integer(Int(play))), ("growing", .integer(Int(maximum)))])
    }
  }

  private static func trainer(_ ramp: Preset.Setting<Preset.Ramp>?) -> JSONValue? {
    switch ramp {
    case .off: return .string("off")
    case .on(.trainer(let trainer)):
      let share: (String, JSONValue) =
        switch trainer.share {
        case .totalMilliseconds(let value) where value % 60_000 == 0:
          ("minutes", thousandths(value / 60))
        case .totalMilliseconds(let value): ("seconds", thousandths(value))
        case .millisecondsPerLevel(let value): ("secondsPerStep", thousandths(value))
        case .barsPerLevel(let value): ("barsPerStep", .integer(Int(value)))
        }
      return .members(
        ends(trainer.from, trainer.to) + [
          ("step", thousandths(Int64(trainer.stepThousandths))), share,
          ("end", .string("\(trainer.end)")),
        ])
    default: return nil
    }
  }

  private static func glide(_ ramp: Preset.Setting<Preset.Ramp>?) -> JSONValue? {
    guard case .on(.glide(let glide, let when))? = ramp else { return nil }
    let length: (String, JSONValue) =
      switch glide.length {
      case .seconds(let seconds): ("seconds", .number(seconds))
      case .bars(let bars): ("bars", .integer(Int(bars)))
      }
    return .members(ends(glide.from, glide.to) + [length, ("when", .string(when.name))])
  }

  private static func ends(_ from: Tempo, _ to: Tempo) -> [(String, JSONValue?)] {
    [
      ("from", thousandths(Int64(from.thousandths))), ("to", thousandths(Int64(to.thousandths))),
      ("unit", from.unit == .quarter ? nil : .string(from.unit.description)),
    ]
  }

  private static func countIn(_ preset: Preset) -> JSONValue? {
    guard let muted = preset.isCountInMuted else { return preset.countIn.map { .integer($0) } }
    return .members([("bars", preset.countIn.map { .integer($0) }), ("mute", .bool(muted))])
  }

  private static func timer(_ setting: Preset.Setting<Preset.Timer>) -> JSONValue {
    switch setting {
    case .off: .string("off")
    case .on(let timer):
      .members([("minutes", .number(timer.minutes)), ("stop", .bool(timer.stops))])
    }
  }

  private static func tap(_ preset: Preset) -> JSONValue? {
    some([
      ("phase", preset.movesPhaseByTaps.map { .bool($0) }),
      ("limit", preset.tapLimitSeconds.map { .number($0) }),
      ("unit", preset.tapUnit.map { .string("\($0)") }),
    ])
  }

  private static func offsets(_ preset: Preset) -> JSONValue? {
    some([
      ("audio", preset.audioOffsetMilliseconds.map { .number($0) }),
      ("beats", preset.beatOffsetMilliseconds.map { .number($0) }),
    ])
  }
}
