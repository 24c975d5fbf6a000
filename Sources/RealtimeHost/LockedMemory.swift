internal import CLinux

/// Memory that is never paged out under the threads that must be on time.
public enum LockedMemory {
  /// Whether the process got its memory locked.
  public enum Grant: Sendable, Equatable {
    case locked
    /// The system refused (errno); `limitBytes` is RLIMIT_MEMLOCK.
    case refused(code: Int32, limitBytes: UInt64)

    /// What it means and how it is mended; nil where there is nothing to mend.
    public var warning: String? {
      guard case .refused(_, let limit) = self else { return nil }
      return
        "locked memory refused (limit \(limit / 1024) KB): a page fault may hold up a click. "
        + RealtimeGrant.fix
    }
  }

  /// Locks every page of the process from its first touch on, those of today and of the future.
  ///
  /// Not MCL_CURRENT|MCL_FUTURE alone: that would bring in every page of every library and stack.
  /// - Thread: any, once, before the real-time threads start.
  public static func lock() -> Grant {
    let code = clinux_lock_memory()
    return code == 0 ? .locked : .refused(code: code, limitBytes: clinux_limit_memlock())
  }

  /// One malloc arena for all threads; must come before the first thread.
  public static func useOneArena() { clinux_one_malloc_arena() }

  /// Writes to each page, so that its first use is not a page fault.
  public static func touch(_ memory: UnsafeMutableRawPointer, byteCount: Int) {
    var offset = 0
    while offset < byteCount {
      let byte = unsafe memory.load(fromByteOffset: offset, as: UInt8.self)
      unsafe memory.storeBytes(of: byte, toByteOffset: offset, as: UInt8.self)
      offset += 4096
    }
  }

  /// Page faults of the calling thread since it started.
  public static func threadPageFaults() -> (minor: Int64, major: Int64) {
    var minor: Int64 = 0
    var major: Int64 = 0
    unsafe clinux_thread_page_faults(&minor, &major)
    return (minor, major)
  }
}
