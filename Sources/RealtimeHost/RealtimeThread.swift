internal import CLinux

/// A thread that keeps its appointments: a small stack that is in memory before the first one, a
/// name for `ps -L`, SCHED_FIFO where the system allows it and the ordinary scheduler where not.
///
/// - Thread: `start` and `join` from the owner; the body runs on the new thread.
public final class RealtimeThread: Sendable {
  public let name: String
  /// What the system allowed.
  public let grant: RealtimeGrant
  private let handle: UInt64

  /// The thread could not be made at all.
  public struct Failure: Error, Sendable, CustomStringConvertible {
    public let name: String
    public let code: Int32
    public var description: String {
      "cannot start the \(name) thread (errno \(code)): too many threads or too little memory"
    }
  }

  /// Starts `body` on a thread of its own.
  ///
  /// - Parameters:
  ///   - name: at most 15 bytes are kept.
  ///   - priority: nil for the ordinary scheduler.
  ///   - stackBytes: 256 KB is enough where nothing deep is called.
  public static func start(
    name: String, priority: RealtimePriority?, stackBytes: Int = 256 * 1024,
    body: @escaping @Sendable () -> Void
  ) throws(Failure) -> RealtimeThread {
    let box = unsafe Unmanaged.passRetained(ThreadBody(isPunctual: priority != nil, body))
    var handle: UInt64 = 0
    var code: Int32 = 0
    var grant = RealtimeGrant.ordinary
    if let priority {
      // Root and CAP_SYS_NICE pass the limit by, so try the request first, then what the limit allows.
      let limited = priority.within(limit: clinux_limit_rtprio())
      code = unsafe clinux_thread_start(
        &handle, name, priority.rawValue, UInt64(stackBytes), runThreadBody, box.toOpaque())
      if code == 0 {
        return RealtimeThread(name, .realtime(priority: priority.rawValue), handle)
      }
      grant = .refused(code: code)
      if limited > 0 && limited != priority.rawValue {
        code = unsafe clinux_thread_start(
          &handle, name, limited, UInt64(stackBytes), runThreadBody, box.toOpaque())
        if code == 0 { return RealtimeThread(name, .realtime(priority: limited), handle) }
      }
    }
    code = unsafe clinux_thread_start(
      &handle, name, 0, UInt64(stackBytes), runThreadBody, box.toOpaque())
    guard code == 0 else {
      unsafe box.release()
      throw Failure(name: name, code: code)
    }
    return RealtimeThread(name, grant, handle)
  }

  /// Waits for the body to return; once only.
  public func join() { _ = clinux_thread_join(handle) }

  private init(_ name: String, _ grant: RealtimeGrant, _ handle: UInt64) {
    self.name = name
    self.grant = grant
    self.handle = handle
  }
}

private final class ThreadBody: Sendable {
  let isPunctual: Bool
  let body: @Sendable () -> Void

  init(isPunctual: Bool, _ body: @escaping @Sendable () -> Void) {
    self.isPunctual = isPunctual
    self.body = body
  }
}

/// Top level, so that no actor isolation is checked on a thread that Swift does not know.
private func runThreadBody(_ context: UnsafeMutableRawPointer?) {
  guard let context = unsafe context else { return }
  let box = unsafe Unmanaged<ThreadBody>.fromOpaque(context).takeRetainedValue()
  if box.isPunctual {
    // 50 us of slack on every sleep would be the largest part of an ordinary thread's lateness.
    clinux_set_timer_slack(1)
    // Deep enough for alsa-lib's plug chain; the rest of the stack costs nothing until it is used.
    clinux_touch_stack(64 * 1024)
  }
  box.body()
}
