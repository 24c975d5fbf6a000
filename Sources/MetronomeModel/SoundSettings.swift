/// What is played for each kind of click, and how.
///
/// - Thread: any
public struct SoundSettings: Equatable, Sendable {
  /// One kind's sound.
  public struct Choice: Equatable, Sendable {
    /// A built-in sound or a file of the sound folder; nil is the kind's own built-in sound.
    public var name: String?
    /// Decibels, -90 to 0; `-.infinity` is silence.
    public var decibels: Double
    /// Semitones up or down.
    public var semitones: Double
    /// 1-based output channels; empty is the first two.
    public var channels: [Int]
    /// Whether silence at the head of a file is kept; it makes every click late against MIDI.
    public var keepsLeadingSilence: Bool

    public init(
      name: String? = nil, decibels: Double = 0, semitones: Double = 0, channels: [Int] = [],
      keepsLeadingSilence: Bool = false
    ) {
      self.keepsLeadingSilence = keepsLeadingSilence
      self.name = name
      self.decibels = decibels
      self.semitones = semitones
      self.channels = channels
    }
  }

  private var choices: [Choice]
  /// Names of sounds for single beats of the bar, by beat; empty where none has its own.
  public var beatNames: [String?]
  /// Pulses a quarter note of the analog sync output: 0, 1, 2, 4, 24 or 48.
  public var syncPerQuarter: Int

  public init() {
    choices = Array(repeating: Choice(), count: ControlCommand.SoundTarget.allCases.count)
    beatNames = []
    syncPerQuarter = 0
  }

  public subscript(target: ControlCommand.SoundTarget) -> Choice {
    get { choices[SoundSettings.index(of: target)] }
    set { choices[SoundSettings.index(of: target)] = newValue }
  }

  /// What a bank is made of: the levels of strong, normal and soft are gains of the engine, which
  /// change without a new bank; those of the other kinds are gains of their sounds.
  public var forBank: SoundSettings {
    var settings = self
    for target in ControlCommand.SoundTarget.allCases where target.accent != nil {
      settings[target].decibels = 0
    }
    return settings
  }

  private static func index(of target: ControlCommand.SoundTarget) -> Int {
    switch target {
    case .strong: 0
    case .normal: 1
    case .soft: 2
    case .subdivision: 3
    case .layer: 4
    case .countin: 5
    case .timer: 6
    case .sync: 7
    }
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
