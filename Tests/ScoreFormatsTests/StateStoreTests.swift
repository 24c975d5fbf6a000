import Foundation
import MetronomeModel
import Testing

@testable import ScoreFormats

@Suite("The file of the last state")
struct StateStoreTests {
  private func withStore(_ body: (StateStore) throws -> Void) throws {
    let folder = "\(NSTemporaryDirectory())/tactus-state-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try body(StateStore(folder: "\(folder)/inner"))
  }

  private func write(_ text: String, _ store: StateStore) throws {
    try FileManager.default.createDirectory(
      atPath: store.folder, withIntermediateDirectories: true)
    try text.write(toFile: store.path, atomically: false, encoding: .utf8)
  }

  private func text(_ path: String) throws -> String {
    try String(contentsOfFile: path, encoding: .utf8)
  }

  @Test("it gives back what it kept, and nothing where there is nothing")
  func kept() throws {
    try withStore { store in
      #expect(store.read() == .nothing)
      let last = LastState(of: try StateFormatTests.state())
      try store.save(last)
      #expect(store.read() == .kept(last))
      var other = last
      other.preset = nil
      try store.save(other)
      #expect(store.read() == .kept(other))
    }
  }

  @Test(
    "what cannot be read is set aside whole, under a name that the message holds",
    arguments: ["", "{", "{\"settings\": {\"tempo\": 1200}}", "{\"unknown\": 1}"])
  func unreadable(content: String) throws {
    try withStore { store in
      try write(content, store)
      guard case .setAside(let path, let reason) = store.read() else {
        Issue.record("not set aside")
        return
      }
      #expect(path == "\(store.path).unreadable")
      #expect(reason.contains(store.path))
      #expect(try text(path) == content)
      #expect(store.read() == .nothing)
    }
  }

  @Test("a newer program's state waits for that program, named by its version")
  func newer() throws {
    try withStore { store in
      let content = "{\"version\": 7, \"somethingNew\": true}"
      try write(content, store)
      guard case .setAside(let path, let reason) = store.read() else {
        Issue.record("not set aside")
        return
      }
      #expect(path == "\(store.path).version-7")
      #expect(reason.contains("newer") && reason.contains("up to 1"))
      #expect(try text(path) == content)
    }
  }

  @Test("a state without a version is of the first")
  func first() throws {
    try withStore { store in
      try write("{\"preset\": \"a\"}", store)
      guard case .kept(let last) = store.read() else {
        Issue.record("not read")
        return
      }
      #expect(last.preset == "a")
    }
  }

  @Test("what can be neither read nor moved stays as it is")
  func stuck() throws {
    try withStore { store in
      try write("{", store)
      // A file does not replace a folder.
      try FileManager.default.createDirectory(
        atPath: "\(store.path).unreadable", withIntermediateDirectories: true)
      guard case .stuck = store.read() else {
        Issue.record("not stuck")
        return
      }
      #expect(try text(store.path) == "{")
    }
  }

  @Test("a folder that cannot be made is an error with its name")
  func noFolder() throws {
    let store = StateStore(folder: "/proc/tactus-state")
    #expect(store.read() == .nothing)
    #expect(throws: StoreError.self) { try store.save(LastState(of: MetronomeState())) }
  }

  @Test("what a power cut left behind is removed, what is being written is not")
  func drafts() throws {
    try withStore { store in
      try store.save(LastState(of: MetronomeState()))
      let old = "\(store.folder)/.tactus-Ab12Cd"
      let new = "\(store.folder)/.tactus-Ef34Gh"
      for path in [old, new] { try "{".write(toFile: path, atomically: false, encoding: .utf8) }
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -3_600)], ofItemAtPath: old)
      _ = store.read()
      #expect(!FileManager.default.fileExists(atPath: old))
      #expect(FileManager.default.fileExists(atPath: new))
    }
  }
}
