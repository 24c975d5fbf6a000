import Foundation
import Testing

@testable import TactusCommands

@Suite("The service is one file that systemd understands")
struct ServiceTests {
  /// systemd's own judge; the numbers are tenths.
  private func systemd(_ arguments: [String]) throws -> (code: Int32, text: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/systemd-analyze")
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }

  @Test(
    "the unit of the machine is exposed by 2.0 at the most, and has no word that systemd ignores")
  func exposure() throws {
    try CommandRun.withFolder { folder in
      let run = CommandRun(["service", "print", "--program", "/bin/true", "--", "--autostart"])
      #expect(run.code == 0)
      let file = "\(folder)/tactusd.service"
      try run.output.write(to: URL(fileURLWithPath: file))
      let security = try systemd(["security", "--offline=true", "--threshold=20", file])
      #expect(security.code == 0, "\(security.text.suffix(400))")
      let verify = try systemd(["verify", "--man=no", file])
      #expect(verify.code == 0 && verify.text.isEmpty, "\(verify.text)")
    }
  }

  @Test("words of ExecStart reach the daemon as they were typed")
  func quoting() {
    #expect(ServiceUnit.quoted("4/4") == "4/4")
    #expect(ServiceUnit.quoted("TR-8S MIDI 1") == "\"TR-8S MIDI 1\"")
    #expect(ServiceUnit.quoted("50%") == "50%%")
    #expect(ServiceUnit.quoted("a$b") == "a$$b")
    #expect(ServiceUnit.quoted("say \"x\\\"") == "\"say \\\"x\\\\\\\"\"")
    #expect(ServiceUnit.quoted("") == "\"\"")
  }

  @Test("installed below a root it is enabled there, removed it is gone")
  func root() throws {
    try CommandRun.withFolder { folder in
      let installed = CommandRun(
        ["service", "install", "--root", folder, "--program", "/usr/bin/tactusd", "--", "120"])
      #expect(installed.code == 0, "\(installed.error)")
      let unit = "\(folder)/etc/systemd/system/tactusd.service"
      let text = try String(contentsOfFile: unit, encoding: .utf8)
      #expect(text.contains("ExecStart=/usr/bin/tactusd --folder %S/tactus 120\n"))
      let link = "\(folder)/etc/systemd/system/multi-user.target.wants/tactusd.service"
      #expect((try? FileManager.default.destinationOfSymbolicLink(atPath: link)) != nil)
      #expect(CommandRun(["service", "remove", "--root", folder]).code == 0)
      #expect(!FileManager.default.fileExists(atPath: unit))
      let again = CommandRun(["service", "remove", "--root", folder])
      #expect(again.code == 1 && again.error.contains("nothing is installed"))
    }
  }

  @Test("a group that does not exist there is left out and named: systemd would start nothing")
  func groups() throws {
    try CommandRun.withFolder { folder in
      try FileManager.default.createDirectory(
        atPath: "\(folder)/etc", withIntermediateDirectories: true)
      try "root:x:0:\naudio:x:29:ann\n".write(
        toFile: "\(folder)/etc/group", atomically: true, encoding: .utf8)
      let run = CommandRun(
        ["service", "install", "--root", folder, "--program", "/usr/bin/tactusd"])
      #expect(run.code == 0, "\(run.error)")
      #expect(run.text.contains("there is no group 'input' here"))
      let text = try String(
        contentsOfFile: "\(folder)/etc/systemd/system/tactusd.service", encoding: .utf8)
      #expect(text.contains("\nSupplementaryGroups=audio\n"))
    }
  }

  @Test("a relative program, and --root with --user, are refused with the way out")
  func refusals() {
    let relative = CommandRun("service print --program tactusd")
    #expect(relative.code == 2 && relative.error.contains("absolute path"))
    let both = CommandRun("service install --user --root /x --program /bin/true")
    #expect(both.code == 2 && both.error.contains("leave one out"))
  }
}
