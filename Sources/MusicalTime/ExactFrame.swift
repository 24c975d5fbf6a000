/// A point on the sample clock with its fraction of a frame, fine enough that sums never show.
///
/// Fixed point: 80 bits of fraction, 47 bits of whole frames (23 years at 192 kHz). One change of
/// tempo adds at most 2^-80 frame of error, so after a million changes an origin is still within
/// 2^-60 of the exact rational; `nearest` takes what lies within 2^-56 below a tie for the tie,
/// which makes the rounding that of exact arithmetic.
///
/// - Unit: frames
/// - Thread: any; free of allocation and locks.
@frozen
public struct ExactFrame: Equatable, Comparable, Sendable, BitwiseCopyable {
  /// Frames times 2^80.
  public var raw: Int128

  @inlinable public static var fractionBits: Int128 {
    @_noAllocation @_noLocks get { 80 }
  }

  @inlinable @_noAllocation @_noLocks
  public init(raw: Int128) { self.raw = raw }

  @inlinable @_noAllocation @_noLocks
  public init(_ frame: FrameIndex) { self.raw = Int128(frame.value) << 80 }

  /// `numerator / denominator` frames, truncated at 2^-80.
  ///
  /// - Precondition: `denominator` is in 1 ..< 2^86 and the quotient fits 47 bits.
  @inlinable @_noAllocation @_noLocks
  public init(numerator: Int128, denominator: Int128) {
    // Floor division, so that negative spans keep the same grid as positive ones.
    var whole: Int128
    var rest: Int128
    if let short = Int64(exactly: numerator), let divisor = Int64(exactly: denominator) {
      whole = Int128(short / divisor)
      rest = Int128(short % divisor)
    } else {
      (whole, rest) = numerator.quotientAndRemainder(dividingBy: denominator)
    }
    if rest < 0 {
      whole -= 1
      rest += denominator
    }
    // In steps, since `rest << 80` would not fit 127 bits.
    if denominator <= Int128(UInt64.max) {
      // The processor divides two words by one: 64 bits, then the last 16.
      let divisor = UInt64(truncatingIfNeeded: denominator)
      let first = divisor.dividingFullWidth((UInt64(truncatingIfNeeded: rest), 0))
      let last = divisor.dividingFullWidth((first.remainder >> 48, first.remainder << 16))
      self.raw =
        (whole << 80) + (Int128(first.quotient) << 16)
        + Int128(truncatingIfNeeded: last.quotient)
      return
    }
    let (high, restOfHigh) = (rest << 40).quotientAndRemainder(dividingBy: denominator)
    let low = (restOfHigh << 40) / denominator
    self.raw = (whole << 80) + (high << 40) + low
  }

  /// The nearest point to a floating-point number of frames (glides, whose positions are irrational).
  @inlinable @_noAllocation @_noLocks
  public init(frames: Double) {
    let whole = Int64(frames)
    let fraction = frames - Double(whole)
    // 2^53 is all the fraction that a Double can hold.
    self.raw = (Int128(whole) << 80) + (Int128(Int64(fraction * 9_007_199_254_740_992.0)) << 27)
  }

  /// The frame this point is played on: rounded once, half up.
  @inlinable public var nearest: FrameIndex {
    @_noAllocation @_noLocks get {
      let half = Int128(1) << 79
      let tieWindow = Int128(1) << 24
      return FrameIndex(Int64((raw + half + tieWindow) >> 80))
    }
  }

  /// How far this point lies from `nearest`, for outputs that need not wait for a whole frame.
  ///
  /// - Unit: 2^-32 frames; from half a frame before (-2^31) to less than half a frame after it.
  @inlinable public var fromNearest: Int32 {
    @_noAllocation @_noLocks get {
      let part = (raw - (Int128(nearest.value) << 80)) >> 48
      // What is taken for a tie lies a hair below it.
      let least = Int128(Int32.min)
      return Int32(truncatingIfNeeded: part < least ? least : part)
    }
  }

  /// For reports and for the closed forms of glides only; the grid never goes through it.
  @inlinable public var approximateFrames: Double {
    @_noAllocation @_noLocks get {
      // 53 bits of the fraction, which is all that a Double can hold.
      let fraction = Int64(truncatingIfNeeded: (raw >> 27) & 0x1F_FFFF_FFFF_FFFF)
      return Double(Int64(raw >> 80)) + Double(fraction) / 9_007_199_254_740_992.0
    }
  }

  @inlinable @_noAllocation @_noLocks
  public static func + (left: ExactFrame, right: ExactFrame) -> ExactFrame {
    ExactFrame(raw: left.raw + right.raw)
  }

  @inlinable @_noAllocation @_noLocks
  public static func - (left: ExactFrame, right: ExactFrame) -> ExactFrame {
    ExactFrame(raw: left.raw - right.raw)
  }

  @inlinable @_noAllocation @_noLocks
  public static func < (left: ExactFrame, right: ExactFrame) -> Bool { left.raw < right.raw }

  @inlinable @_noAllocation @_noLocks
  public static func == (left: ExactFrame, right: ExactFrame) -> Bool { left.raw == right.raw }
}
