import CSndfile
import Glibc

/// Reads a recording of any length piece by piece.
///
/// - Unit: Float32, full scale 1.0
/// - Thread: any one at a time; reads files, so never audio.
@safe public final class SoundFileStream {
  /// Frames a second.
  public let rate: Int
  public let channels: Int
  /// As the header says: what can be read may be less.
  public let announcedFrames: Int64
  private let file: String
  private let handle: OpaquePointer
  private var chunk: [Float]
  private static let chunkFrames = 8_192

  /// Channels of a recording.
  public static let channelRange: ClosedRange<Int> = 1...32
  public static let rateRange: ClosedRange<Int> = 8_000...384_000

  public init(path: String) throws(SoundFileError) {
    let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw .system(call: "open", file: path, reason: SystemError.text(errno))
    }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw .notAFile(file: path)
    }
    var info = SF_INFO()
    guard let handle = unsafe sf_open_fd(descriptor, Int32(SFM_READ), &info, 1) else {
      let reason = unsafe String(cString: sf_strerror(nil))
      throw .library(file: path, reason: reason)
    }
    guard SoundFileStream.channelRange.contains(Int(info.channels)) else {
      unsafe sf_close(handle)
      throw .channels(file: path, Int(info.channels))
    }
    guard SoundFileStream.rateRange.contains(Int(info.samplerate)) else {
      unsafe sf_close(handle)
      throw .rate(file: path, Int(info.samplerate))
    }
    unsafe self.handle = handle
    file = path
    rate = Int(info.samplerate)
    channels = Int(info.channels)
    announcedFrames = max(0, Int64(info.frames))
    chunk = [Float](repeating: 0, count: SoundFileStream.chunkFrames * channels)
  }

  deinit { unsafe sf_close(handle) }

  /// The next frames, interleaved; empty at the end. A sample that is not a number is 0.
  public func next() throws(SoundFileError) -> ArraySlice<Float> {
    let got = unsafe chunk.withUnsafeMutableBufferPointer { buffer -> Int in
      guard let base = buffer.baseAddress else { return 0 }
      return unsafe Int(sf_readf_float(handle, base, sf_count_t(SoundFileStream.chunkFrames)))
    }
    guard got > 0 else {
      let code = unsafe sf_error(handle)
      guard code == 0 else {
        let reason = unsafe String(cString: sf_error_number(code))
        throw .library(file: file, reason: reason)
      }
      return []
    }
    let count = min(got, SoundFileStream.chunkFrames) * channels
    for index in 0..<count where !chunk[index].isFinite { chunk[index] = 0 }
    return chunk[..<count]
  }

  /// Every channel by itself.
  ///
  /// - Parameter limit: frames beyond which nothing is read.
  public func readAll(atMost limit: Int) throws(SoundFileError) -> [[Float]] {
    var result = [[Float]](repeating: [], count: channels)
    let expected = Int(min(announcedFrames, Int64(limit)))
    // The header is not believed beyond what a file of that kind could hold.
    for channel in 0..<channels { result[channel].reserveCapacity(min(expected, 1 << 24)) }
    while result[0].count < limit {
      let piece = try next()
      if piece.isEmpty { break }
      let frames = min(piece.count / channels, limit - result[0].count)
      for channel in 0..<channels {
        for frame in 0..<frames { result[channel].append(piece[frame * channels + channel]) }
      }
    }
    return result
  }
}
