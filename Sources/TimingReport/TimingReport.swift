/// How early or late a player was.
///
/// - Thread: any
public struct TimingReport: Equatable, Sendable {
  /// Fewer onsets say nothing.
  public static let leastOnsets = 3

  public struct Note: Equatable, Sendable {
    /// Seconds and frames of the take, as it was recorded.
    public var second: Double
    public var frame: Double
    public var bar: Int
    public var beat: Int
    /// 0 on the beat.
    public var sub: Int
    /// Late is positive.
    public var offsetMilliseconds: Double
    /// Quarters a minute.
    public var tempo: Double
    public var attack: Onset.Attack
  }

  /// What is said of some of the notes.
  public struct Group: Equatable, Sendable {
    public var count: Int
    public var medianMilliseconds: Double
    /// Median absolute deviation.
    public var spreadMilliseconds: Double

    init(_ notes: [Note]) {
      let offsets = notes.map(\.offsetMilliseconds)
      count = offsets.count
      let median = OnsetDetector.median(offsets)
      medianMilliseconds = median
      spreadMilliseconds = OnsetDetector.median(offsets.map { abs($0 - median) })
    }
  }

  public enum Confidence: String, Sendable {
    case high, medium, low, none
  }

  public var notes: [Note]
  /// Points a beat that the notes were held against.
  public var subdivision: Int
  /// Milliseconds that were taken off every note.
  public var latencyMilliseconds: Double
  public var confidence: Confidence
  /// Why it is not higher; empty where it is.
  public var doubts: [String]
  /// Whether clicks were heard in the take and left out.
  public var hasBleed: Bool

  public var all: Group { Group(notes) }

  /// By beat and subdivision, in the order of the bar.
  public var places: [(beat: Int, sub: Int, group: Group)] {
    let keys = Set(notes.map { $0.beat * 64 + $0.sub }).sorted()
    return keys.map { key in
      (key / 64, key % 64, Group(notes.filter { $0.beat * 64 + $0.sub == key }))
    }
  }

  /// By tempo, rounded to whole quarters a minute; a trainer has several.
  public var tempos: [(tempo: Double, group: Group)] {
    let keys = Set(notes.map { $0.tempo.rounded() }).sorted()
    return keys.map { key in (key, Group(notes.filter { $0.tempo.rounded() == key })) }
  }

  /// Median of the slopes between all pairs of bars: how the player's lateness grows.
  public var trendMillisecondsPerBar: Double {
    let bars = Dictionary(grouping: notes, by: \.bar).map { bar, notes in
      (x: Double(bar), y: Group(notes).medianMilliseconds)
    }.sorted { $0.x < $1.x }.prefix(2_000)
    var slopes: [Double] = []
    for (index, first) in bars.enumerated() {
      for second in bars[(index + 1)...] {
        slopes.append((second.y - first.y) / (second.x - first.x))
      }
    }
    return OnsetDetector.median(slopes)
  }

  /// How lateness grows with the tempo, in ms for ten quarters a minute; nil with one tempo.
  public var tendencyMillisecondsPer10BPM: Double? {
    let tempos = tempos
    guard tempos.count > 1 else { return nil }
    var slopes: [Double] = []
    for (index, first) in tempos.enumerated() {
      for second in tempos[(index + 1)...] {
        slopes.append(
          10 * (second.group.medianMilliseconds - first.group.medianMilliseconds)
            / (second.tempo - first.tempo))
      }
    }
    return OnsetDetector.median(slopes)
  }
}
