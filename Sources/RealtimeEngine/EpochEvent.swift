public import MusicalTime

/// From `frame` on frames have another length: the card plays at another rate.
///
/// Facts announced before it are in frames of the old length, those due after it too; `moved`
/// gives the frame that is due at the same instant.
///
/// - Thread: made on the audio thread, read by the consumer of `EngineQueues.clockEvents`.
@frozen
public struct EpochEvent: Sendable, BitwiseCopyable, Equatable {
  /// The first frame of the new length.
  public var frame: FrameIndex
  /// Frames a second before it; 1 or more.
  public var oldRate: Int64
  /// Frames a second from it on; 1 or more.
  public var newRate: Int64

  @_noAllocation @_noLocks
  public init(frame: FrameIndex, oldRate: Int64, newRate: Int64) {
    self.frame = frame
    self.oldRate = oldRate > 0 ? oldRate : 1
    self.newRate = newRate > 0 ? newRate : 1
  }

  /// The frame nearest to the instant of one that was announced before the epoch, and how long
  /// after that frame's instant it is, in nanoseconds. Frames before the epoch that have not been
  /// heard yet move too: the clock of the epoch knows only frames of the new length.
  public func moved(_ old: FrameIndex) -> (frame: FrameIndex, remainder: Int64) {
    guard old > .distantPast, old < .distantFuture else { return (old, 0) }
    let product = Int128((old - frame).value) * Int128(newRate)
    let half = Int128(oldRate) / 2
    let count = (product + (product < 0 ? -half : half)) / Int128(oldRate)
    // What is left, in parts of a frame times the old rate.
    let left = product - count * Int128(oldRate)
    let nanoseconds = left * 1_000_000_000 / (Int128(oldRate) * Int128(newRate))
    return (
      frame + FrameCount(Int64(clamping: count)), Int64(truncatingIfNeeded: nanoseconds)
    )
  }

  /// A span of frames, to the nearest.
  public func scaled(_ frames: Int64) -> Int64 {
    let product = Int128(frames) * Int128(newRate)
    let half = Int128(oldRate) / 2
    return Int64(clamping: (product + (product < 0 ? -half : half)) / Int128(oldRate))
  }
}
