/// What is played for each kind of click, and how loud each kind is.
///
/// - Thread: any
public struct SoundSettings: Equatable, Sendable {
  /// What a kind plays that has no sound of its own.
  public var base = SoundChoice()
  /// Sounds of their own; the analog sync output has one only where it is wanted.
  public var choices: [ControlCommand.SoundTarget: SoundChoice] = [:]
  /// Sounds of single beats of the bar; nil where the level's sound stays.
  public var beats: [SoundChoice?] = []
  /// Decibels of each kind, -90 to 0, beside the gain of its sound; 0 where none is named.
  private var levels: [ControlCommand.SoundTarget: Double] = [:]
  /// Pulses a quarter note of the analog sync output: 0, 1, 2, 4, 24 or 48.
  public var syncPerQuarter = 0

  public init() {}

  /// The sound of a kind.
  public subscript(target: ControlCommand.SoundTarget) -> SoundChoice {
    get { choices[target] ?? base }
    set { choices[target] = newValue }
  }

  /// Decibels of a kind; `-.infinity` is silence.
  public func level(of target: ControlCommand.SoundTarget) -> Double { levels[target] ?? 0 }

  public mutating func setLevel(
    of target: ControlCommand.SoundTarget, decibels: Double
  ) {
    levels[target] = decibels == 0 ? nil : decibels
  }

  /// The sounds that a bank is made of: the levels of strong, normal and soft are the engine's,
  /// those of all other kinds go into the sound's own gain.
  public var bankChoices: [ControlCommand.SoundTarget: SoundChoice] {
    var result = choices
    for target in ControlCommand.SoundTarget.allCases
    where target.accent == nil && level(of: target) != 0 {
      guard target != .sync || choices[.sync] != nil else { continue }
      var choice = self[target]
      choice.gainDecibels += level(of: target)
      result[target] = choice
    }
    return result
  }
}

extension ControlCommand.SoundTarget {
  /// The accent whose clicks it is; nil for the other kinds.
  public var accent: Accent? {
    switch self {
    case .strong: .strong
    case .normal: .normal
    case .soft: .soft
    case .subdivision, .layer, .countin, .timer, .sync: nil
    }
  }
}
