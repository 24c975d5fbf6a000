internal import CLinux
internal import MusicalTime

/// Tells systemd that the daemon is ready, and feeds its watchdog while music time moves.
///
/// The protocol is sd_notify(3): datagrams of `KEY=value` lines to the socket that the environment
/// names. Without it, as on a terminal, nothing is sent.
///
/// - Thread: control
struct ServiceManager {
  private let socket: String?
  /// From one feeding to the next; nil where nobody watches.
  let interval: Int64?
  private let send: (String, String) -> Void
  private var fedAt: MonotonicTime?
  private var countAtFeeding: Int64?

  /// - Parameters:
  ///   - process: this process's number; a watchdog may be meant for another.
  ///   - send: socket and text; for tests.
  init(
    process: Int32, environment: (String) -> String?,
    send: @escaping (String, String) -> Void = { socket, text in
      _ = unsafe clinux_notify(socket, text)
    }
  ) {
    self.send = send
    socket = environment("NOTIFY_SOCKET").flatMap {
      $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil
    }
    let isOurs = environment("WATCHDOG_PID").flatMap { Int32($0) }.map { $0 == process } ?? true
    let limit = environment("WATCHDOG_USEC").flatMap { Int64($0) }
    // Three chances within the limit: one late turn is no reason to be ended.
    if socket != nil, isOurs, let limit, limit > 0, limit < Int64.max / 1_000 {
      interval = max(1, limit * 1_000 / 3)
    } else {
      interval = nil
    }
  }

  func ready() { notify("READY=1") }

  func stopping() { notify("STOPPING=1") }

  /// One line for `systemctl status`.
  func status(_ text: String) {
    notify("STATUS=" + text.split(separator: "\n").joined(separator: " "))
  }

  /// Feeds the watchdog, unless the audio thread (or the one that paces in its place) has stood
  /// still since the last feeding.
  ///
  /// - Parameter count: periods that this thread has done.
  mutating func service(now: MonotonicTime, count: Int64) {
    guard let interval else { return }
    if let fedAt, now.nanoseconds(since: fedAt) < interval { return }
    guard count != countAtFeeding else { return }
    fedAt = now
    countAtFeeding = count
    notify("WATCHDOG=1")
  }

  private func notify(_ text: String) {
    if let socket { send(socket, text) }
  }
}
