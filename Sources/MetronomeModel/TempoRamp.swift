public import MusicalTime

/// A speed trainer: a tempo that climbs or falls in steps.
///
/// Levels are from, from +- step, ..., to, the last one clamped. Nominal times count from the
/// trainer's first beat; a level starts at the first bar line (or beat) at or after its time.
///
/// - Unit: tempos in thousandths of their unit
/// - Thread: any; free of allocation and locks.
@frozen
public struct SpeedTrainer: Hashable, Sendable, BitwiseCopyable {
  /// How long each level lasts.
  @frozen
  public enum Share: Hashable, Sendable, BitwiseCopyable {
    /// The whole trainer lasts so many milliseconds, shared evenly.
    case totalMilliseconds(Int64)
    case millisecondsPerLevel(Int64)
    case barsPerLevel(Int32)
  }

  /// What happens when the last level's share is over.
  @frozen
  public enum End: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
    case hold, stop, loop, `return`
  }

  public let from: Tempo
  public let to: Tempo
  /// Thousandths of the tempos' unit, above 0.
  public let stepThousandths: Int32
  public let share: Share
  public let end: End

  @inlinable @_noAllocation @_noLocks
  public init(
    unchecked from: Tempo, to: Tempo, stepThousandths: Int32, share: Share, end: End
  ) {
    self.from = from
    self.to = to
    self.stepThousandths = stepThousandths
    self.share = share
    self.end = end
  }

  /// ceil(|to - from| / step) + 1
  @inlinable public var levelCount: Int64 {
    @_noAllocation @_noLocks get {
      let span = abs(Int64(to.thousandths) - Int64(from.thousandths))
      let step = Int64(stepThousandths)
      return (span + step - 1) / step + 1
    }
  }

  /// The tempo of a 0-based level; the last and everything after it is `to`.
  @inlinable @_noAllocation @_noLocks
  public func tempo(level: Int64) -> Tempo {
    guard level < levelCount - 1 else { return to }
    let step = Int64(stepThousandths) * level
    let value =
      to.thousandths > from.thousandths
      ? Int64(from.thousandths) + step : Int64(from.thousandths) - step
    return Tempo(unchecked: Int32(truncatingIfNeeded: value), unit: from.unit)
  }
}

/// A continuous ramp.
///
/// - Thread: any
@frozen
public struct GlideRamp: Hashable, Sendable, BitwiseCopyable {
  @frozen
  public enum Length: Hashable, Sendable, BitwiseCopyable {
    /// Linear in time over seconds, above 0.
    case seconds(Double)
    /// Linear in score position over bars of the meter in force, above 0.
    case bars(Int32)
  }

  public let from: Tempo
  public let to: Tempo
  public let length: Length

  @inlinable @_noAllocation @_noLocks
  public init(unchecked from: Tempo, to: Tempo, length: Length) {
    self.from = from
    self.to = to
    self.length = length
  }
}
