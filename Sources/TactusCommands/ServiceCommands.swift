import CLinux
import CommandLineOptions
import Glibc

/// `tactus service print|install|remove`
enum ServiceCommands {
  static let commands = [print, install, remove]

  private static let user = OptionDeclaration.flag(
    "user", "A unit of this user: where PipeWire's sound belongs to the one who is logged in.")
  private static let program = OptionDeclaration.value(
    "program", "PATH", "The daemon; tactusd beside this program unless given.")
  private static let root = OptionDeclaration.value(
    "root", "FOLDER", "Work on the system below this folder, such as a card being prepared.")
  private static let arguments = PositionalDeclaration(
    "OPTIONS", "After --: what tactusd is started with, such as -- --autostart 4/4 120.",
    repeatable: true)

  private static let print = Subcommand(
    "service print",
    OptionParser(
      command: "tactus service print", summary: "Print the systemd unit.",
      usage: "[--user] [-- OPTIONS]", positionals: [arguments], options: [user, program])
  ) { (parsed, console) throws(CommandFailure) in
    console.write(try unit(parsed).text)
    return 0
  }

  private static let install = Subcommand(
    "service install",
    OptionParser(
      command: "tactus service install",
      summary: "Write the systemd unit, enable it and start it; needs root, or --user.",
      usage: "[--user] [-- OPTIONS]", positionals: [arguments], options: [user, program, root],
      notes: [
        "Installed again it takes the new options. A unit of a user runs while that user is logged in, "
          + "and from boot on after: loginctl enable-linger",
        "Try:\n  tactus service install -- --autostart --device hw:CARD=USB\n"
          + "  journalctl -u tactusd",
      ])
  ) { (parsed, console) throws(CommandFailure) in
    var unit = try unit(parsed)
    let place = try Place(parsed, unit.kind)
    unit.groups = unit.groups.filter(place.hasGroup)
    for group in ServiceUnit.usualGroups
    where unit.kind == .system && !unit.groups.contains(group) {
      console.print(
        "there is no group '\(group)' here: the service does without its devices; "
          + "install again once there is")
    }
    try place.write(unit.text)
    console.print("wrote \(place.file)")
    if place.isLive { try place.systemctl(["daemon-reload"]) }
    try place.systemctl(["enable", ServiceUnit.name])
    if place.isLive {
      try place.systemctl(["restart", ServiceUnit.name])
      console.print("the metronome runs now, and from every boot on")
    } else {
      console.print("it runs from the next boot on")
    }
    if unit.kind == .user, place.isLive {
      console.print("to run without being logged in: loginctl enable-linger")
    }
    return 0
  }

  private static let remove = Subcommand(
    "service remove",
    OptionParser(
      command: "tactus service remove", summary: "Stop the service and remove its unit.",
      options: [user, root],
      notes: ["Presets and the last state stay: of the machine's service in /var/lib/tactus."])
  ) { (parsed, console) throws(CommandFailure) in
    let place = try Place(parsed, parsed.has("user") ? .user : .system)
    guard unsafe access(place.file, F_OK) == 0 else {
      throw CommandFailure(
        .failed, "there is no \(place.file): nothing is installed\(place.kind.otherHint)")
    }
    try place.systemctl(
      place.isLive
        ? ["disable", "--now", ServiceUnit.name] : ["disable", ServiceUnit.name])
    guard unsafe unlink(place.file) == 0 else {
      throw CommandFailure(.failed, "\(place.file) cannot be removed: \(systemText(errno))")
    }
    if place.isLive { try place.systemctl(["daemon-reload"]) }
    console.print("removed \(place.file)")
    return 0
  }

  private static func unit(_ parsed: ParsedOptions) throws(CommandFailure) -> ServiceUnit {
    let path = parsed.value("program") ?? ProgramFile.sibling("tactusd")
    guard let path else {
      throw CommandFailure(
        .failed, "tactusd is not beside this program: name it with --program PATH")
    }
    guard path.hasPrefix("/") else {
      throw CommandFailure(
        .value("--program", given: path, allowed: "an absolute path, for systemd has no folder"))
    }
    return ServiceUnit(
      kind: parsed.has("user") ? .user : .system, program: path, arguments: parsed.arguments)
  }

