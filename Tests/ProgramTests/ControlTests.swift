import Foundation
import BeatOutputs
import OSCWire
import Testing

/// The built `tactus` against the built `tactusd`, on this machine's loopback.
@Suite(.serialized) struct ControlTests {
  /// A daemon without sound and MIDI on a port of its own.
  static func withDaemon(
    _ arguments: [String] = [], _ body: (_ host: String) throws -> Void
  ) throws {
    let daemon = try DaemonProcess.ready(["--no-lock"] + arguments)
    try body("127.0.0.1:\(daemon.port)")
    _ = daemon.end(by: SIGTERM)
  }

  @Test func `a command is done, refused with its reason, or not answered`() throws {
    try Self.withDaemon { host in
      let done = try BuiltProgram.run("ctl tempo 132.5 --host \(host) --timeout 20000")
      #expect(done.code == 0)
      #expect(done.error.isEmpty)
      let shown = try BuiltProgram.run(
        "ctl tempo --timeout 20000", environment: ["TACTUS_HOST": host])
      #expect(shown.text == "tempo 132.5 1/4\n")
      let refused = CommandRun("ctl tempo 1000 --host \(host) --timeout 20000")
      #expect(refused.code == 1)
      #expect(refused.error.contains("tempo 1000 is outside 5 to 999"))
      #expect(CommandRun("ctl tempo --host \(host) --timeout 20000").text == "tempo 132.5 1/4\n")
      // Nothing listens on the discard port of this machine.
      let nobody = CommandRun("ctl tempo 100 --host 127.0.0.1:9 --timeout 200")
      #expect(nobody.code == 4)
      #expect(nobody.error.contains("127.0.0.1:9"))
    }
  }

  @Test func `meter and pattern in one bundle are checked together`() throws {
    try Self.withDaemon { host in
      let tail = "--host \(host) --timeout 20000"
      #expect(CommandRun("ctl meter 7/8 , pattern X.x.x.x \(tail)").code == 0)
      #expect(CommandRun("ctl pattern \(tail)").text == "pattern X.x.x.x\n")
      let wrong = CommandRun("ctl meter 3/4 , pattern X.x.x.x \(tail)")
      #expect(wrong.code == 1)
      #expect(wrong.error.contains("7 letters"))
    }
  }

  @Test func `JSON has every answer and error on a line of its own`() throws {
    try Self.withDaemon { host in
      let tail = "--json --host \(host) --timeout 20000"
      let state = CommandRun("ctl state \(tail)")
      #expect(state.code == 0)
      let lines = state.text.split(separator: "\n")
      #expect(lines.count > 20)
      for line in lines {
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        #expect((object?["address"] as? String)?.hasPrefix("/tactus/") == true)
        #expect(object?["arguments"] is [Any])
      }
      let refused = CommandRun("ctl tempo 1000 \(tail)")
      #expect(refused.code == 1)
      let object =
        try JSONSerialization.jsonObject(with: Data(refused.text.utf8)) as? [String: Any]
      let error = object?["error"] as? [String: Any]
      #expect(error?["address"] as? String == "/tactus/tempo")
      #expect((error?["reason"] as? String)?.contains("5 to 999") == true)
    }
  }

  @Test func `the monitor shows the state once, and the beats as they are heard`() throws {
    try Self.withDaemon(["5/4", "200"]) { host in
      let once = CommandRun("monitor --once --host \(host) --timeout 20000")
      #expect(once.code == 0)
      for part in ["tactusd", "rolling", "200 BPM", "5/4", "OSC: subscribers"] {
        #expect(once.text.contains(part), "\(once.text)")
      }
      // Without a terminal a line a beat: bar.beat, tempo, accent.
      let beats = CommandRun("monitor --for 2 --host \(host) --timeout 20000")
      #expect(beats.code == 0)
      let lines = beats.text.split(separator: "\n")
      #expect(lines.count >= 2)
      #expect(lines.allSatisfy { $0.contains(" 200 ") })
      #expect(CommandRun("monitor --host 127.0.0.1:9 --timeout 200").code == 4)
      #expect(CommandRun("monitor --for 0").code == 2)
    }
  }

  @Test func `the built program renders, imports and refuses as the function does`() throws {
    let line = "render 5/8 133 --bars 3 --subdivision 2"
    let built = try BuiltProgram.run(line + " --events -")
    #expect(built.code == 0)
    #expect(built.output == CommandRun(line + " --events -").output)
    let sound = try BuiltProgram.run(line + " --wav -")
    #expect(sound.output == CommandRun(line + " --wav -").output)
    #expect(try BuiltProgram.run("render 0 --bars 1 --events -").code == 2)
    #expect(try BuiltProgram.run("render 120 --bars 1 --wav /nowhere/x").code == 1)
    #expect(try BuiltProgram.run("version").text.hasPrefix("tactus "))
  }
}
