import Glibc
import MetronomeModel
import Testing

@testable import Companion

@Suite struct CommandActuatorTests {
  private let path = "/tmp/tactus-command-\(getpid())-\(UInt32.random(in: 0 ... .max))"

  /// What a command writes into a pipe that has a name, to its end.
  private func output(of command: String) throws -> String {
    try #require(mkfifo(path, 0o600) == 0)
    defer { unlink(path) }
    var schedule = BeatSchedule(heldBeats: 0)
    schedule.take(
      AnnouncedBeat(
        run: 1, sequence: 1, bar: 3, beat: 2, beatCount: 4, quarterTempo: 120, accent: .strong,
        flags: 0, due: 500_000_000))
    let firing = schedule.fire(now: 500_000_000)
    let actuator = try CommandActuator(command)
    try #require(actuator.fire(try #require(firing)) == nil)
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    var text: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = unsafe read(descriptor, &bytes, bytes.count)
      guard count > 0 else { break }
      text += bytes.prefix(count)
    }
    return String(decoding: text, as: UTF8.self)
  }

  @Test func `a command has its user's environment`() throws {
    setenv("TACTUS_COMMAND_TEST", "kept", 1)
    let environment = try output(of: "cp /proc/self/environ \(path)")
    #expect(environment.split(separator: "\0").contains("TACTUS_COMMAND_TEST=kept"))
  }

  @Test func `a command waits for its own children as usual`() throws {
    // Bit 16 of the ignored signals is SIGCHLD, 17; it is ignored by whoever starts the command.
    let status = try output(of: "cp /proc/self/status \(path)")
    let ignored = status.split(separator: "\n").first { $0.hasPrefix("SigIgn:") }
    let bits = try #require(ignored?.split(separator: "\t").last.flatMap { UInt64($0, radix: 16) })
    #expect(bits & 1 << 16 == 0)
  }

  @Test func `a command is no child of ours, and whoever started it has been let go`() throws {
    // The fourth word of /proc/PID/stat is the parent.
    let words = try output(of: "cp /proc/self/stat \(path)").split(separator: " ")
    #expect(words[3] != "\(getpid())")
    // Only processes between are children that end without a signal (__WCLONE). One of another test
    // may just be ending; one that nobody lets go stays.
    let options = WEXITED | WNOHANG | WNOWAIT | Int32(bitPattern: 0x8000_0000)
    var left = siginfo_t()
    for _ in 0..<100_000 {
      left = siginfo_t()
      if waitid(P_ALL, 0, &left, options) != 0 || left._sifields._kill.si_pid == 0 { break }
      sched_yield()
    }
    #expect(left._sifields._kill.si_pid == 0)
  }

  @Test func `placeholders are filled in anywhere in a word, and quotes keep words together`()
    throws
  {
    // Bar 3, beat 2 of 4, strong, at 120.
    let words = try output(
      of:
        #"sh -c 'printf "%s|" "$@" > "$0"' \#(path) bar={bar} "a  {beat}/{beats}" {bpm}\ {accent} '{no}' x{bar}{beat}y"#
    )
    #expect(words == "bar=3|a  2/4|120 strong|{no}|x32y|")
  }

  @Test(arguments: [
    ("a b  c", ["a", "b", "c"]), ("'a b' c", ["a b", "c"]), (#"a\ b"#, ["a b"]),
    (#""a \"b\" \n" ''"#, [#"a "b" \n"#, ""]), (#"x'y'"z""#, ["xyz"]), ("", []),
  ])
  func `words are split as a POSIX shell splits them`(text: String, words: [String]) {
    #expect(ShellWords.split(text) == words)
  }

  @Test(arguments: ["'a", #"a "b"#, #"a\"#])
  func `an open quote is no command`(text: String) {
    #expect(ShellWords.split(text) == nil)
    #expect(throws: ActuatorError.self) { try CommandActuator("sh " + text) }
  }

  @Test(arguments: ["/nowhere/lamp on", "no-such-program-anywhere", "/etc/passwd", "/tmp", "  "])
  func `a program that cannot be started is refused before the first beat`(text: String) {
    #expect(throws: ActuatorError.self) { try CommandActuator(text) }
  }

  @Test func `a slow program runs a few times at once, and further beats are left out and said`()
    throws
  {
    try #require(mkfifo(path, 0o600) == 0)
    defer { unlink(path) }
    // Each waits until somebody writes into the pipe.
    let actuator = try CommandActuator("cat \(path)")
    var schedule = BeatSchedule(heldBeats: 0)
    var problems: [String?] = []
    for index in Int32(1)...6 {
      let due = Int64(index) * 250_000_000
      schedule.take(
        AnnouncedBeat(
          run: 1, sequence: index, bar: 1, beat: index, beatCount: 8, quarterTempo: 240,
          accent: .normal, flags: 0, due: due))
      let firing = schedule.fire(now: due)
      problems.append(actuator.fire(try #require(firing)))
    }
    #expect(problems.prefix(4).allSatisfy { $0 == nil })
    #expect(problems.suffix(2).allSatisfy { $0?.contains("still runs 4 times") == true })
    // Readers and writer gone, all of them end.
    close(open(path, O_WRONLY | O_CLOEXEC))
  }
}
