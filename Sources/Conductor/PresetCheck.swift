import MetronomeModel
import MusicalTime

/// Checks the values of a preset, whoever made it: files are checked when they are read, with
/// their lines, others come here first.
///
/// - Thread: control
enum PresetCheck {
  static func check(_ preset: Preset) throws(Refusal) {
    if let count = preset.subdivision {
      try Check.range(count, Limits.subdivision, "subdivision")
    }
    if let swing = preset.swing {
      try Check.range(swing.percent, Limits.swingPercent, "swing", "per cent")
    }
    if let bars = preset.countIn { try Check.range(bars, Limits.countInBars, "countin") }
    if let decibels = preset.volumeDecibels { try Check.decibels(decibels, "volume") }
    if let seconds = preset.tapLimitSeconds {
      try Check.range(seconds, Limits.tapLimitSeconds, "tap/limit", "seconds")
    }
    if let milliseconds = preset.audioOffsetMilliseconds {
      try Check.range(
        milliseconds, Limits.audioOffsetMilliseconds, "offset/audio", "milliseconds")
    }
    if let milliseconds = preset.beatOffsetMilliseconds {
      try Check.range(
        milliseconds, Limits.eventOffsetMilliseconds, "offset/beats", "milliseconds")
    }
    if let milliseconds = preset.horizonMilliseconds {
      try Check.range(
        milliseconds, 0...Double(Limits.longestHorizonMilliseconds), "horizon", "milliseconds")
    }
    if case .on(let timer) = preset.timer {
      try Check.range(timer.minutes, Limits.timerMinutes, "timer", "minutes")
    }
    if let rate = preset.analogSync, !Limits.analogSyncPerQuarter.contains(rate) {
      throw Refusal(
        .value, "sync \(rate) is not a pulse rate: allowed are 0 (off), 1, 2, 4, 24 and 48")
    }
    for (target, sound) in preset.sounds {
      if let decibels = sound.decibels {
        try Check.decibels(decibels, "level/\(target.rawValue)")
      }
    }
    if case .on(let ramp) = preset.ramp { try check(ramp) }
    if let problem = preset.midiPorts?.lazy.compactMap(\.problem).first {
      throw Refusal(.value, problem)
    }
  }

  private static func check(_ ramp: Preset.Ramp) throws(Refusal) {
    switch ramp {
    case .trainer(let trainer):
      guard trainer.from.unit == trainer.to.unit, trainer.from != trainer.to,
        trainer.stepThousandths > 0
      else {
        throw Refusal(
          .value,
          "ramp from \(trainer.from) to \(trainer.to) needs two tempos of one unit "
            + "that differ, and a step above 0")
      }
      try RampCheck.check(trainer.share)
    case .glide(let glide, _):
      guard glide.from != glide.to else {
        throw Refusal(
          .value, "ramp/glide goes from \(glide.from) to \(glide.to): the two must differ")
      }
      try RampCheck.check(glide.length)
    }
  }
}

/// The lengths of ramps, wherever they come from.
///
/// - Thread: control
enum RampCheck {
  static func check(_ length: GlideRamp.Length) throws(Refusal) {
    switch length {
    case .seconds(let seconds):
      try Check.range(seconds, Limits.rampSeconds, "ramp/glide length", "seconds")
    case .bars(let bars):
      try Check.range(Int(bars), Limits.bars, "ramp/glide bars")
    }
  }

  static func check(_ share: SpeedTrainer.Share) throws(Refusal) {
    switch share {
    case .totalMilliseconds(let total):
      try Check.range(Double(total) / 1000, Limits.rampSeconds, "ramp length", "seconds")
    case .millisecondsPerLevel(let level):
      try Check.range(
        Double(level) / 1000, Limits.rampSeconds, "ramp/every length of a level", "seconds")
    case .barsPerLevel(let bars):
      try Check.range(Int(bars), Limits.bars, "ramp/bars bars of a level")
    }
  }
}
