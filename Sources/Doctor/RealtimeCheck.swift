/// Whether the system lets a thread be on time.
public enum RealtimeCheck {
  /// What the process itself may do; asked of the running system, given in tests.
  public struct Rights: Equatable, Sendable {
    /// The highest SCHED_FIFO priority that may be asked for; 0 for none, 99 for root.
    public var priority: Int
    /// Bytes that may be locked; nil without a limit.
    public var lockedBytes: Int?

    public init(priority: Int, lockedBytes: Int?) {
      self.priority = priority
      self.lockedBytes = lockedBytes
    }
  }

  /// The audio thread asks for 70, the MIDI thread for ten more.
  static let wantedPriority = 80
  /// What the daemon locks when it plays with sound files.
  static let wantedBytes = 64 << 20

  static let limits =
    "put '@audio - rtprio 95' and '@audio - memlock 262144' into /etc/security/limits.d/audio.conf, "
    + "add yourself to the group with: usermod -aG audio USER, and log in again"

  public static func findings(_ rights: Rights, _ files: SystemFiles) -> [Finding] {
    [priority(rights), memory(rights), governor(files), preemption(files), power(files)]
      .compactMap { $0 }
  }

  static func priority(_ rights: Rights) -> Finding {
    guard rights.priority < wantedPriority else {
      return Finding("realtime-priority", .good, "up to \(rights.priority) may be asked for")
    }
    return Finding(
      "realtime-priority", rights.priority > 0 ? .warning : .bad,
      rights.priority > 0
        ? "only up to \(rights.priority) may be asked for, \(wantedPriority) is wanted"
        : "none may be asked for: other programs can delay clicks and MIDI clock",
      fix: limits)
  }

  static func memory(_ rights: Rights) -> Finding {
    guard let bytes = rights.lockedBytes, bytes < wantedBytes else {
      return Finding(
        "locked-memory", .good,
        rights.lockedBytes.map { "up to \($0 >> 20) MB may be locked" } ?? "without a limit")
    }
    return Finding(
      "locked-memory", .warning,
      "only \(bytes >> 10) KB may be locked: memory that was paged out makes a click late",
      fix: limits)
  }

  static func governor(_ files: SystemFiles) -> Finding? {
    let folder = "/sys/devices/system/cpu"
    var names: [String] = []
    for cpu in files.names(in: folder)
    where cpu.hasPrefix("cpu") && cpu.dropFirst(3).allSatisfy(\.isNumber) {
      if let name = files.line("\(folder)/\(cpu)/cpufreq/scaling_governor"), !names.contains(name) {
        names.append(name)
      }
    }
    guard !names.isEmpty else { return nil }
    let text = names.joined(separator: ", ")
    guard names.contains(where: { $0 != "performance" }) else {
      return Finding("cpu-governor", .good, text)
    }
    // schedutil and ondemand change the frequency at each wake-up, which costs some ten microseconds.
    return Finding(
      "cpu-governor", names.contains("powersave") ? .warning : .good, text,
      fix: names.contains("powersave")
        ? "echo performance | sudo tee \(folder)/cpu*/cpufreq/scaling_governor" : nil)
  }

  static func preemption(_ files: SystemFiles) -> Finding {
    let version = files.line("/proc/version") ?? ""
    let words = files.line("/proc/cmdline")?.split(separator: " ").map(String.init) ?? []
    if files.line("/sys/kernel/realtime") == "1" || version.contains("PREEMPT_RT") {
      return Finding("kernel-preemption", .good, "real-time kernel (PREEMPT_RT)")
    }
    if let mode = files.line("/sys/kernel/debug/sched/preempt") {
      // The mode in force stands in brackets: none (voluntary) full.
      if mode.contains("(full)") { return Finding("kernel-preemption", .good, "preempt=full") }
    }
    if words.contains("preempt=full") {
      return Finding("kernel-preemption", .good, "preempt=full on the command line")
    }
    guard version.contains("PREEMPT_DYNAMIC") else {
      return version.contains("PREEMPT")
        ? Finding("kernel-preemption", .good, "a preemptible kernel")
        : Finding(
          "kernel-preemption", version.isEmpty ? .unknown : .warning,
          version.isEmpty
            ? "the kernel does not say"
            : "system calls of other programs may hold a processor for milliseconds",
          fix: version.isEmpty ? nil : "install a kernel with PREEMPT_DYNAMIC or PREEMPT_RT")
    }
    return Finding(
      "kernel-preemption", .warning,
      "system calls of other programs may hold a processor for milliseconds",
      fix: "add preempt=full to the kernel's command line "
        + "(/etc/default/grub, or /boot/firmware/cmdline.txt on a Raspberry Pi)")
  }

  /// The Raspberry Pi's firmware: bit 0 under-voltage, 1 frequency capped, 2 throttled, 3 hot; 16 to 19
  /// the same since boot.
  static func power(_ files: SystemFiles) -> Finding? {
    let path = "/sys/devices/platform/soc/soc:firmware/get_throttled"
    guard let text = files.line(path),
      let bits = UInt32(text.hasPrefix("0x") ? String(text.dropFirst(2)) : text, radix: 16)
    else { return nil }
    func words(_ bits: UInt32) -> String {
      zip([1, 2, 4, 8], ["under-voltage", "frequency capped", "throttled", "too hot"])
        .filter { bits & $0.0 != 0 }.map(\.1).joined(separator: ", ")
    }
    let now = words(bits & 15)
    let earlier = words(bits >> 16 & 15)
    let fix =
      bits & 0x1_0001 != 0
      ? "use the power supply made for this board, and no thin USB cable"
      : "give it air or a heat sink"
    if !now.isEmpty { return Finding("power", .bad, "now: \(now)", fix: fix) }
    if !earlier.isEmpty { return Finding("power", .warning, "since boot: \(earlier)", fix: fix) }
    return Finding("power", .good, "neither under-voltage nor throttling since boot")
  }
}
