internal import CLinux
public import MusicalTime

/// The host's CLOCK_MONOTONIC, read and waited for at the edges only.
///
/// - Thread: any
public enum MonotonicClock {
  /// The present instant.
  @_noAllocation @_noLocks
  public static func now() -> MonotonicTime {
    MonotonicTime(nanoseconds: clinux_monotonic_nanoseconds())
  }

  /// Sleeps until an absolute instant, through signals; an instant that has passed returns at once.
  public static func sleep(until instant: MonotonicTime) {
    // EINTR (4): a signal handler ran; the deadline is absolute, so nothing adds up.
    while clinux_sleep_until(instant.nanoseconds) == 4 {}
  }
}
