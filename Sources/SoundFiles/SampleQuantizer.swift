/// Brings samples to whole numbers: scaled by 2^(bits - 1), rounded to the nearest (ties to even),
/// held at the ends of the range.
///
/// A value read back from a file of the same depth is written again unchanged. There is no dither:
/// what is written is a function of the samples alone.
enum SampleQuantizer {
  /// 1.5 x 2^52: added to a number of less than 51 bits it leaves no room for a fraction, so the
  /// sum is rounded by the arithmetic itself, and the low bits are the whole number. A function
  /// call a sample would be most of what a render costs.
  private static let shifter = 0x1.8p52

  @inline(__always)
  private static func whole(
    _ sample: Float, _ scale: Double, _ least: Double, _ greatest: Double
  ) -> Int32 {
    let value = Double(sample) * scale
    // The first comparison is false for what is not a number, which so becomes the least.
    let held = value > least ? (value < greatest ? value : greatest) : least
    return Int32(truncatingIfNeeded: (held + shifter).bitPattern)
  }

  /// A sample in 16 bits.
  @inline(__always)
  static func whole16(_ sample: Float) -> Int32 { whole(sample, 32_768, -32_768, 32_767) }

  /// A sample in 24 bits.
  @inline(__always)
  static func whole24(_ sample: Float) -> Int32 { whole(sample, 8_388_608, -8_388_608, 8_388_607) }

  /// - Precondition: `output` has room for all of `input`; a rest is left out.
  static func pcm16(_ input: UnsafeBufferPointer<Float>, into output: inout [Int16]) {
    unsafe output.withUnsafeMutableBufferPointer { output in
      for index in 0..<min(input.count, output.count) {
        unsafe output[index] = Int16(truncatingIfNeeded: whole16(input[index]))
      }
    }
  }

  /// 24 bits at the top of 32, as libsndfile takes them.
  static func pcm24(_ input: UnsafeBufferPointer<Float>, into output: inout [Int32]) {
    unsafe output.withUnsafeMutableBufferPointer { output in
      for index in 0..<min(input.count, output.count) {
        unsafe output[index] = whole24(input[index]) << 8
      }
    }
  }
}
