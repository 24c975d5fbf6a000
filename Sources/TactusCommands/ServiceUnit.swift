/// The systemd unit that keeps the metronome running, as text.
///
/// - Thread: any
struct ServiceUnit: Equatable {
  enum Kind: Equatable {
    /// One for the machine: starts at boot, before anybody logs in.
    case system
    /// One for a user: the sound server of the session is there for it.
    case user
  }

  static let name = "tactusd.service"

  var kind: Kind
  /// The absolute path of tactusd.
  var program: String
  /// What tactusd is started with beside what the unit itself needs.
  var arguments: [String] = []
  /// Those whose devices it uses; systemd starts nothing where one of them does not exist.
  var groups = ServiceUnit.usualGroups
  static let usualGroups = ["audio", "input"]

  var text: String {
    """
    # Made by: tactus service print
    [Unit]
    Description=Tactus metronome
    Documentation=man:tactusd(1)
    # It waits for nothing: cards and networks may come at any time after it.
    StartLimitIntervalSec=0

    [Service]
    Type=notify
    ExecStart=\(commandLine)
    # Fed only while the audio thread moves. KILL: a process that was stopped obeys nothing else.
    WatchdogSec=1s
    WatchdogSignal=SIGKILL
    Restart=always
    RestartSec=100ms
    TimeoutStopSec=5
    LimitRTPRIO=95
    LimitMEMLOCK=256M
    LimitCORE=0
    \(kind == .system ? sandbox : "NoNewPrivileges=yes\nUMask=0077")

    [Install]
    WantedBy=\(kind == .system ? "multi-user.target" : "default.target")

    """
  }

  private var commandLine: String {
    // A user of its own has no home: presets and the last state lie in the state directory.
    let folder = kind == .system ? ["--folder", "%S/tactus"] : []
    return ([ServiceUnit.quoted(program)] + folder + arguments.map(ServiceUnit.quoted))
      .joined(separator: " ")
  }

  /// One word of ExecStart=: systemd expands `%` and `$`, and splits at spaces (systemd.service(5)).
  static func quoted(_ word: String) -> String {
    var result = ""
    var needsQuotes = word.isEmpty
    for character in word {
      switch character {
      case "%": result += "%%"
      case "$": result += "$$"
      case "\\": result += "\\\\"
      case "\"": result += "\\\""
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      default: result.append(character)
      }
      if character.isWhitespace || "\"'\\;".contains(character) { needsQuotes = true }
    }
    return needsQuotes ? "\"\(result)\"" : result
  }

  /// What a metronome does not need. Not restricted: real-time scheduling, and writing to sound cards.
  private var sandbox: String {
    """
    DynamicUser=yes
    StateDirectory=tactus
    SupplementaryGroups=\(groups.joined(separator: " "))
    CapabilityBoundingSet=
    AmbientCapabilities=
    NoNewPrivileges=yes
    DevicePolicy=closed
    DeviceAllow=char-alsa rw
    DeviceAllow=char-input r
    LockPersonality=yes
    MemoryDenyWriteExecute=yes
    PrivateTmp=yes
    PrivateUsers=no
    ProtectClock=yes
    ProtectControlGroups=yes
    ProtectHome=yes
    ProtectHostname=yes
    ProtectKernelLogs=yes
    ProtectKernelModules=yes
    ProtectKernelTunables=yes
    ProtectProc=invisible
    ProtectSystem=strict
    RemoveIPC=yes
    RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
    RestrictNamespaces=yes
    RestrictSUIDSGID=yes
    SystemCallArchitectures=native
    SystemCallFilter=@system-service
    SystemCallFilter=~@privileged
    SystemCallErrorNumber=EPERM
    UMask=0077
    """
  }
}
