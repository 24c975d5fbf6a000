internal import CLinux
internal import Synchronization

/// A descriptor that wakes a thread which waits in poll.
///
/// - Thread: `signal` from any thread; `drain` from the one that waits. The write is a system call:
///   never from within a render.
public final class WakeUp: Sendable {
  /// For poll; -1 where the system had none left, and then waits end by their time-outs.
  public let descriptor: Int32
  private let wantsMore = Atomic<Bool>(true)

  public init() { descriptor = clinux_eventfd() }
  deinit { if descriptor >= 0 { clinux_close(descriptor) } }

  public func signal() {
    // EAGAIN: the counter is full, so the reader is awake already.
    if descriptor >= 0 { _ = clinux_eventfd_signal(descriptor) }
  }

  /// Wakes the reader only if it has said that it needs more before it can go on.
  ///
  /// What it is to find has been stored before.
  public func signalIfWanted() {
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    if wantsMore.load(ordering: .relaxed) { signal() }
  }

  /// Said by the reader before it waits: whether `signalIfWanted` is to wake it.
  ///
  /// After a yes it looks for what has come meanwhile once more before it waits, or it may sleep
  /// on it.
  public func want(_ more: Bool) {
    wantsMore.store(more, ordering: .relaxed)
    atomicMemoryFence(ordering: .sequentiallyConsistent)
  }

  /// Waits for a signal, and takes it; without a descriptor, for a slice of 2 ms.
  public func wait() {
    _ = clinux_poll_two(descriptor, -1, descriptor >= 0 ? -1 : 2)
    drain()
  }

  /// Takes all signals so far; false where there was none.
  @discardableResult
  public func drain() -> Bool { descriptor >= 0 && clinux_eventfd_drain(descriptor) > 0 }
}
