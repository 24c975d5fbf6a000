public import ScoreFormats

/// Where a take lies against its grid: metadata only, the samples stay as they are.
///
/// - Thread: any
public struct TakeAlignment: Equatable, Sendable {
  /// Frame of the take that belongs to beat one of bar 1, whole: the nearest.
  public let firstFrame: Int64
  /// Frames of silence before the take begins, where bar 1 lies before its first frame.
  public let silence: Int64
  /// Frames taken off the head.
  public let trimmed: Int64
  /// Frames that are left; 0 where the latency is longer than the take.
  public let frames: Int64
  /// By how much of a frame the nearest one is off: at most 0.5.
  public let roundingFrames: Double

  /// - Parameters:
  ///   - frames: of the take.
  ///   - rate: of the take; the side file's frames count at its own.
  public init(_ sheet: TakeSheet, frames total: Int64, rate: Int) {
    let exact =
      (sheet.barOneFrame + (sheet.latencyFrames ?? 0)) * Double(rate) / Double(sheet.rate)
    let nearest = exact.rounded()
    roundingFrames = nearest - exact
    firstFrame = Int64(min(max(nearest, -1e15), 1e15))
    silence = max(0, -firstFrame)
    trimmed = min(total, max(0, firstFrame))
    frames = max(0, total - trimmed)
  }

  /// Whether nothing of the take is left once it is aligned.
  public var isConsumed: Bool { frames == 0 }
}
