/// A stretch of the tempo plan: a place in the score, the exact frame it falls on, and how time
/// runs from there.
///
/// Each position is computed from the origin, so no error is added up along a stretch.
///
/// - Thread: any; free of allocation and locks (glides use libm leaves only).
@frozen
public struct TempoSegment: Sendable, BitwiseCopyable {
  /// How time runs from the origin.
  @frozen
  public enum Shape: Sendable, BitwiseCopyable {
    /// A steady tempo.
    case constant(Tempo)
    /// A glide whose tempo is linear in time, over `seconds`.
    case glideInTime(from: Tempo, to: Tempo, seconds: Double)
    /// A glide whose tempo is linear in score position, over `length`.
    case glideInScore(from: Tempo, to: Tempo, length: ScorePosition)
  }

  public let origin: ScorePosition
  public let originFrame: ExactFrame
  /// Frames a second.
  public let rate: Int64
  public let shape: Shape
  // Frames per tick as a reduced fraction, for the constant shape.
  @usableFromInline let framesNumerator: Int64
  @usableFromInline let framesDenominator: Int64

  @_noAllocation @_noLocks
  public init(origin: ScorePosition, originFrame: ExactFrame, rate: Int64, shape: Shape) {
    self.origin = origin
    self.originFrame = originFrame
    self.rate = rate
    self.shape = shape
    if case .constant(let tempo) = shape {
      // A quarter lasts 60 x rate / (thousandths / 1000) frames; its unit scales the tempo. One of
      // N / 256 us lasts N x rate / 256 000 000.
      let isExact = tempo.exactLength > 0
      let numerator =
        isExact
        ? Int64(tempo.exactLength) &* rate : 60_000 &* rate &* tempo.quarterDenominator
      let denominator =
        (isExact ? 256_000_000 : tempo.quarterNumerator) &* ScorePosition.ticksPerQuarter
      let divisor = TempoSegment.greatestCommonDivisor(numerator, denominator)
      self.framesNumerator = numerator / divisor
      self.framesDenominator = denominator / divisor
    } else {
      self.framesNumerator = 0
      self.framesDenominator = 1
    }
  }

  /// The exact point at which a place at or after the origin is due.
  @_noAllocation @_noLocks
  public func frame(at position: ScorePosition) -> ExactFrame {
    let ticks = position.ticks &- origin.ticks
    switch shape {
    case .constant:
      return originFrame
        + ExactFrame(
          numerator: Int128(ticks) * Int128(framesNumerator),
          denominator: Int128(framesDenominator))
    case .glideInTime(let from, let to, let seconds):
      return originFrame
        + ExactFrame(
          frames: Double(rate)
            * Glide.seconds(ticks: ticks, from: from, to: to, overSeconds: seconds))
    case .glideInScore(let from, let to, let length):
      return originFrame
        + ExactFrame(
          frames: Double(rate)
            * Glide.seconds(ticks: ticks, from: from, to: to, overTicks: length.ticks))
    }
  }

  /// The quarter tempo at a place, in thousandths a minute rounded half up.
  @_noAllocation @_noLocks
  public func quarterThousandths(at position: ScorePosition) -> Int32 {
    let ticks = position.ticks &- origin.ticks
    switch shape {
    case .constant(let tempo):
      return tempo.quarterThousandths
    case .glideInTime(let from, let to, let seconds):
      return Glide.quarterThousandths(ticks: ticks, from: from, to: to, overSeconds: seconds)
    case .glideInScore(let from, let to, let length):
      return Glide.quarterThousandths(ticks: ticks, from: from, to: to, overTicks: length.ticks)
    }
  }

  /// Whether this stretch ends by itself.
  @inlinable public var isGlide: Bool {
    @_noAllocation @_noLocks get {
      if case .constant = shape { return false }
      return true
    }
  }

  /// The steady stretch at a glide's target, on the same line of time; nil for a steady stretch.
  ///
  /// The glide may end between two ticks: the origin is then moved along the target's own line to
  /// the next tick, so nothing is rounded.
  @_noAllocation @_noLocks
  public func afterGlide() -> TempoSegment? {
    switch shape {
    case .constant:
      return nil
    case .glideInTime(let from, let to, let seconds):
      let endTicks = Glide.endTicks(from: from, to: to, seconds: seconds)
      let wholeTicks = Int64(endTicks)
      let nextTick = Double(wholeTicks) < endTicks ? wholeTicks &+ 1 : wholeTicks
      let restSeconds =
        (Double(nextTick) - endTicks) / Double(ScorePosition.ticksPerQuarter) * 60
        / to.quartersPerMinute
      return TempoSegment(
        origin: ScorePosition(ticks: origin.ticks &+ nextTick),
        originFrame: originFrame + ExactFrame(frames: Double(rate) * (seconds + restSeconds)),
        rate: rate, shape: .constant(to))
    case .glideInScore(_, let to, let length):
      let end = origin + length
      return TempoSegment(
        origin: end, originFrame: frame(at: end), rate: rate, shape: .constant(to))
    }
  }

  @_noAllocation @_noLocks
  static func greatestCommonDivisor(_ first: Int64, _ second: Int64) -> Int64 {
    var a = first
    var b = second
    while b != 0 { (a, b) = (b, a % b) }
    return a
  }
}
