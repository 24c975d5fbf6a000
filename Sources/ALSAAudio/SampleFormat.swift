/// How a sample lies in memory, in the order in which a card is asked for them: the format that
/// needs no rounding first, then by resolution.
///
/// Conversion is exact: full scale 1.0 is 2^(bits - 1), the nearest step is taken, ties to even,
/// and what lies beyond the ends is held there. No dither: a metronome's silence stays silence.
///
/// - Thread: any; `convert` is free of allocation and locks.
public enum SampleFormat: UInt8, Sendable, BitwiseCopyable, CaseIterable {
  case float32
  case int32
  /// 24 bits in the lower three of four bytes, sign extended.
  case int24
  /// 24 bits in three bytes.
  case int24Packed
  case int16

  /// ALSA's name.
  public var name: String {
    switch self {
    case .float32: "FLOAT_LE"
    case .int32: "S32_LE"
    case .int24: "S24_LE"
    case .int24Packed: "S24_3LE"
    case .int16: "S16_LE"
    }
  }

  public var bytesPerSample: Int {
    switch self {
    case .float32, .int32, .int24: 4
    case .int24Packed: 3
    case .int16: 2
    }
  }

  /// Packs planar Float32 into interleaved samples of this format, little-endian.
  ///
  /// - Parameter output: room for `frameCount * channelCount * bytesPerSample` bytes.
  @_noAllocation @_noLocks
  public func convert(
    planar input: UnsafePointer<Float>, channelStride: Int, channelCount: Int, frameCount: Int,
    into output: UnsafeMutableRawPointer
  ) {
    // A metronome is silent most of the time, and silence is zero bytes in every format.
    if unsafe SampleFormat.isSilent(input, channelStride, channelCount, frameCount) {
      unsafe SampleFormat.clear(output, byteCount: frameCount &* channelCount &* bytesPerSample)
      return
    }
    if self == .int16, channelCount == 2 {
      return unsafe SampleFormat.shortPairs(input, input + channelStride, frameCount, output)
    }
    var channel = 0
    while channel < channelCount {
      let source = unsafe input + channel &* channelStride
      switch self {
      case .float32:
        unsafe SampleFormat.copy(source, channel, channelCount, frameCount, output)
      case .int32:
        unsafe SampleFormat.words(source, channel, channelCount, frameCount, output, 2_147_483_648)
      case .int24:
        unsafe SampleFormat.words(source, channel, channelCount, frameCount, output, 8_388_608)
      case .int24Packed:
        unsafe SampleFormat.threes(source, channel, channelCount, frameCount, output)
      case .int16:
        unsafe SampleFormat.shorts(source, channel, channelCount, frameCount, output)
      }
      channel &+= 1
    }
  }

  /// The nearest integer step of a sample, held at the ends; what is not a number is silence.
  ///
  /// - Parameter scale: 2^(bits - 1)
  @_noAllocation @_noLocks
  static func quantise(_ sample: Float, scale: Double) -> Int32 {
    // A Float times a power of two is exact in a Double.
    let scaled = Double(sample) * scale
    guard scaled == scaled else { return 0 }
    let held = scaled > -scale ? (scaled < scale - 1 ? scaled : scale - 1) : -scale
    // 1.5 * 2^52: adding it leaves no bit below one, so that the addition itself rounds to even and
    // the low bits are the whole number.
    return Int32(truncatingIfNeeded: (held + 6_755_399_441_055_744.0).bitPattern)
  }

  /// Whether all samples are +0; 32 bytes a step.
  @_noAllocation @_noLocks
  private static func isSilent(
    _ input: UnsafePointer<Float>, _ channelStride: Int, _ channelCount: Int, _ frameCount: Int
  ) -> Bool {
    var channel = 0
    while channel < channelCount {
      let source = unsafe UnsafeRawPointer(input + channel &* channelStride)
      let end = frameCount &* 4
      var offset = 0
      while offset &+ 32 <= end {
        let first = unsafe source.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        let second = unsafe source.loadUnaligned(fromByteOffset: offset &+ 8, as: UInt64.self)
        let third = unsafe source.loadUnaligned(fromByteOffset: offset &+ 16, as: UInt64.self)
        let fourth = unsafe source.loadUnaligned(fromByteOffset: offset &+ 24, as: UInt64.self)
        if first | second | third | fourth != 0 { return false }
        offset &+= 32
      }
      while offset < end {
        if unsafe source.loadUnaligned(fromByteOffset: offset, as: UInt32.self) != 0 {
          return false
        }
        offset &+= 4
      }
      channel &+= 1
    }
    return true
  }

