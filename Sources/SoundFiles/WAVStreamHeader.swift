/// The head of a WAV that goes into a pipe, where sizes cannot be written afterwards.
///
/// RIFF WAVE (Microsoft and IBM, 1991; revision 3, 1994): PCM has a `fmt ` chunk of 16 bytes; other
/// codings one of 18 and a `fact` chunk with the count of frames.
enum WAVStreamHeader {
  /// - Throws: `tooLongForStream` above what 32-bit sizes can announce.
  static func bytes(
    encoding: SoundFileFormat.Encoding, rate: Int, channels: Int, frames: Int64
  ) throws(SoundFileError) -> [UInt8] {
    let frameBytes = channels * encoding.byteCount
    let isFloat = encoding == .float32
    let fixedBytes = isFloat ? 50 : 36
    let (dataBytes, overflow) = frames.multipliedReportingOverflow(by: Int64(frameBytes))
    // One byte of padding where the data has an odd length.
    guard !overflow, frames >= 0, dataBytes <= Int64(UInt32.max) - Int64(fixedBytes) - 1 else {
      throw .tooLongForStream(frames: frames)
    }
    var bytes: [UInt8] = []
    func text(_ name: String) { bytes += name.utf8 }
    func word(_ value: Int, _ count: Int) {
      for shift in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * shift))) }
    }
    text("RIFF")
    word(fixedBytes + Int(dataBytes + dataBytes % 2), 4)
    text("WAVEfmt ")
    word(isFloat ? 18 : 16, 4)
    word(isFloat ? 3 : 1, 2)
    word(channels, 2)
    word(rate, 4)
    word(rate * frameBytes, 4)
    word(frameBytes, 2)
    word(8 * encoding.byteCount, 2)
    if isFloat {
      word(0, 2)
      text("fact")
      word(4, 4)
      word(Int(frames), 4)
    }
    text("data")
    word(Int(dataBytes), 4)
    return bytes
  }
}
