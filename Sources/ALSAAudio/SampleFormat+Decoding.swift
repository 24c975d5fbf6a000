/// Samples of a card as Float32; exact for up to 24 bits.
extension SampleFormat {
  /// Unpacks the first channels of interleaved frames.
  ///
  /// - Parameters:
  ///   - channelCount: of the input's frames.
  ///   - kept: channels of the output's frames, the first ones.
  ///   - output: room for `frameCount * kept` samples, interleaved, full scale 1.0.
  @_noAllocation @_noLocks
  func decode(
    _ input: UnsafeRawPointer, channelCount: Int, kept: Int, frameCount: Int,
    into output: UnsafeMutablePointer<Float>
  ) {
    let size = sampleBytes
    var frame = 0
    var written = 0
    while frame < frameCount {
      var channel = 0
      while channel < kept {
        let offset = (frame &* channelCount &+ channel) &* size
        unsafe output[written] = sample(at: input + offset)
        written &+= 1
        channel &+= 1
      }
      frame &+= 1
    }
  }

  private var sampleBytes: Int {
    @_noAllocation @_noLocks get {
      switch self {
      case .float32, .int32, .int24: 4
      case .int24Packed: 3
      case .int16: 2
      }
    }
  }

  @_noAllocation @_noLocks @inline(__always)
  private func sample(at place: UnsafeRawPointer) -> Float {
    switch self {
    case .float32:
      return unsafe place.loadUnaligned(as: Float.self)
    case .int32:
      return unsafe Float(place.loadUnaligned(as: Int32.self)) / 2_147_483_648
    case .int24:
      // The upper byte need not be the sign's.
      let word = unsafe place.loadUnaligned(as: Int32.self)
      return Float((word << 8) >> 8) / 8_388_608
    case .int24Packed:
      let low = unsafe UInt32(place.loadUnaligned(as: UInt16.self))
      let high = unsafe UInt32(place.loadUnaligned(fromByteOffset: 2, as: UInt8.self))
      return Float(Int32(bitPattern: (low | high << 16) << 8) >> 8) / 8_388_608
    case .int16:
      return unsafe Float(place.loadUnaligned(as: Int16.self)) / 32_768
    }
  }
}
