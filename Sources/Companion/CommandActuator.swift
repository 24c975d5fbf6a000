internal import CLinux
internal import Glibc
internal import MetronomeModel

/// A program that is started at each beat, without a shell.
///
/// - Thread: companion
public final class CommandActuator: Actuator {
  /// Of one command at once: a slow program on fast beats must not fill the machine.
  static let mostRunning = 4

  public let name: String
  private let words: [String]
  /// A descriptor of each that has not ended.
  private var running: [Int32] = []

  /// - Parameter command: words as a shell splits them, with quotes and backslashes and nothing
  ///   else of a shell; `{bar}`, `{beat}`, `{beats}`, `{bpm}` and `{accent}` are replaced anywhere
  ///   in a word.
  /// - Throws: where a quote is left open, or there is no such program.
  public init(_ command: String) throws(ActuatorError) {
    name = "command '\(command)'"
    guard let words = ShellWords.split(command) else {
      throw ActuatorError(name: name, code: EINVAL, help: "close the quote")
    }
    guard let program = words.first, !program.isEmpty else {
      throw ActuatorError(name: "command", code: EINVAL, help: "name a program")
    }
    let problem = CommandActuator.problem(with: program)
    guard problem == 0 else {
      throw ActuatorError(
        name: name, code: problem, help: "'\(program)' must be a program of PATH, or a path")
    }
    self.words = words
  }

  deinit { for descriptor in running { clinux_close(descriptor) } }

  /// - Returns: an errno, 0 where the program can be started.
  private static func problem(with program: String) -> Int32 {
    func problem(_ path: String) -> Int32 {
      var status = stat()
      guard unsafe stat(path, &status) == 0 else { return errno }
      guard status.st_mode & S_IFMT == S_IFREG else { return EACCES }
      return unsafe access(path, X_OK) == 0 ? 0 : errno
    }
    if program.contains("/") { return problem(program) }
    let path = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? "/usr/bin:/bin"
    let problems = path.split(separator: ":").map { problem("\($0)/\(program)") }
    return problems.contains(0) ? 0 : problems.first { $0 != ENOENT } ?? ENOENT
  }

  public func fire(_ firing: BeatSchedule.Firing) -> String? {
    forgetEnded()
    guard running.count < CommandActuator.mostRunning else {
      return "\(name) still runs \(running.count) times from earlier beats: beats are left out"
    }
    var pointers: [UnsafePointer<CChar>?] = unsafe words.map { word in
      unsafe UnsafePointer(strdup(CommandActuator.filled(word, with: firing.beat)))
    }
    unsafe pointers.append(nil)
    defer { unsafe pointers.forEach { unsafe free(UnsafeMutablePointer(mutating: $0)) } }
    var descriptor: Int32 = -1
    let result = unsafe clinux_spawn_watched(pointers, &descriptor)
    guard result >= 0 else { return "\(name) could not be started (errno \(-result))" }
    if descriptor >= 0 { running.append(descriptor) }
    return nil
  }

  private func forgetEnded() {
    running.removeAll { descriptor in
      var end = clinux_poll(descriptor: descriptor, wanted: 1, came: 0)
      guard unsafe clinux_wait(&end, 1, 0) > 0 else { return false }
      clinux_close(descriptor)
      return true
    }
  }

  static func filled(_ word: String, with beat: AnnouncedBeat) -> String {
    var text = ""
    var rest = word[...]
    while let open = rest.firstIndex(of: "{") {
      text += rest[..<open]
      rest = rest[open...]
      guard let close = rest.firstIndex(of: "}") else { break }
      let value: String? =
        switch rest[rest.index(after: open)..<close] {
        case "bar": "\(beat.bar)"
        case "beat": "\(beat.beat)"
        case "beats": "\(beat.beatCount)"
        case "bpm": CommandActuator.tempo(beat.quarterTempo)
        case "accent": beat.accent.name
        default: nil
        }
      guard let value else {
        // A brace of the program's own.
        text += "{"
        rest = rest[rest.index(after: open)...]
        continue
      }
      text += value
      rest = rest[rest.index(after: close)...]
    }
    return text + rest
  }

  /// 120 and 99.95, not 120.0.
  private static func tempo(_ value: Double) -> String {
    let single = Float(value)
    return single == single.rounded() ? "\(Int32(single))" : "\(single)"
  }

  /// The program ends by itself; it is nobody's child here, so there is nothing to let go.
  public func rest() {}
}
