import Foundation
import MusicalTime
import OSCWire
import ScoreFormats
import TakeRecorder
import Testing

/// Takes as a user records them, with an input that is silence on the host's clock.
@Suite struct TakeDaemonTests {
  private static func daemon(_ folder: String, _ more: [String] = []) throws -> DaemonProcess {
    let daemon = try DaemonProcess.ready(
      ["--folder", folder, "--capture", "none", "--capture-channels", "1"] + more)
    _ = try daemon.ask(OSCMessage("/tactus/subscribe", .string("state"), .int32(600)))
    return daemon
  }

  private static func error(_ answers: [OSCMessage]) -> String? {
    answers.first { $0.address == "/tactus/error" }?.arguments.last?.text
  }

  /// Waits until the meter shows so many seconds.
  private static func follow(_ daemon: DaemonProcess, until seconds: Double) throws -> Double {
    while true {
      for message in try daemon.receive() where message.address == "/tactus/take/level" {
        let shown = message.arguments.last?.number ?? 0
        if shown >= seconds { return shown }
      }
    }
  }

  @Test func `a take begins with the metronome, knows its grid and ends with it`() throws {
    try CommandRun.withFolder { folder in
      let daemon = try Self.daemon(folder)
      _ = try daemon.ask(OSCMessage("/tactus/tempo", .float(300)))
      _ = try daemon.ask(OSCMessage("/tactus/countin", .int32(1)))
      #expect(
        Self.error(try daemon.ask(OSCMessage("/tactus/take/start", .string("solo")))) == nil)
      _ = try Self.follow(daemon, until: 2)
      #expect(Self.error(try daemon.ask(OSCMessage("/tactus/take/stop"))) == nil)
      let names = try daemon.ask(OSCMessage("/tactus/take/list"))
        .first { $0.address == "/tactus/take/list" }?.arguments
      #expect(names == [.string("solo")])
      let path = "\(folder)/takes/solo.wav"
      let outcome = try TakeRepair.repair(path, isDryRun: true)
      #expect(outcome.gained == 0 && outcome.encoding.channels == 1)
      let sheet = try #require(try TakeSheetFile.load(beside: path))
      #expect(sheet.countInBars == 1)
      #expect(sheet.tempo.map(\.tempo.value) == [300])
      #expect(sheet.latencyFrames == nil)
      #expect(sheet.stopFrame != nil)
      // A lead-in of 200 ms and four beats of 200 ms: the take began before them.
      let seconds = sheet.barOneFrame / Double(sheet.rate)
      #expect(seconds > 0.95 && seconds < 1.6, "\(seconds)")
      // The take started it, so the take stops it.
      let state = try daemon.ask(OSCMessage("/tactus/transport"))
      #expect(
        state.contains { $0.address == "/tactus/transport" && $0.arguments == [.string("stopped")] }
          || state.isEmpty)
      let report = CommandRun("take export solo --folder \(folder) --to \(folder)/out.wav")
      #expect(report.code == 0, "\(report.error)")
    }
  }

  @Test func `what cannot be is refused with the reason, and the metronome plays on`() throws {
    try CommandRun.withFolder { folder in
      let daemon = try Self.daemon(folder, ["120"])
      let refused: [(OSCMessage, String)] = [
        (OSCMessage("/tactus/take/start", .string("../up")), "name"),
        (OSCMessage("/tactus/take/start", .string(".hidden")), "name"),
        (OSCMessage("/tactus/take/stop"), "no take is being recorded"),
        (OSCMessage("/tactus/take/play", .string("nosuch")), "stop the metronome first"),
        (OSCMessage("/tactus/calibrate"), "the metronome plays"),
        (OSCMessage("/tactus/calibrate/cancel"), "no calibration is running"),
        (OSCMessage("/tactus/calibrate/forget", .int32(1)), "nothing to forget"),
        (OSCMessage("/tactus/calibrate", .int32(3)), "outside 8 to 64"),
      ]
      for (message, reason) in refused {
        let error = Self.error(try daemon.ask(message))
        #expect(error?.contains(reason) == true, "\(message): \(error ?? "accepted")")
      }
      _ = try daemon.ask(OSCMessage("/tactus/stop"))
      let missing = Self.error(
        try daemon.ask(OSCMessage("/tactus/take/play", .string("nosuch"))))
      #expect(missing?.contains("there is no take 'nosuch'") == true, "\(missing ?? "-")")
      let silent = Self.error(try daemon.ask(OSCMessage("/tactus/calibrate")))
      #expect(silent?.contains("no sound comes out") == true, "\(silent ?? "-")")
      // A button's release is none of these.
      #expect(Self.error(try daemon.ask(OSCMessage("/tactus/take/start", .float(0)))) == nil)
      #expect(try TakeFolder(path: "\(folder)/takes").entries().isEmpty)
    }
  }

  @Test func `a second take of the same name, and one beside another, are refused`() throws {
    try CommandRun.withFolder { folder in
      let daemon = try Self.daemon(folder)
      #expect(
        Self.error(try daemon.ask(OSCMessage("/tactus/take/start", .string("a")))) == nil)
      let busy = Self.error(try daemon.ask(OSCMessage("/tactus/take/start", .string("b"))))
      #expect(busy?.contains("already") == true)
      #expect(Self.error(try daemon.ask(OSCMessage("/tactus/take/stop"))) == nil)
      let again = Self.error(try daemon.ask(OSCMessage("/tactus/take/start", .string("a"))))
      #expect(again?.contains("is there already") == true, "\(again ?? "-")")
      #expect(
        Self.error(try daemon.ask(OSCMessage("/tactus/take/start", .string("c")))) == nil)
      #expect(Self.error(try daemon.ask(OSCMessage("/tactus/take/discard"))) == nil)
      #expect(try TakeFolder(path: "\(folder)/takes").entries().map(\.name) == ["a"])
    }
  }

  @Test func `an earlier take plays along, and alone at its own tempo`() throws {
    try CommandRun.withFolder { folder in
      let daemon = try Self.daemon(folder)
      _ = try daemon.ask(OSCMessage("/tactus/tempo", .float(200)))
      _ = try daemon.ask(OSCMessage("/tactus/take/start", .string("first")))
      _ = try Self.follow(daemon, until: 1)
      _ = try daemon.ask(OSCMessage("/tactus/take/stop"))
      let layered = try daemon.ask(
        OSCMessage("/tactus/take/start", .string("second"), .string("first")))
      #expect(Self.error(layered) == nil)
      _ = try Self.follow(daemon, until: 1)
      _ = try daemon.ask(OSCMessage("/tactus/take/stop"))
      _ = try daemon.ask(OSCMessage("/tactus/tempo", .float(90)))
      #expect(
        Self.error(
          try daemon.ask(OSCMessage("/tactus/take/play", .string("first"), .string("second"))))
          == nil)
      let tempo = try daemon.ask(OSCMessage("/tactus/tempo"))
      #expect(
        tempo.contains { $0.address == "/tactus/tempo" && $0.arguments.first?.number == 200 })
      #expect(Self.error(try daemon.ask(OSCMessage("/tactus/take/stop"))) == nil)
    }
  }

  @Test func `kill -9 at any moment leaves a playable take that lacks at most the last second`()
    throws
  {
    for seconds in [0.1, 0.4, 0.9, 1.3, 1.8, 2.2] {
      try CommandRun.withFolder { folder in
        let daemon = try Self.daemon(folder, ["--rate", "44100"])
        _ = try daemon.ask(OSCMessage("/tactus/take/start", .string("a")))
        let shown = try Self.follow(daemon, until: seconds)
        _ = daemon.end(by: SIGKILL)
        let path = "\(folder)/takes/a.wav"
        let before = try TakeRepair.repair(path, isDryRun: true)
        // What the head counts without any repair is at most a second short.
        let counted = Double(before.frames - before.gained) / 44_100
        #expect(counted >= shown - 1.1, "\(counted) of \(shown)")
        #expect(Double(before.frames) / 44_100 >= shown - 0.001)
        #expect(try TakeSheetFile.load(beside: path) != nil)
        #expect(CommandRun("take repair a --folder \(folder)").code == 0)
      }
    }
  }

  @Test func `a daemon that is ended completes its take`() throws {
    try CommandRun.withFolder { folder in
      let daemon = try Self.daemon(folder)
      _ = try daemon.ask(OSCMessage("/tactus/take/start", .string("a")))
      _ = try Self.follow(daemon, until: 0.5)
      #expect(daemon.end(by: SIGTERM) == 0)
      let outcome = try TakeRepair.repair("\(folder)/takes/a.wav", isDryRun: true)
      #expect(outcome.gained == 0 && outcome.frames > 20_000)
    }
  }
}
