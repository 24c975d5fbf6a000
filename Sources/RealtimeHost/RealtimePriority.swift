internal import CLinux

/// Who goes first when several threads are due at the same instant.
///
/// MIDI pulses are due within microseconds and take microseconds; a period of audio is due within
/// milliseconds. So the MIDI thread stands above the audio thread. A lamp may be late by what both
/// need, and by no more.
public enum RealtimePriority: Int32, Sendable, CaseIterable {
  case lamps = 60
  /// A capture buffer holds a quarter of a second: it waits for the others.
  case capture = 65
  case audio = 70
  case midi = 72

  /// The SCHED_FIFO priority to ask for where the process may go up to `limit` (RLIMIT_RTPRIO);
  /// the order is kept as long as there is room for it.
  ///
  /// - Returns: 1 ... 99; 0 where real-time scheduling is not allowed.
  public func within(limit: UInt64) -> Int32 {
    let highest = RealtimePriority.midi.rawValue
    guard limit > 0 else { return 0 }
    guard limit < UInt64(highest) else { return rawValue }
    let lowered = Int32(limit) - (highest - rawValue)
    return lowered > 1 ? lowered : 1
  }
}

/// Whether a thread got the scheduling it needs.
///
/// - Thread: any
public enum RealtimeGrant: Sendable, Equatable {
  /// SCHED_FIFO at this priority.
  case realtime(priority: Int32)
  /// The ordinary scheduler, because the system refused (errno).
  case refused(code: Int32)
  /// The ordinary scheduler, as asked for.
  case ordinary

  public var isRealtime: Bool {
    if case .realtime = self { return true }
    return false
  }

  /// What it means and how it is mended; nil where there is nothing to mend.
  public func warning(thread: String) -> String? {
    guard case .refused = self else { return nil }
    return
      "real-time scheduling refused for the \(thread) thread: clicks and pulses may be late under "
      + "load. " + RealtimeGrant.fix
  }

  /// How a system lets a program be on time.
  public static let fix =
    "Put '@audio - rtprio 95' and '@audio - memlock unlimited' into "
    + "/etc/security/limits.d/audio.conf, add the user to group audio and log in again; "
    + "in a systemd unit set LimitRTPRIO=95 and LimitMEMLOCK=infinity; "
    + "or run 'sudo setcap cap_sys_nice,cap_ipc_lock+ep' on the program."
}
