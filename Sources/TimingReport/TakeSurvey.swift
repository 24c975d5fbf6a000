/// A part of a take, with some of what comes before and after it.
public struct TakePiece: Sendable {
  /// Frame of the take that is the first sample.
  public var start: Int
  /// Mono.
  public var samples: [Float]
  /// Frames of the take whose notes this piece is asked for.
  public var core: Range<Int>

  public init(start: Int, samples: [Float], core: Range<Int>) {
    self.start = start
    self.samples = samples
    self.core = core
  }
}

/// Goes through a take piece by piece, twice: once for how loud the player is, which decides what is a
/// note, and once for the notes. So the memory it takes does not grow with the take.
///
/// - Thread: any one at a time; allocates several times a piece.
public struct TakeSurvey {
  /// Long enough that a piece has clicks enough to know their sound.
  public static let pieceSeconds = 300
  /// On either side: longer than a note's onset and a click.
  public static let marginSeconds = 2

  private let analysis: TakeAnalysis
  private var peaks: [Float] = []
  private var onsets: [Onset] = []
  private var amplitude: Float = 0
  private var isLearnt = false
  private var loudness: Float?
  /// The piece that was cleaned last: a short take is one piece, and cleaned once.
  private var last: (start: Int, count: Int, cleaned: TakeAnalysis.Cleaned)?

  public init(_ analysis: TakeAnalysis) { self.analysis = analysis }

  /// First time round.
  public mutating func look(_ piece: TakePiece) {
    let cleaned = clean(piece)
    amplitude = max(amplitude, cleaned.amplitude)
    isLearnt = isLearnt || cleaned.isLearnt
    let core = inner(piece)
    peaks += TakeAnalysis.peaks(cleaned.player[core], rate: analysis.rate)
  }

  /// Second time round, in order.
  public mutating func listen(_ piece: TakePiece) {
    let cleaned = clean(piece)
    let level = loudness ?? TakeAnalysis.loudness(peaks)
    loudness = level
    for var onset in analysis.onsets(cleaned, start: piece.start, loudness: level) {
      onset.frame += Double(piece.start)
      if piece.core.contains(Int(onset.frame)) { onsets.append(onset) }
    }
  }

  /// - Parameter frames: of the whole take.
  public func report(frames: Int) -> TimingReport {
    analysis.report(onsets, frames: frames, hasBleed: amplitude > 0, isLearnt: isLearnt)
  }

  private mutating func clean(_ piece: TakePiece) -> TakeAnalysis.Cleaned {
    if let last, last.start == piece.start, last.count == piece.samples.count {
      return last.cleaned
    }
    let cleaned = analysis.clean(piece.samples, start: piece.start)
    last = (piece.start, piece.samples.count, cleaned)
    return cleaned
  }

  private func inner(_ piece: TakePiece) -> Range<Int> {
    let from = max(0, piece.core.lowerBound - piece.start)
    return from..<max(from, min(piece.samples.count, piece.core.upperBound - piece.start))
  }
}
