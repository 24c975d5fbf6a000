import Companion
import Glibc
import MetronomeModel
import Testing

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

  @Test func `a program that does not exist is named with the reason`() throws {
    let actuator = try CommandActuator("/nowhere/lamp on")
    var schedule = BeatSchedule(heldBeats: 0)
    schedule.take(
      AnnouncedBeat(
        run: 1, sequence: 1, bar: 1, beat: 1, beatCount: 4, quarterTempo: 120, accent: .strong,
        flags: 0, due: 0))
    let firing = schedule.fire(now: 0)
    let problem = actuator.fire(try #require(firing))
    // errno 2: no such file.
    #expect(problem == "command '/nowhere/lamp on' could not be started (errno 2)")
  }
}
