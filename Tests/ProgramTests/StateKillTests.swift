import Foundation
import MetronomeModel
import ScoreFormats
import Testing

@Suite("kill -9 while the state is written")
struct StateKillTests {
  @Test("at 200 random moments there is always a whole state")
  func killed() throws {
    try CommandRun.withFolder { folder in
      let store = StateStore(folder: folder)
      let writer = DaemonProcess.binary.deletingLastPathComponent()
        .appendingPathComponent("state-writer")
      var random = SystemRandomNumberGenerator()
      var found: Set<Int> = []
      for _ in 0..<200 {
        let process = Process()
        process.executableURL = writer
        process.arguments = [folder]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        // It has written once and is at it again.
        #expect(output.fileHandleForReading.readData(ofLength: 1).count == 1)
        usleep(UInt32.random(in: 0...2_000, using: &random))
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal)
        guard case .kept(let last) = store.read(), let bars = last.settings.countIn else {
          Issue.record("no state")
          return
        }
        #expect(last.settings.midiPorts?.count == 16)
        found.insert(bars)
      }
      // Both had their turn, so writing went on.
      #expect(found == [1, 2])
    }
  }
}
