public import MusicalTime

/// One instant on both lines of time: what a person hears at `time` lies at `frame`.
///
/// - Thread: made by the edge that owns the FrameClock (or by the offline renderer), read by the
///   conductor.
public struct ControlInstant: Equatable, Sendable {
  public var time: MonotonicTime
  public var frame: FrameIndex

  public init(time: MonotonicTime, frame: FrameIndex) {
    self.time = time
    self.frame = frame
  }

  /// The frame heard at an instant near this one, at the nominal rate: over the second that a tap
  /// may be old, a clock 100 ppm off is 5 frames out at 48 kHz.
  func frame(at other: MonotonicTime, rate: Int64) -> FrameIndex {
    let distance = other.nanoseconds(since: time)
    guard distance.magnitude < 100_000_000_000 else { return frame }
    // Nearest, half up; the range above keeps the product inside 64 bits up to 192 kHz.
    let scaled = Double(distance) * Double(rate) / 1e9
    return frame + FrameCount(Int64((scaled + 0.5).rounded(.down)))
  }
}
