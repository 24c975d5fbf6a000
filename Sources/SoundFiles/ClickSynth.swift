public import RealtimeEngine

/// The sounds that need no file.
///
/// - Thread: any
public enum BuiltInSound: String, Sendable, CaseIterable {
  case wood, beep, bell, noise
}

/// Makes the built-in sounds: band-limited, the same bytes on every machine, the first sample
/// heard on its own frame, the crest within a millisecond of it, the last sample zero.
///
/// All are equally loud: a change of sound is no change of level. See `ClickLoudness`.
///
/// - Unit: mono Float32, full scale 1.0
/// - Thread: any; allocates, so never audio.
public enum ClickSynth {
  /// The samples of a sound in the variant of a slot.
  ///
  /// - Parameters:
  ///   - rate: frames a second.
  ///   - semitones: raises or lowers every partial; what would pass half the rate is left out.
  public static func samples(
    _ sound: BuiltInSound, for slot: SoundSlot, rate: Int, semitones: Double = 0
  ) -> [Float] {
    guard slot != .sync else { return syncPulse(rate: rate) }
    return recipe(sound, for: slot).samples(rate: rate, semitones: semitones)
  }

  /// A pulse for gear with an analog sync input: full scale at once, held for 5 ms.
  ///
  /// Sync inputs look for the edge, so this one sound is not band-limited.
  public static func syncPulse(rate: Int) -> [Float] {
    let held = max(1, rate / 200)
    return [Float](repeating: 1, count: held) + [0]
  }

  /// How far a variant lies from the normal click of its family.
  private struct Variant {
    var pitch: Double
    /// Share of the length; what divides the beat rings shorter.
    var length: Double = 1
  }

  private static func variant(_ slot: SoundSlot) -> Variant {
    switch slot {
    // Intervals from the normal click: a fifth up for one, a third and a sixth for the count-in.
    case .strong: Variant(pitch: 3.0 / 2)
    case .normal, .sync, .timerEnd: Variant(pitch: 1)
    case .soft: Variant(pitch: 1, length: 0.8)
    case .subdivision: Variant(pitch: 9.0 / 8, length: 0.5)
    case .layer: Variant(pitch: 4.0 / 3)
    case .countIn: Variant(pitch: 5.0 / 4, length: 0.6)
    case .countInAccent: Variant(pitch: 15.0 / 8, length: 0.6)
    }
  }

  private static func recipe(_ sound: BuiltInSound, for slot: SoundSlot) -> ClickRecipe {
    if slot == .timerEnd { return timerEnd }
    let variant = variant(slot)
    let partials: [ClickRecipe.Partial]
    let seconds: Double
    switch sound {
    case .wood:
      // A hollow block: a short ground tone and stretched overtones that are gone at once.
      partials = [
        .init(hertz: 1_100, amplitude: 1, decay: 0.021),
        .init(hertz: 2_290, amplitude: 0.55, decay: 0.012),
        .init(hertz: 3_730, amplitude: 0.3, decay: 0.007_5),
        .init(hertz: 5_600, amplitude: 0.15, decay: 0.004_5),
      ]
      seconds = 0.12
    case .beep:
      // C6 and its fifth above for one; a trace of the third harmonic for small speakers.
      partials = [
        .init(hertz: 1_046.5, amplitude: 1, decay: 0.05),
        .init(hertz: 3_139.5, amplitude: 0.12, decay: 0.03),
      ]
      seconds = 0.07
    case .bell:
      // The stretched partials of a struck bar.
      partials = [
        .init(hertz: 1_174.7, amplitude: 1, decay: 0.16),
        .init(hertz: 2_420, amplitude: 0.55, decay: 0.11),
        .init(hertz: 3_910, amplitude: 0.4, decay: 0.07),
        .init(hertz: 5_780, amplitude: 0.2, decay: 0.04),
      ]
      seconds = 0.5
    case .noise:
      partials = noiseBand
      seconds = 0.1
    }
    let struck = partials.map { partial in
      var raised = partial
      raised.hertz *= variant.pitch
      raised.decay *= variant.length
      return raised
    }
    return ClickRecipe(
      strokes: [.init(partials: struck)], seconds: seconds * variant.length,
      peak: ClickLoudness.peak(of: sound, for: slot))
  }

  /// Three falling strokes: an end that cannot be taken for a beat.
  private static let timerEnd: ClickRecipe = {
    // A6, E6, C6, a quarter of a second apart.
    let tones: [(hertz: Double, amplitude: Double)] = [(1_760, 1), (1_318.5, 0.7), (1_046.5, 0.7)]
    let strokes = tones.enumerated().map { index, tone in
      ClickRecipe.Stroke(
        delay: 0.25 * Double(index),
        partials: [
          .init(hertz: tone.hertz, amplitude: tone.amplitude, decay: 0.12),
          .init(hertz: tone.hertz * 2.01, amplitude: tone.amplitude * 0.3, decay: 0.06),
        ])
    }
    return ClickRecipe(strokes: strokes, seconds: 1.1, peak: 1)
  }()

  /// Sines at random between 1.2 and 6 kHz: to the ear a noise, but one whose every partial is
  /// known, so that it has the same sound and no alias at every rate. Of the first 250 seeds this
  /// one is the loudest at one peak.
  private static let noiseBand: [ClickRecipe.Partial] = {
    var random = SplitMix64(seed: 230)
    return (0..<72).map { _ in
      let hertz = 1_200 + 4_800 * random.nextFraction()
      // Mostly spread, a little together: enough that the first sample is heard.
      let phase = (random.nextFraction() - 0.5) * 0.95
      let decay = 0.012 + 0.012 * random.nextFraction()
      return .init(hertz: hertz, amplitude: 1, decay: decay, phase: phase)
    }
  }()
}

/// The generator of Steele, Lea and Flood (2014); small, seedable, the same everywhere.
struct SplitMix64 {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// 0 ..< 1, 53 bits.
  mutating func nextFraction() -> Double { Double(next() >> 11) * 0x1p-53 }
}
