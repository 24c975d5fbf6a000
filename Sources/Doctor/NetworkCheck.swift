/// Whether a tablet can find the metronome and reach it.
public enum NetworkCheck {
  public static func findings(_ files: SystemFiles, oscPort: Int, webPort: Int) -> [Finding] {
    [
      port(files, "osc-port", oscPort), port(files, "web-port", webPort), avahi(files),
      firewall(files),
    ]
    .compactMap { $0 }
  }

  /// Who holds a port: `  sl local_address ...` of /proc/net/udp and tcp, in hexadecimal.
  static func port(_ files: SystemFiles, _ name: String, _ port: Int) -> Finding {
    let wanted = ":" + hexadecimal(port)
    var inode: String?
    for table in ["udp", "udp6", "tcp", "tcp6"] {
      for line in (files.text("/proc/net/\(table)") ?? "").split(separator: "\n").dropFirst() {
        let fields = line.split(separator: " ")
        // State 0A is a listening connection, 07 a datagram socket that is bound.
        guard fields.count > 9, fields[1].hasSuffix(wanted), fields[3] == "0A" || fields[3] == "07"
        else { continue }
        inode = String(fields[9])
      }
    }
    guard let inode else { return Finding(name, .good, "port \(port) is free") }
    guard let owner = owner(ofSocket: inode, files) else {
      return Finding(name, .unknown, "port \(port) is in use; the system does not say by whom")
    }
    if owner.hasPrefix("tactus") { return Finding(name, .good, "port \(port): \(owner)") }
    return Finding(
      name, .bad, "port \(port) is taken by \(owner)",
      fix: name == "osc-port"
        ? "end \(owner), or choose another: tactusd --osc-port 9701"
        : "end \(owner), or choose another: tactusd --web-port 9781")
  }

  private static func hexadecimal(_ port: Int) -> String {
    let text = String(port, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - text.count)) + text
  }

  private static func owner(ofSocket inode: String, _ files: SystemFiles) -> String? {
    for process in files.names(in: "/proc") where process.allSatisfy(\.isNumber) {
      for descriptor in files.names(in: "/proc/\(process)/fd") {
        if files.link("/proc/\(process)/fd/\(descriptor)") == "socket:[\(inode)]" {
          return files.line("/proc/\(process)/comm")
        }
      }
    }
    return nil
  }

  static func avahi(_ files: SystemFiles) -> Finding {
    files.isThere("/run/avahi-daemon/socket") || files.isThere("/var/run/avahi-daemon/socket")
      ? Finding("avahi", .good, "avahi-daemon runs: tablets find Tactus by name")
      : Finding(
        "avahi", .warning, "avahi-daemon does not run: tablets need the address typed in",
        fix: "sudo apt install avahi-daemon")
  }

  static func firewall(_ files: SystemFiles) -> Finding? {
    if files.value("ENABLED", in: "/etc/ufw/ufw.conf", separator: "=") == "yes" {
      return Finding(
        "firewall", .warning, "ufw is on: tablets may not get through",
        fix: "sudo ufw allow 9700 && sudo ufw allow 9780/tcp && sudo ufw allow 5353/udp")
    }
    if files.isThere("/run/firewalld.pid") || files.isThere("/run/firewalld") {
      return Finding(
        "firewall", .warning, "firewalld runs: tablets may not get through",
        fix: "sudo firewall-cmd --permanent --add-port=9700/udp --add-port=9700/tcp "
          + "--add-port=9780/tcp --add-service=mdns && sudo firewall-cmd --reload")
    }
    return nil
  }
}
