/// Brings samples to whole numbers: scaled by 2^(bits - 1), rounded to the nearest, held at the
/// ends of the range.
///
/// A value read back from a file of the same depth is written again unchanged. There is no dither:
/// what is written is a function of the samples alone.
enum SampleQuantizer {
  @inline(__always)
  static func scaled(_ sample: Float, _ scale: Float, _ least: Float, _ greatest: Float) -> Float {
    let value = sample * scale
    // The first comparison is false for what is not a number, which so becomes the least.
    return value > least ? (value < greatest ? value : greatest) : least
  }

  static func pcm16(_ input: UnsafeBufferPointer<Float>, into output: inout [Int16]) {
    for index in 0..<input.count {
      let value = unsafe scaled(input[index], 32_768, -32_768, 32_767)
      output[index] = Int16(value.rounded(.toNearestOrEven))
    }
  }

  /// 24 bits at the top of 32, as libsndfile takes them.
  static func pcm24(_ input: UnsafeBufferPointer<Float>, into output: inout [Int32]) {
    for index in 0..<input.count {
      let value = unsafe scaled(input[index], 8_388_608, -8_388_608, 8_388_607)
      output[index] = Int32(value.rounded(.toNearestOrEven)) << 8
    }
  }
}
