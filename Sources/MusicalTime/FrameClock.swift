/// The straight line from frames to monotonic time: when each frame is heard at the converter, as
/// far as ALSA knows (what ALSA does not know is the measured output latency, added at the edge).
///
/// A plain value, published by the audio thread once per period. Instants are taken as differences
/// from an anchor in fixed point, so they are good to a nanosecond over hours: the slope holds
/// 2^-40 ns per frame, which is 0.002 ns after 2^31 frames (12 hours at 48 kHz).
///
/// - Thread: any; free of allocation and locks.
@frozen
public struct FrameClock: Equatable, Sendable, BitwiseCopyable {
  /// A frame whose instant is known.
  public var anchorFrame: FrameIndex
  /// When `anchorFrame` is heard, without the part of a nanosecond.
  public var anchorTime: MonotonicTime
  /// That part of a nanosecond, times 2^40; 0 ..< 2^40.
  public var anchorFraction: Int64
  /// Nanoseconds per frame, times 2^40; more than 0.
  public var frameDuration: Int64
  /// The rate the card is set to; what the card really does differs by `driftPPM`.
  public var framesPerSecond: Int64
  /// How far an instant near the anchor may be from the truth, in nanoseconds.
  public var uncertaintyNanoseconds: Int64
  /// How much the uncertainty grows with distance from the anchor, in parts per thousand million.
  public var uncertaintyPPB: Int64

  /// A clock at exactly the nominal rate, through one known instant.
  ///
  /// - Parameter framesPerSecond: 1 or more; less counts as 1.
  @_noAllocation @_noLocks
  public init(
    frame: FrameIndex, heardAt time: MonotonicTime, framesPerSecond: Int64,
    uncertaintyNanoseconds: Int64 = 0, uncertaintyPPB: Int64 = 0
  ) {
    self.anchorFrame = frame
    self.anchorTime = time
    self.anchorFraction = 0
    self.framesPerSecond = framesPerSecond > 0 ? framesPerSecond : 1
    self.frameDuration = FrameClock.nominalDuration(framesPerSecond: self.framesPerSecond)
    self.uncertaintyNanoseconds = uncertaintyNanoseconds
    self.uncertaintyPPB = uncertaintyPPB
  }

  /// 10^9 / rate nanoseconds, times 2^40, to the nearest.
  @_noAllocation @_noLocks
  static func nominalDuration(framesPerSecond rate: Int64) -> Int64 {
    let scaled = Int128(1_000_000_000) << 40
    return Int64(truncatingIfNeeded: (scaled + Int128(rate) / 2) / Int128(rate))
  }

  /// When a frame is heard, rounded half up to the nanosecond.
  @_noAllocation @_noLocks
  public func time(of frame: FrameIndex) -> MonotonicTime {
    let frames = Int128((frame - anchorFrame).value)
    let half = Int128(1) << 39
    let offset = (frames * Int128(frameDuration) + Int128(anchorFraction) + half) >> 40
    let sum = Int128(anchorTime.nanoseconds) + offset
    if sum > Int128(MonotonicTime.distantFuture.nanoseconds) { return .distantFuture }
    if sum < Int128(MonotonicTime.distantPast.nanoseconds) { return .distantPast }
    return MonotonicTime(nanoseconds: Int64(truncatingIfNeeded: sum))
  }

  /// The frame whose instant is nearest to `time`, ties upwards.
  @_noAllocation @_noLocks
  public func frame(at time: MonotonicTime) -> FrameIndex {
    let span = (Int128(time.nanoseconds) - Int128(anchorTime.nanoseconds)) << 40
    let duration = Int128(frameDuration > 0 ? frameDuration : 1)
    let numerator = span - Int128(anchorFraction) + duration / 2
    var frames = numerator / duration
    // Int128 division truncates; instants before the anchor need the floor.
    if numerator % duration < 0 { frames -= 1 }
    let sum = Int128(anchorFrame.value) + frames
    if sum > Int128(FrameIndex.distantFuture.value) { return .distantFuture }
    if sum < Int128(FrameIndex.distantPast.value) { return .distantPast }
    return FrameIndex(Int64(truncatingIfNeeded: sum))
  }

  /// How far `time(of: frame)` may be from the truth, in nanoseconds.
  @_noAllocation @_noLocks
  public func uncertaintyNanoseconds(of frame: FrameIndex) -> Int64 {
    let frames = Int128((frame - anchorFrame).value)
    // Rounded up: a bound must not fall short.
    let part = (Int128(1) << 40) - 1
    let span = ((frames < 0 ? -frames : frames) * Int128(frameDuration) + part) >> 40
    let growth = (span * Int128(uncertaintyPPB) + 999_999_999) / 1_000_000_000
    let sum = Int128(uncertaintyNanoseconds) + growth
    return sum > Int128(Int64.max / 2) ? Int64.max / 2 : Int64(truncatingIfNeeded: sum)
  }

  /// The card's rate against CLOCK_MONOTONIC, in parts per million of the nominal rate; a positive
  /// drift is a card that runs fast.
  public var driftPPM: Double {
    @_noAllocation @_noLocks get {
      let nominal = FrameClock.nominalDuration(framesPerSecond: framesPerSecond)
      return Double(nominal &- frameDuration) / Double(frameDuration) * 1_000_000
    }
  }

  /// The same line with `frame` as its anchor; no instant moves by more than 2^-40 ns.
  @_noAllocation @_noLocks
  public func reanchored(at frame: FrameIndex) -> FrameClock {
    var clock = self
    let frames = Int128((frame - anchorFrame).value)
    let offset = frames * Int128(frameDuration) + Int128(anchorFraction)
    clock.anchorFrame = frame
    clock.anchorTime = anchorTime.advanced(
      byNanoseconds: Int64(truncatingIfNeeded: offset >> 40))
    clock.anchorFraction = Int64(truncatingIfNeeded: offset & ((Int128(1) << 40) - 1))
    clock.uncertaintyNanoseconds = uncertaintyNanoseconds(of: frame)
    return clock
  }

  /// The clock of a new epoch: the frame index runs on from `frame`, at its instant, at another rate.
  @_noAllocation @_noLocks
  public func epoch(at frame: FrameIndex, framesPerSecond: Int64) -> FrameClock {
    var clock = reanchored(at: frame)
    clock.framesPerSecond = framesPerSecond > 0 ? framesPerSecond : 1
    clock.frameDuration = FrameClock.nominalDuration(framesPerSecond: clock.framesPerSecond)
    return clock
  }
}
