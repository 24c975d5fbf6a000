/// Disk, clock, and whether the metronome comes back by itself.
public enum HouseCheck {
  /// What only system calls tell; given in tests.
  public struct Facts: Equatable, Sendable {
    /// Bytes free where presets and the last state lie; nil where that is not known.
    public var freeBytes: Int?
    /// Whether something could be written there.
    public var isWritable: Bool
    /// Where that is.
    public var folder: String
    /// Whether the kernel's clock is kept by a time source.
    public var isClockSynchronised: Bool?
    public var user: String
    public var home: String

    public init(
      freeBytes: Int?, isWritable: Bool, folder: String, isClockSynchronised: Bool?, user: String,
      home: String
    ) {
      self.freeBytes = freeBytes
      self.isWritable = isWritable
      self.folder = folder
      self.isClockSynchronised = isClockSynchronised
      self.user = user
      self.home = home
    }
  }

  public static func findings(_ facts: Facts, _ files: SystemFiles) -> [Finding] {
    [disk(facts), clock(facts), service(facts, files)].compactMap { $0 }
  }

  static func disk(_ facts: Facts) -> Finding {
    guard facts.isWritable else {
      return Finding(
        "disk", .warning,
        "\(facts.folder) cannot be written: presets and the last state will not be kept",
        fix: "name another folder with tactusd --folder PATH, or make it writable")
    }
    guard let free = facts.freeBytes else {
      return Finding("disk", .unknown, "\(facts.folder): the free space is not known")
    }
    // A minute of stereo at 48 kHz and 24 bits takes 17 MB.
    return free < 100 << 20
      ? Finding(
        "disk", .warning, "\(free >> 20) MB free at \(facts.folder)",
        fix: "make room: a minute of a stereo take needs 17 MB")
      : Finding("disk", .good, "\(free >> 20) MB free at \(facts.folder)")
  }

  /// Time tags are wall time; clicks and MIDI clock never use it.
  static func clock(_ facts: Facts) -> Finding {
    switch facts.isClockSynchronised {
    case true?: Finding("wall-clock", .good, "kept by a time source")
    case false?:
      Finding(
        "wall-clock", .warning,
        "not kept by a time source: receivers that go by time tags may be off; clicks and MIDI are not",
        fix: "sudo timedatectl set-ntp true; without internet: tactus companion needs no wall clock"
      )
    case nil: Finding("wall-clock", .unknown, "the system does not say whether it is synchronised")
    }
  }

  static func service(_ facts: Facts, _ files: SystemFiles) -> Finding? {
    let unit = "tactusd.service"
    let wanted = ["/etc/systemd/system", "/usr/lib/systemd/system", "/lib/systemd/system"]
    if files.isThere("/etc/systemd/system/multi-user.target.wants/\(unit)") {
      guard hasUserSound(files) else {
        return Finding("service", .good, "starts at boot, for the machine")
      }
      return Finding(
        "service", .warning,
        "starts at boot, for the machine, but sound belongs to the PipeWire of the one who is logged in",
        fix: "name the card itself: tactus service install -- --device hw:CARD=NAME; "
          + "or a user's service: tactus service install --user")
    }
    if files.isThere("\(facts.home)/.config/systemd/user/default.target.wants/\(unit)") {
      return files.isThere("/var/lib/systemd/linger/\(facts.user)")
        ? Finding("service", .good, "starts at boot, for \(facts.user)")
        : Finding(
          "service", .warning, "starts only when \(facts.user) logs in",
          fix: "loginctl enable-linger \(facts.user)")
    }
    if wanted.contains(where: { files.isThere("\($0)/\(unit)") }) {
      return Finding(
        "service", .warning, "installed but not enabled: it does not start at boot",
        fix: "sudo systemctl enable --now tactusd")
    }
    return Finding(
      "service", .good, "not installed: tactusd runs while somebody starts it",
      fix: nil)
  }
  /// PipeWire of somebody who is logged in: it holds the cards, and a service of the machine is not its.
  private static func hasUserSound(_ files: SystemFiles) -> Bool {
    files.names(in: "/run/user").contains { files.isThere("/run/user/\($0)/pipewire-0") }
  }
}
