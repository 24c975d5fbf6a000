import ALSAAudio
import CLinux
import CommandLineOptions
import Doctor
import Glibc
import MetronomeModel
import MusicalTime
import OSCProtocol
import OSCWire
import ScoreFormats

/// `tactus doctor`
enum DoctorCommand {
  static let command = Subcommand(
    "doctor",
    OptionParser(
      command: "tactus doctor",
      summary: "Check this machine for what makes a metronome late, silent or hard to reach.",
      usage: "[OPTIONS]",
      options: [
        .flag("json", "One JSON object a line: name, verdict, fact, fix."),
        .value(
          "measure", "SECONDS",
          "Also let the running metronome play so long, 5 to 600, and report what was late."),
        .value("root", "FOLDER", "Look at the files of a system below this folder instead."),
        .value("osc-port", "PORT", "The OSC port that the daemon uses; 9700 unless given."),
        .value("web-port", "PORT", "The port of its page; 9780 unless given."),
        .value("folder", "PATH", "The daemon's user folder of presets, sounds and maps."),
        DaemonPeer.hostOption, DaemonPeer.timeoutOption,
      ],
      exitCodes: [
        ExitCode(0, "All is well, or there are warnings only."),
        ExitCode(1, "Something will not work; its line begins with BAD."), .misused, .noAnswer,
      ],
      notes: [
        "Each line: verdict, name, what was found; below it what fixes it.",
        "Try:\n  tactus doctor\n  tactus doctor --measure 60",
      ])
  ) { (parsed, console) throws(CommandFailure) in
    let oscPort: Int
    let webPort: Int
    let seconds: Int?
    do throws(OptionError) {
      oscPort = try parsed.integer("osc-port", in: 1...65_535) ?? Limits.oscPort
      webPort = try parsed.integer("web-port", in: 1...65_535) ?? 9_780
      seconds = try parsed.integer("measure", in: 5...600, unit: "s")
    } catch { throw CommandFailure(error) }
    let files = SystemFiles(root: parsed.value("root") ?? "")
    let folders = ProgramFolders.here(user: parsed.value("folder"))
    var findings = RealtimeCheck.findings(rights, files)
    findings += SoundCheck.findings(files)
    findings += SoundServerCheck.findings(files, user: Int(getuid()))
    if files.root.isEmpty { findings += mixers }
    findings += NetworkCheck.findings(files, oscPort: oscPort, webPort: webPort)
    findings += HouseCheck.findings(house(folders.user), files)
    findings += presets(folders)
    if files.root.isEmpty, let state { findings.append(state) }
    if let seconds { findings += try measure(parsed, seconds: seconds) }
    for finding in findings {
      console.print(parsed.has("json") ? json(finding) : finding.text)
    }
    return findings.contains { $0.verdict == .bad } ? ExitCode.failed.code : 0
  }

  // MARK: What only system calls tell

  private static var rights: RealtimeCheck.Rights {
    let isRoot = geteuid() == 0
    let priority = isRoot ? 99 : Int(max(clinux_realtime_limit(), 0))
    let locked = clinux_locked_limit()
    let bytes = isRoot || locked < 0 ? nil : Int(locked)
    return RealtimeCheck.Rights(priority: priority, lockedBytes: bytes)
  }

  private static func house(_ folder: String) -> HouseCheck.Facts {
    // The folder is made when something is saved: until then its nearest parent counts.
    var path = folder
    while unsafe access(path, F_OK) != 0, let slash = path.lastIndex(of: "/"),
      slash > path.startIndex
    {
      path = String(path[..<slash])
    }
    var facts = statvfs()
    let isKnown = unsafe statvfs(path, &facts) == 0
    return HouseCheck.Facts(
      freeBytes: isKnown ? Int(clamping: UInt64(facts.f_bavail) &* UInt64(facts.f_frsize)) : nil,
      isWritable: unsafe access(path, W_OK) == 0, folder: path,
      isClockSynchronised: clinux_clock_is_synchronised() != 0,
      user: Console.environment("USER") ?? (geteuid() == 0 ? "root" : "\(geteuid())"),
      home: Console.environment("HOME") ?? "")
  }

