public import MusicalTime

/// The ramp that is armed or runs.
///
/// - Thread: any
public enum RampState: Equatable, Sendable {
  case trainer(SpeedTrainer)
  case glide(GlideRamp)

  public var name: String {
    switch self {
    case .trainer: "trainer"
    case .glide: "glide"
    }
  }

  public var from: Tempo {
    switch self {
    case .trainer(let trainer): trainer.from
    case .glide(let glide): glide.from
    }
  }

  public var to: Tempo {
    switch self {
    case .trainer(let trainer): trainer.to
    case .glide(let glide): glide.to
    }
  }
}

/// How far a ramp has come.
///
/// - Thread: any
public struct RampProgress: Equatable, Sendable {
  /// The tempo at this moment.
  public var tempo: Tempo
  /// 1-based; a glide has one level.
  public var level: Int
  public var levelCount: Int
  /// Of the whole length, 0 to 1.
  public var fraction: Double
  /// Seconds of playing.
  public var secondsLeft: Double

  public init(
    tempo: Tempo, level: Int, levelCount: Int, fraction: Double, secondsLeft: Double
  ) {
    self.tempo = tempo
    self.level = level
    self.levelCount = levelCount
    self.fraction = fraction
    self.secondsLeft = secondsLeft
  }
}
