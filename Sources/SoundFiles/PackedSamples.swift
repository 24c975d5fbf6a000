/// Planar samples as the bytes of a WAV's data: interleaved, least significant byte first.
///
/// One pass from the engine's block to the file's bytes. Most of a click track is silence, whose
/// bytes are all zero in every encoding.
///
/// - Thread: any one at a time
@safe final class PackedSamples {
  private let encoding: SoundFileFormat.Encoding
  private let channels: Int
  /// A click of 30 ms leaves most pieces of a beat silent.
  private static let pieceFrames = 256
  private var bytes: UnsafeMutableRawBufferPointer

  init(_ encoding: SoundFileFormat.Encoding, channels: Int) {
    self.encoding = encoding
    self.channels = channels
    unsafe bytes = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  }

  deinit { unsafe bytes.deallocate() }

  /// - Parameters:
  ///   - block: Float32, full scale 1.0; channels `stride` samples apart, each with `frames`.
  /// - Returns: the bytes, until the next call.
  func pack(
    _ block: UnsafeBufferPointer<Float>, stride: Int, frames: Int
  ) -> UnsafeRawBufferPointer {
    let count = frames * channels * encoding.byteCount
    if unsafe bytes.count < count {
      unsafe bytes.deallocate()
      unsafe bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    }
    guard let base = unsafe bytes.baseAddress, let samples = block.baseAddress else {
      return unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    }
    let frameBytes = channels * encoding.byteCount
    var first = 0
    while first < frames {
      let length = min(PackedSamples.pieceFrames, frames - first)
      let target = unsafe base + first * frameBytes
      let isSilent = (0..<channels).allSatisfy {
        unsafe PackedSamples.isSilent(samples + $0 * stride + first, length)
      }
      if isSilent {
        unsafe target.initializeMemory(as: UInt8.self, repeating: 0, count: length * frameBytes)
      } else {
        for channel in 0..<channels {
          unsafe put(samples + channel * stride + first, length, target, channel)
        }
      }
      first += length
    }
    return unsafe UnsafeRawBufferPointer(start: base, count: count)
  }

  private func put(
    _ samples: UnsafePointer<Float>, _ frames: Int, _ base: UnsafeMutableRawPointer, _ channel: Int
  ) {
    let width = encoding.byteCount
    let step = channels * width
    var target = unsafe base + channel * width
    switch encoding {
    case .pcm16:
      for frame in 0..<frames {
        let value = Int16(truncatingIfNeeded: SampleQuantizer.whole16(unsafe samples[frame]))
        unsafe target.storeBytes(of: value.littleEndian, as: Int16.self)
        unsafe target += step
      }
    case .pcm24:
      for frame in 0..<frames {
        let value = UInt32(bitPattern: SampleQuantizer.whole24(unsafe samples[frame]))
        unsafe target.storeBytes(
          of: UInt16(truncatingIfNeeded: value).littleEndian, as: UInt16.self)
        unsafe target.storeBytes(
          of: UInt8(truncatingIfNeeded: value >> 16), toByteOffset: 2, as: UInt8.self)
        unsafe target += step
      }
    case .float32:
      for frame in 0..<frames {
        unsafe target.storeBytes(of: samples[frame].bitPattern.littleEndian, as: UInt32.self)
        unsafe target += step
      }
    }
  }

  /// Whether every bit is zero; a negative zero is none, and is packed as any sample.
  private static func isSilent(_ samples: UnsafePointer<Float>, _ frames: Int) -> Bool {
    let raw = unsafe UnsafeRawPointer(samples)
    var bits = SIMD16<UInt32>()
    var frame = 0
    while frame &+ 16 <= frames {
      unsafe bits |= raw.loadUnaligned(fromByteOffset: frame &* 4, as: SIMD16<UInt32>.self)
      frame &+= 16
    }
    while frame < frames {
      unsafe bits[0] |= samples[frame].bitPattern
      frame &+= 1
    }
    return bits == SIMD16()
  }
}
