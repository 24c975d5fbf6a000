internal import RealtimeEngine

/// How loud the built-in sounds are to the ear, and the peak that makes all of them equally so.
///
/// Loudness is the level of a sound level meter: A-weighted, time weighting Fast (125 ms), of one
/// click alone (IEC 61672-1).
///
/// - Unit: dB of full scale
/// - Thread: any
enum ClickLoudness {
  /// What a strong click reaches: as much as the wood, whose energy is the least at one peak, has
  /// at full scale.
  static let strong = -21.5

  /// A slot's level below that of a strong click, clearly apart for each accent.
  static func relative(_ slot: SoundSlot) -> Double {
    switch slot {
    case .strong, .timerEnd, .sync: 0
    case .countInAccent: -2
    case .normal, .countIn: -4
    case .layer: -5
    case .soft: -10
    case .subdivision: -13
    }
  }

  /// The peak, full scale 1.0, at which a sound has the loudness of its slot.
  static func peak(of sound: BuiltInSound, for slot: SoundSlot) -> Double {
    WaveArithmetic.gain(decibels: strong + relative(slot) - atFullScale(sound, slot))
  }

  /// The loudness of each variant whose peak is 1.0, measured; the test measures it again.
  private static func atFullScale(_ sound: BuiltInSound, _ slot: SoundSlot) -> Double {
    let measured: (Double, Double, Double, Double, Double, Double, Double) =
      switch sound {
      case .wood: (-21.5, -20.7, -21.3, -22.5, -21.3, -22.4, -23.4)
      case .beep: (-17.7, -18.4, -19.1, -20.4, -18.2, -19.8, -18.5)
      case .bell: (-16.1, -15.2, -15.7, -17.2, -15.7, -16.9, -18.0)
      case .noise: (-20.4, -18.8, -19.5, -20.9, -19.9, -21.0, -23.0)
      }
    switch slot {
    case .strong, .timerEnd, .sync: return measured.0
    case .normal: return measured.1
    case .soft: return measured.2
    case .subdivision: return measured.3
    case .layer: return measured.4
    case .countIn: return measured.5
    case .countInAccent: return measured.6
    }
  }
}
