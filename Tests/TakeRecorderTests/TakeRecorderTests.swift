import Glibc
import MusicalTime
import ScoreFormats
import SoundFiles
import Testing

@testable import TakeRecorder

/// A folder that is gone with the test.
private final class TemporaryFolder {
  let path: String

  init() {
    var template = Array("/tmp/tactus-take-XXXXXX".utf8CString)
    mkdtemp(&template)
    path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }

  deinit {
    for name in ["a.wav", "a.json", "b.wav", "c.wav", "d.json"] { unlink("\(path)/\(name)") }
    rmdir(path)
  }
}

private func append(_ samples: [Float], to writer: TakeWriter) throws {
  var failure: TakeError?
  samples.withUnsafeBufferPointer { buffer in
    do throws(TakeError) { try writer.append(buffer) } catch { failure = error }
  }
  if let failure { throw failure }
}

@Suite("Writing a take")
struct TakeWriterTests {
  @Test(
    "what is written is read back, by another reader, to the bit of its format",
    arguments: TakeEncoding.Sample.allCases, [1, 2, 3, 8])
  func roundTrip(sample: TakeEncoding.Sample, channels: Int) throws {
    let folder = TemporaryFolder()
    let writer = try TakeWriter(
      path: "\(folder.path)/a.wav",
      encoding: TakeEncoding(sample: sample, channels: channels, rate: 48_000))
    // Values that 24 bits hold exactly.
    let samples = (0..<(1_001 * channels)).map { Float($0 % 4_001 - 2_000) / 8_192 }
    try append(samples, to: writer)
    try writer.appendSilence(frames: 77)
    try writer.close()
    let stream = try SoundFileStream(path: "\(folder.path)/a.wav")
    #expect(stream.channels == channels && stream.rate == 48_000)
    #expect(stream.announcedFrames == 1_078)
    let read = try stream.readAll(atMost: 10_000)
    for frame in [0, 1, 500, 1_000] {
      for channel in 0..<channels {
        #expect(read[channel][frame] == samples[frame * channels + channel])
      }
    }
    #expect(read[0][1_001...].allSatisfy { $0 == 0 })
  }

  @Test("at any moment the file is playable and lacks at most the last second")
  func killed() throws {
    let folder = TemporaryFolder()
    let path = "\(folder.path)/a.wav"
    let writer = try TakeWriter(
      path: path, encoding: TakeEncoding(sample: .pcm24, channels: 1, rate: 8_000))
    var seed: UInt64 = 1
    for _ in 0..<100 {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let count = Int(seed >> 33) % 5_000 + 1
      try append([Float](repeating: 0.25, count: count), to: writer)
      // The process is killed here: what a stranger finds.
      let stream = try SoundFileStream(path: path)
      let read = try stream.readAll(atMost: 1 << 24)[0]
      #expect(Int64(read.count) > writer.frames - 8_000 && Int64(read.count) <= writer.frames)
      #expect(read.allSatisfy { $0 == 0.25 })
    }
  }

