public import MusicalTime

/// The transport starts.
@frozen
public struct StartEvent: Sendable, BitwiseCopyable {
  /// Beat one of bar 1: the instant of pulse 0.
  public var frame: FrameIndex
  /// The first pulse of the run: that of beat one, or of the count-in.
  public var firstFrame: FrameIndex
  /// The number of the first pulse: 0, or negative with a count-in.
  public var firstPulse: Int64

  @inlinable @_noAllocation @_noLocks
  public init(frame: FrameIndex, firstFrame: FrameIndex, firstPulse: Int64) {
    self.frame = frame
    self.firstFrame = firstFrame
    self.firstPulse = firstPulse
  }
}

/// The transport resumes.
@frozen
public struct ContinueEvent: Sendable, BitwiseCopyable {
  public var frame: FrameIndex
  public var firstPulse: Int64
  public var songPulse: Int64

  @inlinable @_noAllocation @_noLocks
  public init(frame: FrameIndex, firstPulse: Int64, songPulse: Int64) {
    self.frame = frame
    self.firstPulse = firstPulse
    self.songPulse = songPulse
  }
}

/// The transport stops.
@frozen
public struct StopEvent: Sendable, BitwiseCopyable {
  /// The first frame not yet rendered. Pulses, clicks and beats at or after it are void; FC is due
  /// here.
  public var frame: FrameIndex
  /// Where Continue resumes: the number and song position of the first pulse that is void.
  public var nextPulse: Int64
  public var songPulse: Int64
  /// At once: pending output is dropped and notes are turned off.
  public var isPanic: Bool
  /// Known ahead (the end of a song, trainer or timer): the transport runs on until `frame`.
  public var isScheduled: Bool

  @inlinable @_noAllocation @_noLocks
  public init(
    frame: FrameIndex, nextPulse: Int64, songPulse: Int64, isPanic: Bool, isScheduled: Bool = false
  ) {
    self.frame = frame
    self.nextPulse = nextPulse
    self.songPulse = songPulse
    self.isPanic = isPanic
    self.isScheduled = isScheduled
  }
}

/// The score position jumps while pulses run on.
@frozen
public struct JumpEvent: Sendable, BitwiseCopyable {
  public var frame: FrameIndex
  /// The pulse of the run at the bar line.
  public var number: Int64
  public var songPulse: Int64

  @inlinable @_noAllocation @_noLocks
  public init(frame: FrameIndex, number: Int64, songPulse: Int64) {
    self.frame = frame
    self.number = number
    self.songPulse = songPulse
  }
}
