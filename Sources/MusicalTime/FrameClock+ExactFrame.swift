/// Places between frames: what relates the recordings of one clock to the grid of another.
extension FrameClock {
  /// The frame at an instant, with its fraction; good to 0.001 frame within hours of the anchor.
  public func exactFrame(at time: MonotonicTime) -> Double {
    let span = Int128(time.nanoseconds(since: anchorTime)) << 40 - Int128(anchorFraction)
    let duration = Int128(frameDuration > 0 ? frameDuration : 1)
    var whole = span / duration
    if span % duration < 0 { whole -= 1 }
    let rest = Double(Int64(truncatingIfNeeded: span - whole * duration)) / Double(duration)
    return Double(anchorFrame.value + Int64(truncatingIfNeeded: whole)) + rest
  }
}