  fileprivate static func systemText(_ code: Int32) -> String {
    unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
  }
}

extension ServiceUnit.Kind {
  var otherHint: String {
    switch self {
    case .system: "; for a user's own add --user"
    case .user: "; for the machine's leave --user out"
    }
  }
}

/// Where units lie, and who is told about them.
private struct Place {
  let kind: ServiceUnit.Kind
  let root: String
  let folder: String
  var file: String { "\(folder)/\(ServiceUnit.name)" }
  /// Whether the system that runs is meant, not one on a card.
  var isLive: Bool { root.isEmpty }

  init(_ parsed: ParsedOptions, _ kind: ServiceUnit.Kind) throws(CommandFailure) {
    self.kind = kind
    root = parsed.value("root") ?? ""
    switch kind {
    case .system: folder = root + "/etc/systemd/system"
    case .user:
      guard root.isEmpty else {
        throw CommandFailure(.misused, "--root and --user do not go together: leave one out")
      }
      let home = Console.environment("HOME") ?? ""
      let base = Console.environment("XDG_CONFIG_HOME") ?? "\(home)/.config"
      guard base.hasPrefix("/") else {
        throw CommandFailure(.failed, "HOME is not set: a user's unit has no folder")
      }
      folder = base + "/systemd/user"
    }
  }

  /// Whether a group exists there.
  func hasGroup(_ name: String) -> Bool {
    if isLive { return unsafe getgrnam(name) != nil }
    let lines = Place.text("\(root)/etc/group")?.split(separator: "\n")
    // A card that is being prepared may not have its groups yet: they come with udev.
    return lines?.contains { $0.hasPrefix("\(name):") } ?? true
  }

  private static func text(_ path: String) -> String? {
    do throws(TextFileError) {
      let bytes = try TextFile.bytes(path, input: -1, limit: 1 << 20)
      return String(decoding: bytes, as: UTF8.self)
    } catch { return nil }
  }

  /// The whole file or none of it.
  func write(_ text: String) throws(CommandFailure) {
    var path = ""
    for part in folder.split(separator: "/") {
      path += "/\(part)"
      _ = unsafe mkdir(path, 0o755)
    }
    let draft = file + ".new"
    let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw failure(draft) }
    var copy = text
    let written = copy.withUTF8 { bytes in
      unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count) == bytes.count
    }
    let isKept = written && fsync(descriptor) == 0
    close(descriptor)
    guard isKept, unsafe rename(draft, file) == 0 else {
      let failure = failure(file)
      _ = unsafe unlink(draft)
      throw failure
    }
  }

  private func failure(_ path: String) -> CommandFailure {
    let code = errno
    let hint = code == EACCES || code == EPERM ? "; run it as root, or add --user" : ""
    return CommandFailure(
      .failed, "\(path) cannot be written: \(ServiceCommands.systemText(code))\(hint)")
  }

  func systemctl(_ words: [String]) throws(CommandFailure) {
    var arguments = ["systemctl"]
    if kind == .user { arguments.append("--user") }
    if !root.isEmpty { arguments.append("--root=\(root)") }
    arguments += words
    let line = arguments.joined(separator: " ")
    var pointers: [UnsafePointer<CChar>?] = unsafe arguments.map {
      unsafe UnsafePointer(strdup($0))
    }
    unsafe pointers.append(nil)
    defer { unsafe pointers.forEach { unsafe free(UnsafeMutablePointer(mutating: $0)) } }
    let child = unsafe clinux_spawn(pointers, nil)
    guard child >= 0 else {
      throw CommandFailure(
        .failed,
        "'\(line)' could not be run (\(ServiceCommands.systemText(-child))): is systemd here?")
    }
    var status: Int32 = 0
    while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
    guard status == 0 else { throw CommandFailure(.failed, "'\(line)' failed: see above") }
  }
}
