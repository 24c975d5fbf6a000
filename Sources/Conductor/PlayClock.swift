import MusicalTime

/// How long something has been played, by the engine's facts; stopped time does not count.
///
/// - Unit: frames
/// - Thread: control
struct PlayClock: Equatable, Sendable {
  /// Frames played before the latest Continue.
  private var played: Int64 = 0
  /// Where the present stretch of playing began; nil while paused or not begun.
  private var resumedAt: FrameIndex?
  private(set) var hasBegun = false

  /// The first beat, whatever was played before.
  mutating func begin(at frame: FrameIndex) {
    played = 0
    hasBegun = true
    resumedAt = frame
  }

  mutating func pause(at frame: FrameIndex) {
    played = elapsed(at: frame)
    resumedAt = nil
  }

  /// Goes on where Stop left it; what had not begun begins here.
  mutating func resume(at frame: FrameIndex) {
    guard hasBegun else { return begin(at: frame) }
    if resumedAt == nil { resumedAt = frame }
  }

  /// What the engine says was played.
  mutating func correct(played newPlayed: Int64, at frame: FrameIndex, runs: Bool) {
    played = newPlayed
    hasBegun = hasBegun || runs || newPlayed > 0
    resumedAt = runs ? frame : nil
  }

  /// The same time in frames of another rate.
  mutating func rescale(from old: Int64, to new: Int64, at frame: FrameIndex) {
    played = elapsed(at: frame) * new / old
    if resumedAt != nil { resumedAt = frame }
  }

  func elapsed(at frame: FrameIndex) -> Int64 {
    guard let resumedAt else { return played }
    return played + max(0, frame.value - resumedAt.value)
  }
}
