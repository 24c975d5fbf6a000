import CSndfile
import Glibc

/// Writes sound piece by piece to a file, or to a pipe.
///
/// - Unit: interleaved Float32, full scale 1.0
/// - Thread: any one at a time; writes files, so never audio.
@safe public final class SoundFileWriter {
  public let format: SoundFileFormat
  public let channels: Int
  public private(set) var framesWritten: Int64 = 0

  private let file: String
  private var sink: Sink
  private var shorts: [Int16] = []
  private var longs: [Int32] = []
  private var interleaved = unsafe UnsafeMutableBufferPointer<Float>(start: nil, count: 0)
  private let packed: PackedSamples
  private lazy var packedAsOne = PackedSamples(format.encoding, channels: 1)

  @safe private enum Sink {
    case library(OpaquePointer)
    /// A WAV whose head has been sent: the descriptor and the frames it announced.
    case stream(Int32, announced: Int64)
    /// A file without a name, copied to the descriptor at the end.
    case spool(OpaquePointer, spool: Int32, target: Int32)
    case closed
  }

  /// Creates or replaces a file.
  ///
  /// - Parameter expectedFrames: where it is known; above 4 GiB a WAV is written as RF64.
  public init(
    path: String, format: SoundFileFormat, rate: Int, channels: Int, expectedFrames: Int64? = nil
  ) throws(SoundFileError) {
    let descriptor = unsafe Glibc.open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else {
      throw .system(call: "open", file: path, reason: SystemError.text(errno))
    }
    let bytes = (expectedFrames ?? 0).multipliedReportingOverflow(
      by: Int64(channels * format.encoding.byteCount))
    let handle = try unsafe SoundFileWriter.openLibrary(
      descriptor, file: path, rate: rate, channels: channels,
      code: format.libraryFormat(
        needsLongSizes: bytes.overflow || bytes.partialValue > Int64(UInt32.max) - 4096),
      closes: true)
    unsafe sink = .library(handle)
    self.format = format
    self.channels = channels
    packed = PackedSamples(format.encoding, channels: channels)
    file = path
  }

  /// Writes to an open descriptor, such as standard output, which stays open.
  ///
  /// A WAV is sent as it is made, which needs its length beforehand; FLAC is collected in a
  /// temporary file first.
  public init(
    descriptor: Int32, name: String, format: SoundFileFormat, rate: Int, channels: Int,
    expectedFrames: Int64
  ) throws(SoundFileError) {
    self.format = format
    self.channels = channels
    packed = PackedSamples(format.encoding, channels: channels)
    file = name
    switch format.container {
    case .wav:
      let head = try WAVStreamHeader.bytes(
        encoding: format.encoding, rate: rate, channels: channels, frames: expectedFrames)
      unsafe sink = .stream(descriptor, announced: expectedFrames)
      try SoundFileWriter.send(head, to: descriptor, file: name)
    case .flac:
      let spool = try SoundFileWriter.temporaryFile()
      let handle = try unsafe SoundFileWriter.openLibrary(
        spool, file: name, rate: rate, channels: channels,
        code: format.libraryFormat(needsLongSizes: false), closes: false)
      unsafe sink = .spool(handle, spool: spool, target: descriptor)
    }
  }

  deinit {
    try? close()
    unsafe interleaved.deallocate()
  }

  /// Appends whole frames of interleaved samples.
  ///
  /// - Precondition: `samples.count` is a multiple of `channels`; a rest is left out.
  public func write(_ samples: UnsafeBufferPointer<Float>) throws(SoundFileError) {
    let frames = samples.count / channels
    guard frames > 0 else { return }
    switch sink {
    case .library(let handle), .spool(let handle, _, _):
      try unsafe writeLibrary(handle, samples, frames: frames)
    case .stream(let descriptor, let announced):
      try checkLength(frames, announced)
      // Interleaved samples are one channel of so many more frames.
      let bytes = unsafe packedAsOne.pack(samples, stride: 0, frames: frames * channels)
      try unsafe SoundFileWriter.send(bytes, to: descriptor, file: file)
    case .closed:
      throw .closed(file: file)
    }
    framesWritten += Int64(frames)
  }

  /// Appends frames of planar samples.
  ///
  /// - Parameter planar: channels `stride` samples apart, each with at least `frames` of them.
  public func write(
    planar: UnsafeBufferPointer<Float>, stride: Int, frames: Int
  ) throws(SoundFileError) {
    guard frames > 0 else { return }
    precondition(stride >= frames && planar.count >= stride * (channels - 1) + frames)
    switch sink {
    case .library(let handle) where format.container == .wav:
      let bytes = unsafe packed.pack(planar, stride: stride, frames: frames)
      let done = unsafe sf_write_raw(handle, bytes.baseAddress, sf_count_t(bytes.count))
      try unsafe check(handle, Int(done) == bytes.count)
    case .stream(let descriptor, let announced):
      try checkLength(frames, announced)
      let bytes = unsafe packed.pack(planar, stride: stride, frames: frames)
      try unsafe SoundFileWriter.send(bytes, to: descriptor, file: file)
    case .library(let handle), .spool(let handle, _, _):
      try unsafe writeLibrary(handle, interleave(planar, stride, frames), frames: frames)
    case .closed:
      throw .closed(file: file)
    }
    framesWritten += Int64(frames)
  }

  private func checkLength(_ frames: Int, _ announced: Int64) throws(SoundFileError) {
    guard framesWritten + Int64(frames) <= announced else {
      throw .wrongLength(file: file, announced: announced, written: framesWritten + Int64(frames))
    }
  }

