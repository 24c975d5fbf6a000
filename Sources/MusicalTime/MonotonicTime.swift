/// An instant of CLOCK_MONOTONIC, the only host clock.
///
/// - Unit: nanoseconds
/// - Thread: any
@frozen
public struct MonotonicTime: Hashable, Comparable, Sendable, BitwiseCopyable {
  public var nanoseconds: Int64

  @inlinable @_noAllocation @_noLocks
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// Before every instant.
  @inlinable public static var distantPast: MonotonicTime {
    @_noAllocation @_noLocks get { MonotonicTime(nanoseconds: Int64.min / 2) }
  }

  /// After every instant.
  @inlinable public static var distantFuture: MonotonicTime {
    @_noAllocation @_noLocks get { MonotonicTime(nanoseconds: Int64.max / 2) }
  }

  @inlinable @_noAllocation @_noLocks
  public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  @inlinable @_noAllocation @_noLocks
  public static func == (left: MonotonicTime, right: MonotonicTime) -> Bool {
    left.nanoseconds == right.nanoseconds
  }

  /// Later by so many nanoseconds.
  @inlinable @_noAllocation @_noLocks
  public func advanced(byNanoseconds count: Int64) -> MonotonicTime {
    MonotonicTime(nanoseconds: nanoseconds &+ count)
  }

  /// Nanoseconds from `earlier` to this instant.
  @inlinable @_noAllocation @_noLocks
  public func nanoseconds(since earlier: MonotonicTime) -> Int64 {
    nanoseconds &- earlier.nanoseconds
  }
}
