import Glibc
import MusicalTime
import ScoreFormats
import SoundFiles
import Testing

@testable import TakeRecorder

@Suite("A take on its disk")
struct TakeSessionTests {
  /// A folder that is gone with the test.
  private static func withFolder(_ body: (String) throws -> Void) throws {
    // Where there is memory for files: an hour of a take are made durable 3600 times.
    let base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
    var template = Array("\(base)/tactus-session-XXXXXX".utf8CString)
    mkdtemp(&template)
    let path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
    defer {
      for name in ["a.wav", "a.json"] { unlink("\(path)/\(name)") }
      rmdir(path)
    }
    try body(path)
  }

  private static func session(
    _ folder: String, channels: Int = 1, rate: Int = 8_000
  ) throws -> TakeSession {
    try TakeSession(
      path: "\(folder)/a.wav",
      encoding: TakeEncoding(sample: .float32, channels: channels, rate: rate),
      sheet: TakeSheet(rate: rate, barOneFrame: 0, tempo: [.init(tempo: Tempo(120)!)]))
  }

  private static func append(
    _ samples: [Float], _ session: TakeSession, at frame: Int64, zero: Int64 = 0
  ) throws {
    var failure: TakeError?
    samples.withUnsafeBufferPointer { buffer in
      do throws(TakeError) { try session.append(buffer, at: frame, zero: zero) } catch {
        failure = error
      }
    }
    if let failure { throw failure }
  }

  @Test("what was lost is silence of the exact length, and listed")
  func holes() throws {
    try Self.withFolder { folder in
      let session = try Self.session(folder)
      // 300 frames before the take, of which 200 belong to it.
      try Self.append([Float](repeating: 0.25, count: 300), session, at: 1_000, zero: 1_100)
      try Self.append([Float](repeating: 0.5, count: 100), session, at: 1_477, zero: 1_100)
      try session.finish(ended: nil)
      let read = try SoundFileStream(path: "\(folder)/a.wav").readAll(atMost: 1_000_000)
      #expect(
        read[0]
          == [Float](repeating: 0.25, count: 200) + [Float](repeating: 0, count: 177)
          + [Float](repeating: 0.5, count: 100))
      let sheet = try TakeSheetFile.load(beside: "\(folder)/a.wav")
      #expect(sheet?.gaps == [.init(frame: 200, frames: 177)])
      #expect(sheet?.frames == 477)
      #expect(session.gapFrames == 177)
    }
  }

  @Test("the level is the largest sample since it was asked for, and full scale counts as clipped")
  func level() throws {
    try Self.withFolder { folder in
      let session = try Self.session(folder)
      try Self.append([0.1, -0.7, 0.2], session, at: 0)
      #expect(session.takePeak() == 0.7)
      #expect(session.takePeak() == 0)
      try Self.append([1, -1, 0.999], session, at: 3)
      #expect(session.clipped == 2)
      try session.finish(ended: "the disk is full")
      let sheet = try TakeSheetFile.load(beside: "\(folder)/a.wav")
      #expect(sheet?.clipped == 2 && sheet?.ended == "the disk is full")
    }
  }

  @Test("a folder that is removed ends the take within a second of sound, with the reason")
  func removed() throws {
    try Self.withFolder { folder in
      let session = try Self.session(folder)
      let second = [Float](repeating: 0, count: 8_000)
      try Self.append(second, session, at: 0)
      unlink("\(folder)/a.wav")
      #expect(throws: TakeError.gone(path: "\(folder)/a.wav")) {
        try Self.append(second, session, at: 8_000)
      }
    }
  }

  @Test("an hour in virtual time: the length is exact and the memory flat")
  func long() throws {
    try Self.withFolder { folder in
      let session = try Self.session(folder, rate: 8_000)
      let block = (0..<8_000).map { Float($0) / 10_000 }
      var frame: Int64 = 0
      func run(_ frames: Int64) throws {
        let end = frame + frames
        while frame < end {
          try Self.append(block, session, at: frame)
          frame += 8_000
        }
      }
      try run(8_000 * 60)
      let before = Self.residentKilobytes()
      try run(8_000 * 3_540)
      #expect(Self.residentKilobytes() - before < 2_048)
      try session.finish(ended: nil)
      #expect(session.frames == 28_800_000)
      var status = stat()
      stat("\(folder)/a.wav", &status)
      #expect(Int64(status.st_size) == Int64(80) + 28_800_000 * 4)
    }
  }

  private static func residentKilobytes() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    guard fgets(&line, 256, file) != nil else { return 0 }
    let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8($0) }, as: UTF8.self)
      .split(separator: " ")
    return words.count > 1 ? (Int(words[1]) ?? 0) * 4 : 0
  }

  @Test("a name is fresh, safe, and made of the date where there is none")
  func names() throws {
    try Self.withFolder { folder in
      let takes = TakeFolder(path: folder)
      #expect(try takes.freshName("a") == "a")
      let session = try Self.session(folder)
      try session.finish(ended: nil)
      #expect(throws: TakeError.self) { try takes.freshName("a") }
      #expect(throws: TakeError.self) { try takes.freshName("../a") }
      let dated = try takes.freshName(nil)
      #expect(dated.hasPrefix("20") && !dated.contains("/"))
      #expect(takes.newest(10) == ["a"])
    }
  }
}
