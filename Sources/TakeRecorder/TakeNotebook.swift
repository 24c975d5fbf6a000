public import MetronomeModel
public import MusicalTime
public import ScoreFormats

/// Writes down where the beats of a take were played: the tempo plan of its side file, from what the
/// engine announced.
///
/// A stretch goes on as long as the beats come where it leads, to a frame. So glides, trainers,
/// songs, taps and two clocks that drift apart all come out as what was played, whoever changed it.
///
/// - Thread: control
public struct TakeNotebook: Sendable {
  /// A beat as it was played.
  public struct Beat: Equatable, Sendable {
    /// Frame of the take, with a fraction.
    public var frame: Double
    public var isCountIn: Bool
    /// From 0.
    public var beat: Int
    public var meter: Meter
    /// As given, or the nearest thousandth within a glide.
    public var tempo: Tempo
    public var subdivision: Subdivision
    public var pattern: AccentPattern?
    public var isMuted: Bool

    public init(
      frame: Double, isCountIn: Bool, beat: Int, meter: Meter, tempo: Tempo,
      subdivision: Subdivision, pattern: AccentPattern?, isMuted: Bool
    ) {
      self.frame = frame
      self.isCountIn = isCountIn
      self.beat = beat
      self.meter = meter
      self.tempo = tempo
      self.subdivision = subdivision
      self.pattern = pattern
      self.isMuted = isMuted
    }
  }

  public private(set) var sheet: TakeSheet
  /// Rises with every change of the sheet.
  public private(set) var changes = 0
  private let rate: Double
  /// Bar 1 has begun.
  public private(set) var hasBegun = false
  private var bar = 1
  private var countInBars: Int = 0
  /// Place and frame that the stretch in force leads on from, and beats since.
  private var originFrame = 0.0
  private var beatsSince = 0
  /// The side file's reader takes so many; what comes after them is not written down.
  private static let mostStretches = 20_000
  /// Frames by which a beat may lie off its stretch before a new one begins: rounding to whole
  /// frames is half of one.
  private static let tolerance = 1.0

  /// - Parameters:
  ///   - tempo: in force, for a take in which nothing is played.
  public init(rate: Int, channels: Int, tempo: Tempo, meter: Meter) {
    sheet = TakeSheet(
      rate: rate, barOneFrame: 0, tempo: [TakeSheet.Stretch(meter: meter, tempo: tempo)])
    sheet.channels = channels
    self.rate = Double(rate)
  }

  /// What is known beside the beats: route, latency, clicks.
  public mutating func amend(_ change: (inout TakeSheet) -> Void) {
    let before = sheet
    change(&sheet)
    if sheet != before { changes += 1 }
  }

  /// Takes the next beat that was announced.
  public mutating func take(_ heard: Beat) {
    guard sheet.stopFrame == nil else { return }
    var beat = heard
    // As it is written: a stretch is anchored anew where the rounding shows.
    beat.tempo = Tempo(unchecked: beat.tempo.thousandths, unit: beat.tempo.unit)
    if beat.isCountIn {
      if beat.beat == 0 { countInBars += 1 }
      return
    }
    guard hasBegun else { return begin(beat) }
    if beat.beat == 0 { bar += 1 }
    beatsSince += 1
    guard let last = sheet.tempo.last else { return }
    // What a bar brings that began inside a stretch of another meter belongs to that bar.
    let isSame =
      last.meter == beat.meter && last.tempo == beat.tempo && last.isMuted == beat.isMuted
      && last.subdivision == beat.subdivision && last.pattern == beat.pattern
    let expected = originFrame + Double(beatsSince) * beatFrames(last)
    guard !isSame || abs(beat.frame - expected) > TakeNotebook.tolerance else { return }
    guard sheet.tempo.count < TakeNotebook.mostStretches else { return }
    append(beat, bar: bar)
  }

  /// The first downbeat of a take that joins music in play is its bar 1.
  private mutating func begin(_ beat: Beat) {
    guard beat.beat == 0 else { return }
    hasBegun = true
    sheet.barOneFrame = beat.frame
    sheet.countInBars = min(countInBars, Limits.countInBars.upperBound)
    sheet.tempo = []
    append(beat, bar: 1)
  }

  private mutating func append(_ beat: Beat, bar: Int) {
    sheet.tempo.append(
      TakeSheet.Stretch(
        bar: bar, beat: beat.beat + 1, frame: bar == 1 && beat.beat == 0 ? nil : beat.frame,
        meter: beat.meter, tempo: beat.tempo, subdivision: beat.subdivision,
        pattern: beat.pattern, isMuted: beat.isMuted))
    originFrame = beat.frame
    beatsSince = 0
    changes += 1
  }

  private func beatFrames(_ stretch: TakeSheet.Stretch) -> Double {
    let quarters =
      Double(stretch.meter.beatLength.ticks) / Double(ScorePosition.ticksPerQuarter)
    return quarters * 60 * rate / stretch.tempo.quartersPerMinute
  }

  /// The music stops at a frame; beats at or after it were not played.
  public mutating func stop(at frame: Double) {
    guard sheet.stopFrame == nil else { return }
    guard hasBegun else {
      // Within a count-in: the next start counts anew.
      countInBars = 0
      return
    }
    sheet.stopFrame = frame
    while sheet.tempo.count > 1, let begin = sheet.tempo.last?.frame, begin >= frame {
      sheet.tempo.removeLast()
    }
    changes += 1
  }
}
