public import MusicalTime
internal import RealtimeHost

/// The time that the loop lives in: the machine's, or a test's.
///
/// - Thread: audio
public protocol HostClock: AnyObject {
  func now() -> MonotonicTime
  func sleep(until instant: MonotonicTime)
}

/// CLOCK_MONOTONIC.
public final class SystemClock: HostClock, Sendable {
  public init() {}
  public func now() -> MonotonicTime { MonotonicClock.now() }
  public func sleep(until instant: MonotonicTime) { MonotonicClock.sleep(until: instant) }
}
