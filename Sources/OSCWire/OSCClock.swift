internal import Glibc
public import MusicalTime

/// The two clocks of the host: the monotonic one that counts, and the wall clock of time tags.
///
/// - Thread: any
public struct OSCClock: Sendable {
  public var now: @Sendable () -> MonotonicTime
  /// Wall clock minus monotonic clock, in nanoseconds.
  public var wallOffset: @Sendable () -> Int64

  public init(
    now: @escaping @Sendable () -> MonotonicTime, wallOffset: @escaping @Sendable () -> Int64
  ) {
    self.now = now
    self.wallOffset = wallOffset
  }

  public static let system = OSCClock(
    now: { MonotonicTime(nanoseconds: read(CLOCK_MONOTONIC)) },
    wallOffset: {
      // Between two readings of the monotonic clock, so that a pause between is halved.
      let before = read(CLOCK_MONOTONIC)
      let wall = read(CLOCK_REALTIME)
      let after = read(CLOCK_MONOTONIC)
      return wall &- (before &+ (after &- before) / 2)
    })

  private static func read(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
  }

  /// The time tag of an instant.
  public func timetag(_ instant: MonotonicTime) -> OSCTimetag {
    OSCTimetag(wallNanoseconds: instant.nanoseconds &+ wallOffset())
  }

  /// The instant of a time tag.
  public func instant(_ timetag: OSCTimetag) -> MonotonicTime {
    MonotonicTime(nanoseconds: timetag.wallNanoseconds &- wallOffset())
  }
}