  private static var mixers: [Finding] {
    MixerCheck.warnings(for: PCMRequest()).map {
      Finding(
        "mixer", .bad,
        "the control '\($0.element)' of card \($0.card) is \($0.isMuted ? "muted" : "at its minimum"): no click is heard",
        fix: "amixer -c \($0.card) sset '\($0.element)' \($0.isMuted ? "unmute" : "80%")")
    }
  }

  /// What is brought back at the next start of one's own daemon.
  private static var state: Finding? {
    guard let folder = ProgramFolders.state(environment: Console.environment) else {
      return Finding(
        "last-state", .warning, "there is no place for it: HOME is not set",
        fix: "tactusd --state-folder PATH")
    }
    let store = StateStore(folder: folder)
    if let problem = store.problem() {
      return Finding(
        "last-state", .warning, "it cannot be used, and is set aside at the next start: \(problem)",
        fix: "correct the file, or delete it")
    }
    guard unsafe access(store.path, F_OK) == 0 else { return nil }
    return Finding("last-state", .good, store.path)
  }

  private static func presets(_ folders: ProgramFolders) -> [Finding] {
    let store = PresetStore(
      userFolder: folders.presets, shippedFolders: folders.shippedPresets)
    var broken: [Finding] = []
    let names = store.names
    for name in names {
      do throws(StoreError) { _ = try store.load(.name(name)) } catch {
        broken.append(
          Finding(
            "preset", .warning, "'\(name)' cannot be loaded: \(error)",
            fix: "correct the file, or delete it"))
      }
    }
    return broken.isEmpty
      ? [Finding("presets", .good, "\(names.count) presets can be loaded")] : broken
  }

  // MARK: A live minute

  private static func measure(
    _ parsed: ParsedOptions, seconds: Int
  ) throws(CommandFailure) -> [Finding] {
    let client = try DaemonPeer.client(parsed)
    let timeout = try DaemonPeer.timeout(parsed)
    func figures(_ first: [OSCMessage] = []) throws(CommandFailure) -> LiveFigures {
      do throws(OSCClient.Failure) {
        let outcome = try client.request(
          first + [OSCMessage("/tactus/stats")], timeoutMilliseconds: timeout)
        return LiveFigures(outcome.answers)
      } catch { throw DaemonPeer.failure(error) }
    }
    var before = try figures([OSCMessage("/tactus/transport")])
    let wasStopped = before.transport == "stopped"
    // What is measured is playing, not the start.
    if wasStopped {
      before = try figures([OSCMessage("/tactus/start")])
      try wait(1, client)
      before = try figures()
    }
    try wait(seconds, client)
    let after = try figures(wasStopped ? [OSCMessage("/tactus/stop")] : [])
    return after.findings(since: before, seconds: seconds)
  }

  /// Listens for so long; what comes meanwhile does not matter.
  private static func wait(_ seconds: Int, _ client: OSCClient) throws(CommandFailure) {
    let clock = OSCClock.system
    let end = clock.now().advanced(byNanoseconds: Int64(seconds) * 1_000_000_000)
    while clock.now() < end {
      do throws(OSCClient.Failure) {
        _ = try client.receive(waitNanoseconds: end.nanoseconds(since: clock.now()))
      } catch { throw DaemonPeer.failure(error) }
    }
  }

  private static func json(_ finding: Finding) -> String {
    var members = [
      ("name", finding.name), ("verdict", finding.verdict.rawValue), ("fact", finding.fact),
    ]
    if let fix = finding.fix { members.append(("fix", fix)) }
    return "{"
      + members.map { "\(JSONText.quoted($0.0)):\(JSONText.quoted($0.1))" }.joined(separator: ",")
      + "}"
  }
}
