import Foundation
import OSCWire
import Testing

/// The built daemon and what it remembers.
@Suite("The last state")
struct StateTests {
  private func start(_ folder: String, _ more: [String] = []) throws -> DaemonProcess {
    try DaemonProcess.ready(["--state-folder", folder] + more)
  }

  private func value(_ daemon: DaemonProcess, _ path: String) throws -> OSCValue? {
    try daemon.ask(OSCMessage("/tactus/\(path)")).first { $0.address == "/tactus/\(path)" }?
      .arguments.first
  }

  private func count(_ daemon: DaemonProcess, _ name: String) throws -> Int64 {
    let stats = try daemon.ask(OSCMessage("/tactus/stats"))
    guard
      case .int64(let count)? = stats.first(where: { $0.address == "/tactus/stats/\(name)" })?
        .arguments.first
    else { return -1 }
    return count
  }

  @Test func `after kill -9 all is back, and plays with --autostart`() throws {
    try CommandRun.withFolder { folder in
      let first = try start(folder)
      for wish in [
        OSCMessage("/tactus/tempo", .float(97.125)), OSCMessage("/tactus/meter", .string("7/8")),
        OSCMessage("/tactus/sound/strong", .string("bell")),
        OSCMessage("/tactus/volume/db", .float(-20)), OSCMessage("/tactus/countin", .int32(0)),
        OSCMessage("/tactus/start"), OSCMessage("/tactus/offset/beats", .float(-13.5)),
      ] { _ = try first.ask(wish) }
      // The last of them is there, so all are.
      while !((try? String(contentsOfFile: "\(folder)/state-0.json", encoding: .utf8)) ?? "")
        .contains("-13.5")
      { usleep(10_000) }
      kill(first.process.processIdentifier, SIGKILL)
      _ = first.waitForExit()
      let second = try start(folder, ["--autostart"])
      #expect(try value(second, "tempo") == .float(97.125))
      #expect(try value(second, "meter") == .string("7/8"))
      #expect(try value(second, "sound/strong") == .string("bell"))
      #expect(try value(second, "offset/beats") == .float(-13.5))
      #expect(try value(second, "transport") == .string("rolling"))
      #expect(second.end(by: SIGTERM) == 0)
    }
  }

  @Test func `what was set just before the end is kept; --fresh and the command line pass it`()
    throws
  {
    try CommandRun.withFolder { folder in
      let first = try start(folder)
      _ = try first.ask(OSCMessage("/tactus/tempo", .float(77)))
      #expect(first.end(by: SIGTERM) == 0)
      let second = try start(folder, ["--fresh"])
      #expect(try value(second, "tempo") == .float(120))
      #expect(second.end(by: SIGKILL) != 0)
    }
    try CommandRun.withFolder { folder in
      let first = try start(folder)
      _ = try first.ask(OSCMessage("/tactus/tempo", .float(77)))
      _ = try first.ask(OSCMessage("/tactus/countin", .int32(3)))
      #expect(first.end(by: SIGTERM) == 0)
      let second = try start(folder, ["3/4", "88"])
      #expect(try value(second, "tempo") == .float(88))
      #expect(try value(second, "countin") == .int32(3))
      #expect(second.end(by: SIGTERM) == 0)
    }
  }

  @Test func `a file that cannot be read is set aside by name, and the daemon plays`() throws {
    try CommandRun.withFolder { folder in
      try "half a fi".write(toFile: "\(folder)/state-0.json", atomically: true, encoding: .utf8)
      let daemon = try start(folder, ["--autostart"])
      #expect(try value(daemon, "tempo") == .float(120))
      #expect(daemon.end(by: SIGTERM) == 0)
      #expect(daemon.errorText().contains("now lies in '\(folder)/state-0.json.unreadable'"))
      #expect(FileManager.default.fileExists(atPath: "\(folder)/state-0.json.unreadable"))
      #expect(FileManager.default.fileExists(atPath: "\(folder)/state-0.json"))
    }
  }

  @Test func `where nothing can be written it is told once, and everything else goes on`() throws {
    let daemon = try start("/proc/tactus", ["120"])
    for tempo in [100, 101, 102] {
      let answers = try daemon.ask(OSCMessage("/tactus/tempo", .float(Float(tempo))))
      #expect(!answers.contains { $0.address == "/tactus/error" })
    }
    while try count(daemon, "state/failures") < 1 { usleep(10_000) }
    #expect(daemon.end(by: SIGTERM) == 0)
    let text = daemon.errorText()
    #expect(text.components(separatedBy: "the last state is not kept").count == 2, "\(text)")
  }

  @Test func `a relative state folder is refused with the way out`() throws {
    let daemon = try DaemonProcess(["--state-folder", "here"])
    let text = daemon.errorText()
    #expect(daemon.waitForExit() == 2)
    #expect(text.contains("'here'") && text.contains("an absolute path, or off"))
  }
}
