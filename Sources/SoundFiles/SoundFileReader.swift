import CSndfile
import Glibc
public import MetronomeModel

/// The samples of a file, decoded.
///
/// - Unit: interleaved Float32, full scale 1.0
public struct DecodedSound: Equatable, Sendable {
  public var samples: [Float]
  public var channels: Int
  /// Frames a second.
  public var rate: Int
  /// Frames of silence taken off its head.
  public var skippedFrames: Int

  public init(samples: [Float], channels: Int, rate: Int, skippedFrames: Int = 0) {
    self.samples = samples
    self.channels = channels
    self.rate = rate
    self.skippedFrames = skippedFrames
  }

  public var frameCount: Int { samples.count / channels }
}

/// Reads WAV, FLAC and AIFF through libsndfile, within limits that do not trust the file's header.
///
/// - Thread: control; allocates and reads files.
public enum SoundFileReader {
  /// Reads a file by name from the sound folders.
  public static func read(
    _ name: SafeName, in folder: SoundFolder, keepingSilence: Bool = false
  ) throws(SoundFileError) -> DecodedSound {
    let descriptor = try folder.open(name)
    return try read(descriptor: descriptor, file: name.text, keepingSilence: keepingSilence)
  }

  /// Reads a file by its path.
  public static func read(
    path: String, keepingSilence: Bool = false
  ) throws(SoundFileError) -> DecodedSound {
    let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      throw .system(call: "open", file: path, reason: SystemError.text(errno))
    }
    return try read(descriptor: descriptor, file: path, keepingSilence: keepingSilence)
  }

  /// Reads from an open descriptor, which is closed.
  public static func read(
    descriptor: Int32, file: String, keepingSilence: Bool
  ) throws(SoundFileError) -> DecodedSound {
    var info = SF_INFO()
    guard let handle = unsafe sf_open_fd(descriptor, Int32(SFM_READ), &info, 1) else {
      // libsndfile closes the descriptor on failure too when it was told to own it.
      let reason = unsafe String(cString: sf_strerror(nil))
      throw .library(file: file, reason: reason)
    }
    defer { unsafe sf_close(handle) }
    try check(info, file: file)
    var sound = try unsafe decode(handle, info, file: file)
    guard sound.frameCount > 0 else { throw .empty(file: file) }
    try trim(&sound, file: file, keepingSilence: keepingSilence)
    return sound
  }

  private static func check(_ info: SF_INFO, file: String) throws(SoundFileError) {
    let container = Int(info.format) & Int(SF_FORMAT_TYPEMASK)
    let coding = Int(info.format) & Int(SF_FORMAT_SUBMASK)
    // The plain codings only: the others are rare in clicks and have the longest history of
    // faulty decoders.
    let containers = [
      SF_FORMAT_WAV, SF_FORMAT_WAVEX, SF_FORMAT_RF64, SF_FORMAT_FLAC, SF_FORMAT_AIFF,
    ].map { Int($0) }
    let codings = [
      SF_FORMAT_PCM_S8, SF_FORMAT_PCM_U8, SF_FORMAT_PCM_16, SF_FORMAT_PCM_24, SF_FORMAT_PCM_32,
      SF_FORMAT_FLOAT, SF_FORMAT_DOUBLE,
    ].map { Int($0) }
    guard containers.contains(container), codings.contains(coding) else { throw .kind(file: file) }
    guard Limits.soundChannels.contains(Int(info.channels)) else {
      throw .channels(file: file, Int(info.channels))
    }
    guard Limits.soundRate.contains(Int(info.samplerate)) else {
      throw .rate(file: file, Int(info.samplerate))
    }
  }

  private static func decode(
    _ handle: OpaquePointer, _ info: SF_INFO, file: String
  ) throws(SoundFileError) -> DecodedSound {
    let channels = Int(info.channels)
    let limit = Int(Limits.soundSeconds * Double(info.samplerate))
    var samples: [Float] = []
    let chunkFrames = 4_096
    var chunk = [Float](repeating: 0, count: chunkFrames * channels)
    // The header's count of frames is not believed: what is there is read, up to the limit.
    while true {
      let got = unsafe chunk.withUnsafeMutableBufferPointer { buffer -> Int in
        guard let base = buffer.baseAddress else { return 0 }
        return unsafe Int(sf_readf_float(handle, base, sf_count_t(chunkFrames)))
      }
      guard got > 0 else { break }
      samples.append(contentsOf: chunk[..<(min(got, chunkFrames) * channels)])
      if samples.count / channels > limit {
        throw .length(file: file, limitSeconds: Limits.soundSeconds)
      }
    }
    let code = unsafe sf_error(handle)
    if code != 0 {
      let reason = unsafe String(cString: sf_error_number(code))
      throw .library(file: file, reason: reason)
    }
    guard samples.allSatisfy(\.isFinite) else { throw .notFinite(file: file) }
    return DecodedSound(samples: samples, channels: channels, rate: Int(info.samplerate))
  }

  /// Takes off the head what lies more than 40 dB below the peak.
  private static func trim(
    _ sound: inout DecodedSound, file: String, keepingSilence: Bool
  ) throws(SoundFileError) {
    let peak = sound.samples.reduce(Float(0)) { max($0, abs($1)) }
    guard peak > 0 else { throw .silent(file: file) }
    guard !keepingSilence else { return }
    let threshold = peak / 100
    guard let first = sound.samples.firstIndex(where: { abs($0) >= threshold }) else { return }
    let frames = first / sound.channels
    sound.samples.removeFirst(frames * sound.channels)
    sound.skippedFrames = frames
  }
}
