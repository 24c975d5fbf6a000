internal import CLinux
public import MusicalTime

/// Waits for an absolute instant, and ends early when it is woken: at 5 quarters a minute a plain
/// sleep would hold a Stop for half a second.
///
/// - Thread: one waits; any wakes.
public final class DeadlineTimer: Sendable {
  private let descriptor: Int32

  public init() { descriptor = clinux_timerfd() }
  deinit { if descriptor >= 0 { clinux_close(descriptor) } }

  /// Without a timer or a wake-up (no descriptors left) waits are slices of this length.
  private static let sliceMilliseconds: Int32 = 2
  /// A wait without a deadline ends after a second, in case a wake-up was lost.
  private static let idleMilliseconds: Int32 = 1000

  /// - Parameter deadline: nil waits for the wake-up alone.
  public func wait(until deadline: MonotonicTime?, or wake: WakeUp) {
    let slice = DeadlineTimer.sliceMilliseconds
    let isWakeable = wake.descriptor >= 0
    guard let deadline else {
      _ = clinux_poll_two(
        wake.descriptor, -1, isWakeable ? DeadlineTimer.idleMilliseconds : slice)
      wake.drain()
      return
    }
    // Arming with 0 would disarm it.
    let instant = max(deadline.nanoseconds, 1)
    let isArmed = descriptor >= 0 && clinux_timerfd_arm(descriptor, instant) == 0
    guard isArmed else {
      let limit = MonotonicClock.now().advanced(byNanoseconds: Int64(slice) * 1_000_000)
      MonotonicClock.sleep(until: min(deadline, limit))
      wake.drain()
      return
    }
    let ready = clinux_poll_two(wake.descriptor, descriptor, isWakeable ? -1 : slice)
    if ready & 1 != 0 { wake.drain() }
  }
}
