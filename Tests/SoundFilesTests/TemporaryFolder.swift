import Glibc

/// A folder that is gone with the test.
final class TemporaryFolder {
  let path: String

  init() {
    var template = Array("/tmp/tactus-test-XXXXXX".utf8CString)
    mkdtemp(&template)
    path = template.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  }

  deinit {
    if let folder = opendir(path) {
      while let entry = readdir(folder) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        unlink("\(path)/\(name)")
      }
      closedir(folder)
    }
    rmdir(path)
  }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  func write(_ name: String, _ bytes: [UInt8]) {
    let descriptor = open(file(name), O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    var rest = bytes[...]
    while !rest.isEmpty {
      let done = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      guard done > 0 else { break }
      rest = rest.dropFirst(done)
    }
    close(descriptor)
  }

  func bytes(_ name: String) -> [UInt8] { TemporaryFolder.readAll(file(name)) }

  static func readAll(_ path: String) -> [UInt8] {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var all: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let got = read(descriptor, &chunk, chunk.count)
      guard got > 0 else { return all }
      all += chunk[..<got]
    }
  }
}

/// The bytes of a PCM WAV file by the RIFF standard, made apart from the product.
func wavBytes(
  samples: [UInt8], format: UInt16 = 1, channels: UInt16 = 1, rate: UInt32 = 48_000,
  bits: UInt16 = 16, announced: UInt32? = nil
) -> [UInt8] {
  func word<T: FixedWidthInteger>(_ value: T) -> [UInt8] {
    (0..<(T.bitWidth / 8)).map { UInt8(truncatingIfNeeded: value >> T($0 * 8)) }
  }
  let size = announced ?? UInt32(samples.count)
  let frame = channels * bits / 8
  var bytes = Array("RIFF".utf8) + word(UInt32(36) &+ size) + Array("WAVEfmt ".utf8)
  bytes += word(UInt32(16)) + word(format) + word(channels) + word(rate)
  bytes += word(rate &* UInt32(frame)) + word(frame) + word(bits)
  return bytes + Array("data".utf8) + word(size) + samples
}

/// 16-bit samples, least significant byte first.
func pcm16(_ values: [Int16]) -> [UInt8] {
  values.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
}
