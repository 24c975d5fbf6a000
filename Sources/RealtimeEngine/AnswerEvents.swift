public import MusicalTime

/// A command was taken; it acts from `frame` on.
@frozen
public struct EffectiveEvent: Sendable, BitwiseCopyable {
  public var frame: FrameIndex
  /// The identifier that came with the command.
  public var command: UInt32

  @inlinable @_noAllocation @_noLocks
  public init(frame: FrameIndex, command: UInt32) {
    self.frame = frame
    self.command = command
  }
}

/// A command could not be taken.
@frozen
public struct RefusedEvent: Sendable, BitwiseCopyable {
  @frozen
  public enum Reason: UInt8, Sendable, BitwiseCopyable {
    /// Nothing to do: what was asked for is so.
    case alreadyRolling, alreadyStopped
    case rolling, rampRuns, noScore, outOfRange
    /// The sounds before the last ones still ring; the refused bank is retired.
    case tooManySounds
    /// A Stop that was made later came first.
    case overtaken
  }

  public var frame: FrameIndex
  public var command: UInt32
  public var reason: Reason

  @inlinable @_noAllocation @_noLocks
  public init(frame: FrameIndex, command: UInt32, reason: Reason) {
    self.frame = frame
    self.command = command
    self.reason = reason
  }
}