  @Test("repair counts what the head had not, and leaves a whole take as it is")
  func repair() throws {
    let folder = TemporaryFolder()
    let path = "\(folder.path)/a.wav"
    let encoding = TakeEncoding(sample: .float32, channels: 2, rate: 8_000)
    var writer: TakeWriter? = try TakeWriter(path: path, encoding: encoding)
    try append([Float](repeating: 0.5, count: 2 * 9_000), to: try #require(writer))
    try append([Float](repeating: 0.5, count: 2 * 1_234), to: try #require(writer))
    writer = nil
    #expect(try TakeRepair.repair(path, isDryRun: true).gained == 1_234)
    let outcome = try TakeRepair.repair(path)
    #expect(outcome == .init(encoding: encoding, frames: 10_234, gained: 1_234))
    #expect(try TakeRepair.repair(path).gained == 0)
    #expect(try SoundFileStream(path: path).announcedFrames == 10_234)
  }

  @Test("beyond 4 GiB the head is that of RF64, in the same place")
  func long() throws {
    let folder = TemporaryFolder()
    let path = "\(folder.path)/a.wav"
    let encoding = TakeEncoding(sample: .float32, channels: 8, rate: 96_000)
    // Two hours: 7200 x 96000 frames of 32 bytes are 22 GB; the file is a hole.
    let frames: Int64 = 7_200 * 96_000
    let head = TakeHead.bytes(encoding, frames: frames)
    #expect(head.count == TakeHead.length(encoding))
    #expect(head.count == TakeHead.bytes(encoding, frames: 0).count)
    let descriptor = open(path, O_RDWR | O_CREAT, 0o644)
    #expect(write(descriptor, head, head.count) == head.count)
    #expect(ftruncate(descriptor, Int(frames * 32) + head.count) == 0)
    close(descriptor)
    let stream = try SoundFileStream(path: path)
    #expect(stream.announcedFrames == frames && stream.channels == 8)
    #expect(try TakeRepair.repair(path).gained == 0)
  }

  @Test("a full disk ends the take with a word, and nothing is written after it")
  func full() throws {
    let descriptor = open("/dev/full", O_RDWR)
    do {
      _ = try TakeWriter(
        descriptor: descriptor, path: "/dev/full",
        encoding: TakeEncoding(sample: .pcm24, channels: 1, rate: 8_000))
      Issue.record("a full disk took the head")
    } catch {
      #expect(error == .system(call: "write", path: "/dev/full", code: ENOSPC))
      #expect(error.description.contains("disk is full"))
    }
  }

  @Test("a take that is there is not overwritten")
  func exists() throws {
    let folder = TemporaryFolder()
    let encoding = TakeEncoding(sample: .pcm24, channels: 1, rate: 8_000)
    _ = try TakeWriter(path: "\(folder.path)/a.wav", encoding: encoding)
    #expect(throws: TakeError.exists(path: "\(folder.path)/a.wav")) {
      _ = try TakeWriter(path: "\(folder.path)/a.wav", encoding: encoding)
    }
  }

  @Test("samples at full scale are counted, and what is no number is silence")
  func clipping() throws {
    let folder = TemporaryFolder()
    let writer = try TakeWriter(
      path: "\(folder.path)/a.wav",
      encoding: TakeEncoding(sample: .pcm24, channels: 1, rate: 8_000))
    try append([0.5, 1, -1, 1.5, .nan, -0.999], to: writer)
    try writer.close()
    #expect(writer.clipped == 4)
    let read = try SoundFileStream(path: "\(folder.path)/a.wav").readAll(atMost: 10)[0]
    #expect(read[4] == 0 && read[3] > 0.9999 && read[2] == -1)
  }
}

@Suite("Takes in a folder")
struct TakeFolderTests {
  @Test("takes are listed by name, with or without a side file; a link is not followed")
  func listing() throws {
    let folder = TemporaryFolder()
    let encoding = TakeEncoding(sample: .pcm24, channels: 1, rate: 8_000)
    for name in ["b", "a"] {
      try TakeWriter(path: "\(folder.path)/\(name).wav", encoding: encoding).close()
    }
    symlink("/etc/passwd", "\(folder.path)/c.wav")
    close(open("\(folder.path)/a.json", O_CREAT | O_WRONLY, 0o644))
    let takes = TakeFolder(path: folder.path)
    #expect(try takes.entries().map(\.name) == ["a", "b"])
    #expect(try takes.entries().map(\.hasSheet) == [true, false])
    #expect(throws: TakeError.notAFile(path: "\(folder.path)/c.wav")) { try takes.take("c") }
    try takes.delete("a.wav")
    #expect(try takes.entries().map(\.name) == ["b"])
    #expect(access("\(folder.path)/a.json", F_OK) != 0)
  }

  @Test("names lead nowhere else", arguments: ["../a", "/etc/passwd", ".hidden", "", "a/b"])
  func names(name: String) {
    #expect(throws: TakeError.self) { try TakeFolder(path: "/tmp").take(name) }
  }
}

@Suite("Alignment")
struct TakeAlignmentTests {
  private func sheet(barOne: Double, latency: Double?) -> TakeSheet {
    var sheet = TakeSheet(
      rate: 48_000, barOneFrame: barOne,
      tempo: [.init(tempo: Tempo(unchecked: 120_000, unit: .quarter))])
    sheet.latencyFrames = latency
    return sheet
  }

  @Test("bar 1 and the latency are taken off the head")
  func head() {
    let alignment = TakeAlignment(
      sheet(barOne: 1_000, latency: 480.25), frames: 10_000, rate: 48_000)
    #expect(alignment.trimmed == 1_480 && alignment.frames == 8_520 && alignment.silence == 0)
    #expect(alignment.roundingFrames == -0.25)
  }

  @Test("a take that begins after bar 1 is preceded by silence")
  func silence() {
    let alignment = TakeAlignment(sheet(barOne: -1_000, latency: nil), frames: 500, rate: 48_000)
    #expect(alignment.silence == 1_000 && alignment.trimmed == 0 && alignment.frames == 500)
  }

  @Test("a latency longer than the take leaves nothing, and says so")
  func consumed() {
    #expect(
      TakeAlignment(sheet(barOne: 0, latency: 14_400), frames: 9_600, rate: 48_000).isConsumed)
  }
}
