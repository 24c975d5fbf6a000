/// Noise that keeps a sink awake: white, the same on all channels, at most one step of 16 bits.
///
/// - Unit: full scale 1.0
/// - Thread: audio; free of allocation and locks.
public struct AwakeNoise {
  /// 2^-15, which is -90.3 dBFS: in 16 bits its samples are -1, 0 and 1.
  public static var peak: Float {
    @_noAllocation @_noLocks get { 1.0 / 32_768 }
  }

  // Any number but 0: the generator never leaves 0.
  private var state: UInt32 = 0x9E37_79B9

  public init() {}

  /// The next sample.
  ///
  /// Xorshift with 13, 17 and 5 (Marsaglia, Xorshift RNGs, 2003) has a period of 2^32 - 1.
  @_noAllocation @_noLocks
  mutating func next() -> Float {
    state ^= state &<< 13
    state ^= state &>> 17
    state ^= state &<< 5
    return Float(Int32(bitPattern: state)) * (AwakeNoise.peak / 2_147_483_648)
  }

  /// Adds the next samples to planar channels.
  ///
  /// - Parameters:
  ///   - stride: samples from one channel's first to the next channel's first.
  @_noAllocation @_noLocks
  public mutating func add(
    to output: UnsafeMutablePointer<Float>, stride: Int, channelCount: Int, frameCount: Int
  ) {
    var frame = 0
    while frame < frameCount {
      let sample = next()
      var channel = 0
      while channel < channelCount {
        unsafe output[channel &* stride &+ frame] += sample
        channel &+= 1
      }
      frame &+= 1
    }
  }
}
