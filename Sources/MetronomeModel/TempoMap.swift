public import MusicalTime

/// A song: sections of bars, each with its meter and tempo, and the way through them.
///
/// - Thread: any
public struct TempoMap: Equatable, Sendable {
  public var title: String?
  public var sections: [Section]
  /// The label to go on at when the last section has ended, again and again; nil ends the song.
  public var loop: String?

  public init(title: String? = nil, sections: [Section] = [], loop: String? = nil) {
    self.title = title
    self.sections = sections
    self.loop = loop
  }

  /// Sections of one song.
  public static let sectionCounts = 1...1_000
  /// Sections as they are played, repeats and jumps written out.
  public static let mostPlayedSections = 10_000
  /// Linear gain of a section; 1 is unchanged.
  public static let gains: ClosedRange<Double> = 0...10

  public struct Section: Equatable, Sendable {
    /// Unique in the song.
    public var label: String?
    /// `Limits.bars`; 0 is endless.
    public var bars: Int
    public var meter: Meter
    public var tempo: Course
    /// nil is the meter's default.
    public var pattern: AccentPattern?
    /// Linear gain of its clicks, `TempoMap.gains`.
    public var gain: Double
    /// How often it is played in a row, `Limits.bars`.
    public var repeats: Int
    public var jump: Jump?

    public init(
      label: String? = nil, bars: Int, meter: Meter = .common, tempo: Course = .keep,
      pattern: AccentPattern? = nil, gain: Double = 1, repeats: Int = 1, jump: Jump? = nil
    ) {
      self.label = label
      self.bars = bars
      self.meter = meter
      self.tempo = tempo
      self.pattern = pattern
      self.gain = gain
      self.repeats = repeats
      self.jump = jump
    }
  }

  /// How the tempo runs through a section.
  public enum Course: Equatable, Sendable {
    /// As it was.
    case keep
    case steady(Tempo)
    /// Linear in score position over the whole section.
    case ramp(from: Tempo, to: Tempo)
    /// One tempo for each beat of the section.
    case perBeat([Tempo])
  }

  /// Where the song goes on after a section.
  public struct Jump: Equatable, Sendable {
    public var label: String
    /// How often it is taken before the song goes straight on; nil is always.
    public var times: Int?

    public init(label: String, times: Int? = nil) {
      self.label = label
      self.times = times
    }
  }

  /// The index of the section with a label.
  public func index(of label: String) -> Int? { sections.firstIndex { $0.label == label } }
}

/// Why a song cannot be played as it is written; the section counts from 1.
public enum TempoMapError: Error, Equatable, CustomStringConvertible {
  case sectionCount(Int)
  case bars(section: Int, Int)
  case patternLength(section: Int, letters: Int, beats: Int, meter: Meter)
  case gain(section: Int, Double)
  case repeats(section: Int, Int)
  case beatTempos(section: Int, Int, beats: Int)
  case endlessRamp(section: Int)
  case jumpTimes(section: Int, Int)
  case duplicateLabel(section: Int, String)
  case unknownLabel(section: Int?, String, nearest: String?)
  case cyclicJump([String])
  case afterEndless(section: Int)
  case tooLong(Int)
  case tooManyTempos(Int)

  public var description: String {
    switch self {
    case .sectionCount(let count):
      "song has \(count) sections: allowed are \(TempoMap.sectionCounts.lowerBound) to "
        + "\(TempoMap.sectionCounts.upperBound)"
    case .bars(let section, let bars):
      "section \(section) has \(bars) bars: allowed are \(Limits.bars.lowerBound) to "
        + "\(Limits.bars.upperBound)"
    case .patternLength(let section, let letters, let beats, let meter):
      "section \(section): pattern has \(letters) letters but a bar of \(meter) has \(beats) beats"
    case .gain(let section, let gain):
      "section \(section) has volume \(gain): allowed are 0 to 10, 1 is unchanged"
    case .repeats(let section, let count):
      "section \(section) is repeated \(count) times: allowed are \(Limits.bars.lowerBound) to "
        + "\(Limits.bars.upperBound)"
    case .beatTempos(let section, let count, let beats):
      "section \(section) has \(count) tempos but \(beats) beats: give one for each"
    case .endlessRamp(let section):
      "section \(section) is endless and cannot have a ramp or a tempo for each beat"
    case .jumpTimes(let section, let times):
      "section \(section) jumps \(times) times: allowed are 1 to \(Limits.bars.upperBound)"
    case .duplicateLabel(let section, let label):
      "section \(section): label '\(label)' is taken already, give each its own"
    case .unknownLabel(let section, let label, let nearest):
      (section.map { "section \($0): " } ?? "loop: ") + "there is no section '\(label)'"
        + (nearest.map { ": did you mean '\($0)'?" } ?? "")
    case .cyclicJump(let labels):
      "jumps go round for ever: \(labels.joined(separator: " -> ")); "
        + "say how many times, or use loop"
    case .afterEndless(let section):
      "section \(section) is endless: it cannot be repeated or jump"
    case .tooLong(let most):
      "song has more than \(most) sections as it is played: use fewer repeats and jumps"
    case .tooManyTempos(let most):
      "song has more than \(most) changes of tempo as it is played, too many for a MIDI file"
    }
  }
}
