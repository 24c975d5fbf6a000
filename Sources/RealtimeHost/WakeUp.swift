internal import CLinux

/// A descriptor that wakes a thread which waits in poll.
///
/// - Thread: `signal` from any thread; `drain` from the one that waits. The write is a system call:
///   never from within a render.
public final class WakeUp: Sendable {
  /// For poll; -1 where the system had none left, and then waits end by their time-outs.
  public let descriptor: Int32

  public init() { descriptor = clinux_eventfd() }
  deinit { if descriptor >= 0 { clinux_close(descriptor) } }

  public func signal() {
    // EAGAIN: the counter is full, so the reader is awake already.
    if descriptor >= 0 { _ = clinux_eventfd_signal(descriptor) }
  }

  /// Takes all signals so far; false where there was none.
  @discardableResult
  public func drain() -> Bool { descriptor >= 0 && clinux_eventfd_drain(descriptor) > 0 }
}
