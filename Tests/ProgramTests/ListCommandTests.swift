import Foundation
import OSCWire
import Testing

/// Presets, maps and sounds as a person finds them.
@Suite struct ListCommandTests {
  static let shipped: String = {
    let parts = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3)
    return parts.joined(separator: "/") + "/Presets"
  }()

  @Test func `the lists show what can be loaded, and what cannot with its reason`() throws {
    try CommandRun.withFolder { folder in
      try FileManager.default.createDirectory(
        atPath: folder + "/presets", withIntermediateDirectories: true)
      try Data("{".utf8).write(to: URL(fileURLWithPath: folder + "/presets/bad.json"))
      let options = "--folder \(folder) --shipped-presets \(Self.shipped)"
      let presets = CommandRun("preset list \(options)")
      #expect(presets.code == 0 && presets.text.hasPrefix("  1  default"))
      #expect(!presets.text.contains("bad") && presets.error.contains("presets/bad.json:1"))
      #expect(CommandRun("map list \(options)").text.hasPrefix("example"))
      #expect(CommandRun("sound list --folder \(folder)").text.contains("wood   built in"))
      let json = CommandRun("preset list --json \(options)")
      let rows = try JSONSerialization.jsonObject(with: json.output) as? [[String: Any]]
      #expect(rows?.first?["name"] as? String == "default")
    }
    let none = CommandRun("map list --folder /nonexistent --shipped-presets /nowhere")
    #expect(none.code == 1 && none.error.contains("/nonexistent/maps, /nowhere/maps"))
  }

  @Test func `the keys are listed by kind`() throws {
    #expect(CommandRun("preset keys mapping").text.contains("mappings[].controller"))
    #expect(CommandRun("preset keys").text.contains("sections[].microseconds"))
    #expect(CommandRun("preset keys lamp").code == 2)
    let json = try JSONSerialization.jsonObject(with: CommandRun("preset keys --json").output)
    #expect((json as? [[String: Any]])?.isEmpty == false)
  }

  @Test func `a preset that is not there names the folders that were searched`() {
    let run = CommandRun(
      "render --preset zzzzzz --bars 1 --events - --folder /a --shipped-presets /b")
    #expect(run.code != 0)
    #expect(run.error.contains("there is no preset 'zzzzzz' in /a/presets, /b"), "\(run.error)")
  }

  @Test func `stems make their folder`() throws {
    try CommandRun.withFolder { folder in
      let run = CommandRun("render 120 --bars 1 --stems \(folder)/new/stems")
      #expect(run.code == 0, "\(run.error)")
      #expect(FileManager.default.fileExists(atPath: folder + "/new/stems/strong.wav"))
    }
  }

  @Test func `a pattern of soft beats is a value, and a swing between ticks is refused`() {
    let run = CommandRun("render 2/4 120 --pattern -- --bars 1 --events -")
    #expect(run.code == 0, "\(run.error)")
    #expect(ListedEvent.parse(run.text).of("click").map(\.accent) == ["soft", "soft"])
    let swing = CommandRun("render 120 --subdivision 2 --swing 57.255 --bars 1 --events -")
    #expect(swing.code == 2 && swing.error.contains("57.255: allowed are two decimals"))
    #expect(CommandRun("render 120 --swing 57.25 --bars 1 --events -").code == 0)
  }

  @Test func `what is typed beside a preset wins`() throws {
    let daemon = try DaemonProcess.ready([
      "3/4", "150", "--volume", "-20", "--sound", "bell", "--preset", "stage",
      "--shipped-presets", Self.shipped, "--folder", "/nonexistent",
    ])
    func value(_ address: String) throws -> [OSCValue] {
      try daemon.ask(OSCMessage(address)).first { $0.address == address }?.arguments ?? []
    }
    // The file is read beside the control thread: what it says is there when it has been read.
    for _ in 0..<2_000 {
      if try value("/tactus/preset").first?.text == "stage" { break }
    }
    #expect(try value("/tactus/meter").first?.text == "3/4")
    #expect(try value("/tactus/tempo").first?.number == 150)
    #expect(abs(try value("/tactus/volume/db").first?.number ?? 0) == 20)
    #expect(try value("/tactus/sound/strong").first?.text == "bell")
    #expect(try value("/tactus/countin").first?.number == 1)
    #expect(try value("/tactus/preset").first?.text == "stage")
    #expect(daemon.end(by: SIGTERM) == 0)
  }

  @Test func `a text of digits reaches the preset of that name`() throws {
    try CommandRun.withFolder { folder in
      let daemon = try DaemonProcess.ready([
        "--shipped-presets", Self.shipped, "--folder", folder,
      ])
      for message in [
        OSCMessage("/tactus/tempo", .float(77)), OSCMessage("/tactus/preset/save", .string("24")),
        OSCMessage("/tactus/preset", .int32(1)), OSCMessage("/tactus/preset", .string("24")),
      ] {
        let errors = try daemon.ask(message).filter { $0.address == "/tactus/error" }
        #expect(errors.isEmpty, "\(message) \(errors)")
      }
      let tempo = try daemon.ask(OSCMessage("/tactus/tempo"))
        .first { $0.address == "/tactus/tempo" }?.arguments.first?.number
      #expect(tempo == 77)
      let saved = try String(contentsOfFile: folder + "/presets/24.json", encoding: .utf8)
      #expect(!saved.contains("setlist"))
    }
  }

  @Test func `every shipped preset is taken by the daemon without a warning`() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.shipped)
      .filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.sorted()
    let daemon = try DaemonProcess.ready([
      "--shipped-presets", Self.shipped, "--folder", "/nonexistent",
    ])
    for name in names {
      let errors = try daemon.ask(OSCMessage("/tactus/preset", .string(name)))
        .filter { $0.address == "/tactus/error" }
      #expect(errors.isEmpty, "\(name): \(errors)")
    }
    #expect(daemon.end(by: SIGTERM) == 0)
    #expect(daemon.errorText() == "")
  }
}