  @_noAllocation @_noLocks
  private static func clear(_ output: UnsafeMutableRawPointer, byteCount: Int) {
    var offset = 0
    while offset &+ 8 <= byteCount {
      unsafe output.storeBytes(of: 0, toByteOffset: offset, as: UInt64.self)
      offset &+= 8
    }
    while offset < byteCount {
      unsafe output.storeBytes(of: 0, toByteOffset: offset, as: UInt8.self)
      offset &+= 1
    }
  }

  @_noAllocation @_noLocks
  private static func copy(
    _ source: UnsafePointer<Float>, _ channel: Int, _ channelCount: Int, _ frameCount: Int,
    _ output: UnsafeMutableRawPointer
  ) {
    var offset = channel &* 4
    var frame = 0
    while frame < frameCount {
      unsafe output.storeBytes(of: source[frame], toByteOffset: offset, as: Float.self)
      offset &+= channelCount &* 4
      frame &+= 1
    }
  }

  @_noAllocation @_noLocks
  private static func words(
    _ source: UnsafePointer<Float>, _ channel: Int, _ channelCount: Int, _ frameCount: Int,
    _ output: UnsafeMutableRawPointer, _ scale: Double
  ) {
    var offset = channel &* 4
    var frame = 0
    while frame < frameCount {
      let value = unsafe quantise(source[frame], scale: scale)
      unsafe output.storeBytes(of: value, toByteOffset: offset, as: Int32.self)
      offset &+= channelCount &* 4
      frame &+= 1
    }
  }

  @_noAllocation @_noLocks
  private static func threes(
    _ source: UnsafePointer<Float>, _ channel: Int, _ channelCount: Int, _ frameCount: Int,
    _ output: UnsafeMutableRawPointer
  ) {
    var offset = channel &* 3
    var frame = 0
    while frame < frameCount {
      let value = unsafe quantise(source[frame], scale: 8_388_608)
      let low = UInt8(truncatingIfNeeded: value)
      let middle = UInt8(truncatingIfNeeded: value >> 8)
      let high = UInt8(truncatingIfNeeded: value >> 16)
      unsafe output.storeBytes(of: low, toByteOffset: offset, as: UInt8.self)
      unsafe output.storeBytes(of: middle, toByteOffset: offset &+ 1, as: UInt8.self)
      unsafe output.storeBytes(of: high, toByteOffset: offset &+ 2, as: UInt8.self)
      offset &+= channelCount &* 3
      frame &+= 1
    }
  }

  /// Both channels of 16 bits in one loop without branches, which becomes vector instructions.
  @_noAllocation @_noLocks
  private static func shortPairs(
    _ left: UnsafePointer<Float>, _ right: UnsafePointer<Float>, _ frameCount: Int,
    _ output: UnsafeMutableRawPointer
  ) {
    var frame = 0
    while frame < frameCount {
      let first = unsafe short(left[frame])
      let second = unsafe short(right[frame])
      let pair = (first & 0xFFFF) | (second << 16)
      unsafe output.storeBytes(of: pair, toByteOffset: frame &* 4, as: UInt32.self)
      frame &+= 1
    }
  }

  /// As `quantise` for 16 bits, the step in the low half of the word: here a Float holds all that
  /// is needed.
  @_noAllocation @_noLocks @inline(__always)
  private static func short(_ sample: Float) -> UInt32 {
    let scaled = sample * 32_768
    let below = scaled < 32_767 ? scaled : 32_767
    let held = below > -32_768 ? below : -32_768
    let number = sample == sample ? held : 0
    // 1.5 * 2^23 leaves no bit below one.
    return (number + 12_582_912).bitPattern
  }

  @_noAllocation @_noLocks
  private static func shorts(
    _ source: UnsafePointer<Float>, _ channel: Int, _ channelCount: Int, _ frameCount: Int,
    _ output: UnsafeMutableRawPointer
  ) {
    var offset = channel &* 2
    var frame = 0
    while frame < frameCount {
      let value = unsafe Int16(truncatingIfNeeded: quantise(source[frame], scale: 32_768))
      unsafe output.storeBytes(of: value, toByteOffset: offset, as: Int16.self)
      offset &+= channelCount &* 2
      frame &+= 1
    }
  }
}
