internal import MusicalTime

/// Finds out where a card is that has just been started: two stamps that tell the same story.
///
/// The first stamps after a start may be zero or stale (snd-aloop), or milliseconds off while a
/// sound server settles, so one is not enough.
///
/// - Thread: audio
struct JoinMeasurement {
  /// Stamps that could not be believed.
  var doubts = 0
  /// Frames of silence written since the start.
  var written: Int64 = 0
  private var startedAt = MonotonicTime.distantPast
  private var lastPosition: Int64 = 0
  /// When frame 0 of the silence was heard, as the last stamp tells it.
  private var lastOrigin: MonotonicTime?
  private var stamps = 0

  /// Two stamps agree when they differ by less than this: ten times a normal jitter.
  private static var agreementNanoseconds: Int64 { 200_000 }
  /// After so many stamps the last one is taken as it is.
  private static var patience: Int { 24 }

  /// - Parameter isRunning: the device holds frames from before; only differences count then.
  init(startedAt: MonotonicTime = .distantPast, isRunning: Bool = false) {
    self.startedAt = startedAt
    // More than any buffer holds, so that no delay makes a position negative.
    if isRunning { written = 1 << 32 }
  }

  /// Whether nothing has been heard of the card for two seconds.
  func isStalled(at now: MonotonicTime) -> Bool {
    now.nanoseconds(since: startedAt) > 2_000_000_000
  }

  /// Takes in a status of a running device.
  ///
  /// - Parameter time: a believable stamp.
  /// - Returns: whether the position is now known.
  mutating func take(
    _ status: PCMStatus, time: MonotonicTime, clock: FrameClock
  ) -> Bool {
    let position = written - Int64(status.delayFrames)
    // Nothing of the silence has been heard yet, or no progress since the last stamp.
    guard position > 0, position > lastPosition else { return false }
    let line = FrameClock(
      frame: FrameIndex(position), heardAt: time, framesPerSecond: clock.framesPerSecond)
    let origin = line.time(of: FrameIndex(0))
    let previous = lastOrigin
    lastPosition = position
    lastOrigin = origin
    stamps += 1
    guard let previous else { return false }
    let difference = origin.nanoseconds(since: previous)
    return difference.magnitude < UInt64(JoinMeasurement.agreementNanoseconds)
      || stamps >= JoinMeasurement.patience
  }
}