  /// Completes the file; later calls do nothing.
  ///
  /// - Throws: what keeps the file from being whole: a full disk, a length other than announced.
  public func close() throws(SoundFileError) {
    let ending = sink
    sink = .closed
    switch ending {
    case .library(let handle):
      try unsafe closeLibrary(handle)
    case .stream(let descriptor, let announced):
      if framesWritten * Int64(channels * format.encoding.byteCount) % 2 == 1 {
        try SoundFileWriter.send([0], to: descriptor, file: file)
      }
      guard framesWritten == announced else {
        throw .wrongLength(file: file, announced: announced, written: framesWritten)
      }
    case .spool(let handle, let spool, let target):
      defer { Glibc.close(spool) }
      try unsafe closeLibrary(handle)
      try copy(spool, to: target)
    case .closed:
      break
    }
  }

  // MARK: libsndfile

  private static func openLibrary(
    _ descriptor: Int32, file: String, rate: Int, channels: Int, code: Int32, closes: Bool
  ) throws(SoundFileError) -> OpaquePointer {
    var info = SF_INFO()
    info.samplerate = Int32(clamping: rate)
    info.channels = Int32(clamping: channels)
    info.format = code
    guard let handle = unsafe sf_open_fd(descriptor, Int32(SFM_WRITE), &info, closes ? 1 : 0) else {
      let reason = unsafe String(cString: sf_strerror(nil))
      throw .library(file: file, reason: reason)
    }
    // The PEAK chunk of a float file holds the time of day: one render would differ from the next.
    unsafe sf_command(handle, Int32(SFC_SET_ADD_PEAK_CHUNK), nil, Int32(SF_FALSE))
    return unsafe handle
  }

  private func writeLibrary(
    _ handle: OpaquePointer, _ samples: UnsafeBufferPointer<Float>, frames: Int
  ) throws(SoundFileError) {
    let count = frames * channels
    let done: sf_count_t
    switch format.encoding {
    case .pcm16:
      if shorts.count < count { shorts = [Int16](repeating: 0, count: count) }
      unsafe SampleQuantizer.pcm16(samples, into: &shorts)
      done = unsafe sf_writef_short(handle, shorts, sf_count_t(frames))
    case .pcm24:
      if longs.count < count { longs = [Int32](repeating: 0, count: count) }
      unsafe SampleQuantizer.pcm24(samples, into: &longs)
      done = unsafe sf_writef_int(handle, longs, sf_count_t(frames))
    case .float32:
      done = unsafe sf_writef_float(handle, samples.baseAddress, sf_count_t(frames))
    }
    try unsafe check(handle, done == frames)
  }

  private func check(_ handle: OpaquePointer, _ isWritten: Bool) throws(SoundFileError) {
    guard !isWritten else { return }
    let reason = unsafe String(cString: sf_strerror(handle))
    throw .library(file: file, reason: "write: \(reason)")
  }

  private func interleave(
    _ planar: UnsafeBufferPointer<Float>, _ stride: Int, _ frames: Int
  ) -> UnsafeBufferPointer<Float> {
    if unsafe interleaved.count < frames * channels {
      unsafe interleaved.deallocate()
      unsafe interleaved = UnsafeMutableBufferPointer.allocate(capacity: frames * channels)
      unsafe interleaved.initialize(repeating: 0)
    }
    for channel in 0..<channels {
      for frame in 0..<frames {
        unsafe interleaved[frame * channels + channel] = planar[channel * stride + frame]
      }
    }
    return unsafe UnsafeBufferPointer(rebasing: interleaved[..<(frames * channels)])
  }

  private func closeLibrary(_ handle: OpaquePointer) throws(SoundFileError) {
    unsafe sf_write_sync(handle)
    let code = unsafe sf_close(handle)
    if code != 0 {
      let reason = unsafe String(cString: sf_error_number(code))
      throw .library(file: file, reason: "close: \(reason)")
    }
  }

  // MARK: Pipes

  private static func send(
    _ bytes: [UInt8], to descriptor: Int32, file: String
  ) throws(SoundFileError) {
    var failure: SoundFileError?
    unsafe bytes.withUnsafeBytes { buffer in
      do throws(SoundFileError) {
        try unsafe send(buffer, to: descriptor, file: file)
      } catch { failure = error }
    }
    if let failure { throw failure }
  }

  private static func send(
    _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, file: String
  ) throws(SoundFileError) {
    var sent = 0
    while sent < bytes.count {
      let done = unsafe Glibc.write(
        descriptor, UnsafeRawBufferPointer(rebasing: bytes[sent...]).baseAddress,
        bytes.count - sent)
      if done < 0 {
        if errno == EINTR { continue }
        throw .system(call: "write", file: file, reason: SystemError.text(errno))
      }
      sent += done
    }
  }

  /// A file that has no name and is gone when it is closed.
  private static func temporaryFile() throws(SoundFileError) -> Int32 {
    let folder = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
    var template = Array("\(folder)/tactus-XXXXXX".utf8CString)
    let descriptor = unsafe mkstemp(&template)
    guard descriptor >= 0 else {
      throw .system(call: "mkstemp", file: folder, reason: SystemError.text(errno))
    }
    unsafe unlink(template)
    return descriptor
  }

  private func copy(_ spool: Int32, to target: Int32) throws(SoundFileError) {
    lseek(spool, 0, SEEK_SET)
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let got = unsafe read(spool, &chunk, chunk.count)
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else {
        throw .system(call: "read", file: file, reason: SystemError.text(errno))
      }
      if got == 0 { return }
      try SoundFileWriter.send(Array(chunk[..<got]), to: target, file: file)
    }
  }
}
