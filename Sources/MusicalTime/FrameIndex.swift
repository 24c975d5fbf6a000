/// An absolute position on the sample clock; it is never reset while the daemon lives.
///
/// - Unit: frames (one sample per channel) at the rate of the running epoch.
/// - Thread: any
@frozen
public struct FrameIndex: Hashable, Comparable, Sendable, BitwiseCopyable {
  public var value: Int64

  @inlinable @_noAllocation @_noLocks
  public init(_ value: Int64) { self.value = value }

  /// Before every frame: an instant that has always come.
  @inlinable public static var distantPast: FrameIndex {
    @_noAllocation @_noLocks get { FrameIndex(Int64.min / 2) }
  }

  /// After every frame: an instant that never comes.
  @inlinable public static var distantFuture: FrameIndex {
    @_noAllocation @_noLocks get { FrameIndex(Int64.max / 2) }
  }

  @inlinable @_noAllocation @_noLocks
  public static func < (left: FrameIndex, right: FrameIndex) -> Bool { left.value < right.value }

  @inlinable @_noAllocation @_noLocks
  public static func == (left: FrameIndex, right: FrameIndex) -> Bool { left.value == right.value }

  @inlinable @_noAllocation @_noLocks
  public static func + (frame: FrameIndex, count: FrameCount) -> FrameIndex {
    FrameIndex(frame.value &+ count.value)
  }

  @inlinable @_noAllocation @_noLocks
  public static func - (frame: FrameIndex, count: FrameCount) -> FrameIndex {
    FrameIndex(frame.value &- count.value)
  }

  @inlinable @_noAllocation @_noLocks
  public static func - (left: FrameIndex, right: FrameIndex) -> FrameCount {
    FrameCount(left.value &- right.value)
  }
}

/// A distance on the sample clock, in frames; negative runs backwards.
///
/// - Thread: any
@frozen
public struct FrameCount: Hashable, Comparable, Sendable, BitwiseCopyable {
  public var value: Int64

  @inlinable @_noAllocation @_noLocks
  public init(_ value: Int64) { self.value = value }

  /// A span of time in whole frames, rounded half up.
  @inlinable @_noAllocation @_noLocks
  public init(milliseconds: Int64, rate: Int64) {
    let scaled = milliseconds &* rate &+ 500
    self.value = scaled >= 0 ? scaled / 1000 : -((999 &- scaled) / 1000)
  }

  @inlinable @_noAllocation @_noLocks
  public static func < (left: FrameCount, right: FrameCount) -> Bool { left.value < right.value }

  @inlinable @_noAllocation @_noLocks
  public static func == (left: FrameCount, right: FrameCount) -> Bool { left.value == right.value }

  @inlinable @_noAllocation @_noLocks
  public static func + (left: FrameCount, right: FrameCount) -> FrameCount {
    FrameCount(left.value &+ right.value)
  }
}
