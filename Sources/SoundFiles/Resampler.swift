import CSamplerate
import MetronomeModel

/// Brings a sound to another rate or pitch through libsamplerate's best converter.
///
/// - Thread: control; allocates.
enum Resampler {
  /// libsamplerate's own bounds of the ratio.
  private static let ratios = 1.0 / 256...256.0

  /// The sound at `rate`, raised by `semitones`; the same samples where neither changes.
  static func convert(
    _ sound: DecodedSound, to rate: Int, semitones: Double, file: String
  ) throws(SoundFileError) -> [Float] {
    if sound.rate == rate, semitones == 0 { return sound.samples }
    let ratio =
      Double(rate) / Double(sound.rate) / WaveArithmetic.ratio(semitones: semitones)
    guard ratios.contains(ratio) else {
      throw .resampler(
        file: file, reason: "from \(sound.rate) to \(rate) frames a second is too far")
    }
    let frames = Int((Double(sound.frameCount) * ratio).rounded(.up)) + 1
    guard frames * sound.channels * 4 <= Limits.soundBankBytes else {
      throw .bankMemory(frames * sound.channels * 4)
    }
    var output = [Float](repeating: 0, count: frames * sound.channels)
    var data = unsafe SRC_DATA()
    let code = unsafe sound.samples.withUnsafeBufferPointer { input in
      unsafe output.withUnsafeMutableBufferPointer { result in
        unsafe data.data_in = input.baseAddress
        unsafe data.data_out = result.baseAddress
        unsafe data.input_frames = sound.frameCount
        unsafe data.output_frames = frames
        unsafe data.src_ratio = ratio
        return unsafe src_simple(&data, Int32(SRC_SINC_BEST_QUALITY), Int32(sound.channels))
      }
    }
    guard code == 0 else {
      let reason = unsafe src_strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
      throw .resampler(file: file, reason: reason)
    }
    let made = unsafe Int(data.output_frames_gen) * sound.channels
    output.removeLast(output.count - made)
    return output
  }
}

extension DecodedSound {
  /// The samples at another rate.
  ///
  /// - Parameter file: named in errors.
  public func converted(to rate: Int, file: String) throws(SoundFileError) -> [Float] {
    try Resampler.convert(self, to: rate, semitones: 0, file: file)
  }
}
