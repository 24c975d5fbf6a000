import Foundation
import OSCWire
import Testing

/// What the control thread asks of the kernel, as strace saw it.
///
/// The daemon's first thread is the control thread; without `-f` strace follows it alone.
@Suite struct ControlThreadTests {
  /// Calls that do not wait, whatever they are for.
  static let harmless: Set<String> = [
    "ppoll", "close", "futex_wake", "brk", "mmap", "munmap", "mprotect", "madvise", "mremap",
    "clone3", "clone", "rt_sigprocmask", "rt_sigaction", "sched_yield", "clock_gettime",
    "getrandom",
    "getpid", "gettid", "eventfd2", "timerfd_create", "timerfd_settime", "fcntl", "getsockname",
    "getpeername", "getsockopt", "setsockopt", "getrlimit", "prlimit64", "epoll_ctl", "getrusage",
    "sched_getparam", "sched_setscheduler", "sched_getscheduler", "set_robust_list", "rseq",
    "membarrier", "restart_syscall", "sched_get_priority_max", "sched_get_priority_min",
    "shutdown",
  ]

  /// - Returns: why a line of strace is a call that may block; nil where it does not.
  static func fault(_ line: String) -> String? {
    guard let open = line.firstIndex(of: "("), line.first?.isLetter == true else { return nil }
    let call = String(line[..<open])
    if harmless.contains(call) { return nil }
    switch call {
    case "futex":
      // A lock that somebody holds. The allocator's own is held for as long as an allocation takes.
      return line.contains("FUTEX_WAKE") ? nil : "waits for a lock"
    case "read", "write", "readv", "writev":
      // Descriptors that were opened without waiting, and counters.
      return line.contains("anon_inode:") || line.contains("inotify") ? nil : "reads or writes"
    case "pread64":
      return line.contains("</proc/") ? nil : "reads a file"
    case "recvmmsg", "recvfrom", "recvmsg", "sendmmsg", "sendto", "sendmsg", "accept4":
      // Their sockets do not wait: the server opens them so.
      return nil
    case "openat", "getdents64":
      // Folders that the kernel keeps in memory: key devices come and go there.
      return line.contains("\"/dev/input") || line.contains("</dev/input>")
        ? nil : "opens or lists a file"
    default: return "is not known to return at once"
    }
  }

  @Test func `the judge of calls knows the blocking ones`() {
    for line in [
      #"openat(AT_FDCWD, "/tmp/a.json", O_RDONLY) = 5"#, "wait4(12, 0x0, 0, NULL) = 12",
      "fsync(5</tmp/a>) = 0", "clock_nanosleep(CLOCK_MONOTONIC, 0, {tv_sec=1}, NULL) = 0",
      "connect(7<socket:[1]>, {sa_family=AF_INET}, 16) = 0", "poll([{fd=7}], 1, 5000) = 1",
      "futex(0x7f, FUTEX_WAIT_PRIVATE, 2, NULL) = 0", #"write(1</dev/pts/0>, "x", 1) = 1"#,
      #"read(5</tmp/a.json>, "", 100) = 0"#, "socket(AF_INET, SOCK_DGRAM, 0) = 7",
      "getdents64(5</tmp>, 0x0, 32768) = 0", #"unlink("/tmp/a") = 0"#,
    ] { #expect(Self.fault(line) != nil, "\(line)") }
    for line in [
      "ppoll([{fd=3}], 1, {tv_sec=0}, NULL, 8) = 1", "brk(0x1) = 0x1",
      "futex(0x7f, FUTEX_WAKE_PRIVATE, 1) = 1", "read(4<anon_inode:[eventfd]>, \"\", 8) = 8",
      "--- SIGCONT {si_signo=SIGCONT} ---",
    ] { #expect(Self.fault(line) == nil, "\(line)") }
  }

  @Test func `the control thread waits in poll and nowhere else`() throws {
    try NeverDeafTests.withPresets { folder in
      let log = "\(folder)/strace.txt"
      let daemon = try DaemonProcess.ready(
        [
          "120", "--folder", folder, "--state-folder", "\(folder)/state", "--feedback",
          "tablet.invalid:9",
          "--beat-target", "127.0.0.1:9,gate",
        ], wrapper: ["/usr/bin/strace", "-y", "-s", "64", "-o", log])
      let requests: [OSCMessage] = [
        OSCMessage("/tactus/preset", .string("slow")), OSCMessage("/tactus/preset/next"),
        OSCMessage("/tactus/preset", .string("lamps")), OSCMessage("/tactus/preset/list"),
        OSCMessage("/tactus/preset/save", .string("mine")),
        OSCMessage("/tactus/preset", .string("nosuch")),
        OSCMessage("/tactus/setlist", .string("gig")), OSCMessage("/tactus/setlist/list"),
        OSCMessage("/tactus/preset/next"), OSCMessage("/tactus/map/load", .string("nosuch")),
        OSCMessage("/tactus/sound/strong", .string("wood")),
        OSCMessage("/tactus/sound/normal", .string("nosuch.wav")),
        OSCMessage("/tactus/pitch/strong", .float(3)), OSCMessage("/tactus/info"),
        OSCMessage("/tactus/stats"), OSCMessage("/tactus/state"),
        OSCMessage("/tactus/subscribe", .int32(0), .string("all")),
        OSCMessage("/tactus/stop"), OSCMessage("/tactus/start"),
        OSCMessage("/tactus/midi/learn", .string("tap")),
        OSCMessage("/tactus/tempo", .float(150)),
      ]
      for request in requests { _ = try daemon.ask(request) }
      daemon.send(OSCMessage("/tactus/quit"))
      #expect(daemon.waitForExit() == 0)
      let lines = try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n")
        .map(String.init)
      // From the first wait to the quit, which is read before the end begins.
      // Of many descriptors: what was kept is waited for before, with a limit.
      let first = try #require(
        lines.firstIndex { $0.hasPrefix("ppoll([") && !$0.contains("], 1, ") })
      let last = try #require(lines.firstIndex { $0.contains("/tactus/quit") })
      try #require(first < last)
      let faults = lines[first..<last].compactMap { line in
        Self.fault(line).map { "\(line.prefix(160)): \($0)" }
      }
      // The allocator's lock is common to all threads.
      let locks = faults.filter { $0.hasSuffix("waits for a lock") }
      #expect(locks.count < 20, "\(locks)")
      #expect(faults.filter { !$0.hasSuffix("waits for a lock") } == [])
    }
  }
}
