import Foundation
import TactusCommands

/// `tactus` run inside the test, its standard streams caught in files.
struct CommandRun {
  var code: Int32
  var output: Data
  var error: String
  var text: String { String(decoding: output, as: UTF8.self) }

  init(_ arguments: [String], input: String = "") {
    func temporary(_ content: String = "") -> Int32 {
      var template = Array("\(NSTemporaryDirectory())/tactus-test-XXXXXX".utf8CString)
      let descriptor = mkstemp(&template)
      precondition(descriptor >= 0)
      unlink(template)
      if !content.isEmpty {
        content.withCString { _ = write(descriptor, $0, strlen($0)) }
        lseek(descriptor, 0, SEEK_SET)
      }
      return descriptor
    }
    func taken(_ descriptor: Int32) -> Data {
      lseek(descriptor, 0, SEEK_SET)
      let data = FileHandle(fileDescriptor: descriptor).readDataToEndOfFile()
      close(descriptor)
      return data
    }
    let console = Console(
      input: temporary(input), output: temporary(), error: temporary())
    code = TactusProgram.run(arguments, console: console)
    close(console.input)
    output = taken(console.output)
    error = String(decoding: taken(console.error), as: UTF8.self)
  }

  /// Words as a shell would split them; no quoting.
  init(_ line: String, input: String = "") {
    self.init(line.split(separator: " ").map(String.init), input: input)
  }

  /// A folder that is gone when the body ends.
  static func withFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
    var template = Array("\(NSTemporaryDirectory())/tactus-test-XXXXXX".utf8CString)
    let made = mkdtemp(&template)
    precondition(made != nil)
    let path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try body(path)
  }
}

/// A line of an event list.
struct ListedEvent {
  var members: [String: Any]
  var frame: Int { members["frame"] as? Int ?? Int.min }
  var kind: String { members["kind"] as? String ?? "" }
  var bar: Int? { members["bar"] as? Int }
  var beat: Int? { members["beat"] as? Int }
  var sub: Int? { members["sub"] as? Int }
  var layer: Int? { members["layer"] as? Int }
  var accent: String? { members["accent"] as? String }
  var bpm: Double? { (members["bpm"] as? NSNumber)?.doubleValue }
  var muted: Bool? { members["muted"] as? Bool }

  /// What `tactus render ... --events -` lists.
  static func rendered(_ line: String, input: String = "") -> [ListedEvent] {
    let run = CommandRun(line + " --events -", input: input)
    return run.code == 0 ? parse(run.text) : []
  }

  static func parse(_ text: String) -> [ListedEvent] {
    text.split(separator: "\n").compactMap { line in
      guard
        let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      else { return nil }
      return ListedEvent(members: object)
    }
  }
}

extension [ListedEvent] {
  func of(_ kind: String) -> [ListedEvent] { filter { $0.kind == kind } }
  var frames: [Int] { map(\.frame) }
}
