import Glibc

/// Writes a take so that it is a whole, playable file at every moment, at most a second short.
///
/// Samples are appended; once a second of audio they are made durable, and then the head is
/// replaced in place by one that counts them. Whatever ends the program in between leaves a head
/// that counts no more than what is there.
///
/// - Thread: the disk thread; writes and waits for the disk, so never audio.
@safe public final class TakeWriter {
  public let path: String
  public let encoding: TakeEncoding
  /// Frames that were appended.
  public private(set) var frames: Int64 = 0
  /// Frames that the head counts.
  public private(set) var durableFrames: Int64 = 0
  /// Samples at full scale.
  public private(set) var clipped = 0

  private var descriptor: Int32
  private var bytes: [UInt8] = []
  /// Set by the first failure: nothing is written after it.
  private var failure: TakeError?

  /// Creates a file that is not there yet.
  public convenience init(path: String, encoding: TakeEncoding) throws(TakeError) {
    let descriptor = unsafe open(
      path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
    guard descriptor >= 0 else {
      if errno == EEXIST { throw .exists(path: path) }
      throw .system(call: "open", path: path, code: errno)
    }
    try self.init(descriptor: descriptor, path: path, encoding: encoding)
  }

  /// Writes to an open file, which is closed at the end.
  init(descriptor: Int32, path: String, encoding: TakeEncoding) throws(TakeError) {
    self.descriptor = descriptor
    self.path = path
    self.encoding = encoding
    try write(TakeHead.bytes(encoding, frames: 0))
  }

  deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

  /// Appends whole frames.
  ///
  /// - Parameter samples: interleaved, full scale 1.0; a rest below a frame is left out.
  public func append(_ samples: UnsafeBufferPointer<Float>) throws(TakeError) {
    if let failure { throw failure }
    let count = samples.count / encoding.channels
    guard count > 0 else { return }
    bytes.removeAll(keepingCapacity: true)
    bytes.reserveCapacity(count * encoding.frameBytes)
    for index in 0..<(count * encoding.channels) {
      let sample = unsafe samples[index]
      if !(abs(sample) < 1) { clipped += 1 }
      switch encoding.sample {
      case .float32:
        put(sample.isFinite ? sample.bitPattern : 0, 4)
      case .pcm24:
        // Full scale is 2^23; the largest value is one less.
        let scaled = sample.isFinite ? (sample * 8_388_608).rounded() : 0
        put(UInt32(bitPattern: Int32(min(max(scaled, -8_388_608), 8_388_607))), 3)
      }
    }
    try write(bytes)
    frames += Int64(count)
    if frames - durableFrames >= Int64(encoding.rate) { try checkpoint() }
  }

  /// Appends silence of an exact length, for what was lost.
  public func appendSilence(frames count: Int64) throws(TakeError) {
    let piece = [Float](repeating: 0, count: 4_096 * encoding.channels)
    var left = count
    while left > 0 {
      let now = Int(min(left, 4_096))
      var failure: TakeError?
      unsafe piece[..<(now * encoding.channels)].withUnsafeBufferPointer { buffer in
        do throws(TakeError) { try unsafe append(buffer) } catch { failure = error }
      }
      if let failure { throw failure }
      left -= Int64(now)
    }
  }

  private func put(_ value: UInt32, _ count: Int) {
    for byte in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> UInt32(8 * byte))) }
  }

  /// Makes what was appended durable, then the head that counts it.
  public func checkpoint() throws(TakeError) {
    guard frames != durableFrames else { return }
    guard fdatasync(descriptor) == 0 || errno == EINVAL else {
      throw fail(.system(call: "fdatasync", path: path, code: errno))
    }
    let head = TakeHead.bytes(encoding, frames: frames)
    let done = unsafe head.withUnsafeBytes {
      unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0)
    }
    guard done == head.count else {
      throw fail(.system(call: "write", path: path, code: done < 0 ? errno : ENOSPC))
    }
    fdatasync(descriptor)
    durableFrames = frames
  }

  /// Completes the file; later calls do nothing.
  public func close() throws(TakeError) {
    guard descriptor >= 0 else { return }
    defer {
      Glibc.close(descriptor)
      descriptor = -1
    }
    if failure == nil, frames * Int64(encoding.frameBytes) % 2 == 1 { try write([0]) }
    try checkpoint()
  }

  private func fail(_ error: TakeError) -> TakeError {
    failure = error
    return error
  }

  private func write(_ bytes: [UInt8]) throws(TakeError) {
    var sent = 0
    while sent < bytes.count {
      let done = unsafe bytes.withUnsafeBytes { buffer -> Int in
        guard let base = buffer.baseAddress else { return 0 }
        return unsafe Glibc.write(descriptor, base + sent, buffer.count - sent)
      }
      if done < 0, errno == EINTR { continue }
      guard done > 0 else {
        throw fail(.system(call: "write", path: path, code: done < 0 ? errno : ENOSPC))
      }
      sent += done
    }
  }
}
