import Testing

@testable import ALSAAudio

/// Packs one channel and returns the bytes.
private func pack(_ samples: [Float], _ format: SampleFormat) -> [UInt8] {
  var bytes = [UInt8](repeating: 0xAA, count: samples.count * format.bytesPerSample)
  samples.withUnsafeBufferPointer { input in
    bytes.withUnsafeMutableBytes { output in
      if let from = input.baseAddress, let to = output.baseAddress {
        format.convert(
          planar: from, channelStride: samples.count, channelCount: 1,
          frameCount: samples.count, into: to)
      }
    }
  }
  return bytes
}

private func integers(_ samples: [Float], _ format: SampleFormat) -> [Int64] {
  let bytes = pack(samples, format)
  let size = format.bytesPerSample
  return stride(from: 0, to: bytes.count, by: size).map { start in
    var value: Int64 = 0
    for index in 0..<size { value |= Int64(bytes[start + index]) << (8 * Int64(index)) }
    let unused = Int64(64 - 8 * size)
    return (value << unused) >> unused
  }
}

@Suite struct SampleFormatLaws {
  /// Full scale, bit width, as ALSA defines the formats.
  private static let widths: [(SampleFormat, Int64)] = [
    (.int16, 1 << 15), (.int24, 1 << 23), (.int24Packed, 1 << 23), (.int32, 1 << 31),
  ]

  @Test("the ends are held and zero is zero", arguments: 0..<4)
  func ends(index: Int) {
    let (format, scale) = SampleFormatLaws.widths[index]
    let samples: [Float] = [0, -0.0, 1, -1, 2, -2, .infinity, -.infinity, .nan, 0.5, -0.5]
    #expect(
      integers(samples, format) == [
        0, 0, scale - 1, -scale, scale - 1, -scale, scale - 1, -scale, 0, scale / 2, -scale / 2,
      ])
  }

  /// Silence has a way of its own through the conversion: whatever the length, it must clear exactly
  /// its own bytes, and a single sample anywhere must be heard.
  @Test("silence clears its bytes and nothing beyond, and one sample is not lost", arguments: 0..<4)
  func silence(index: Int) {
    let (format, scale) = SampleFormatLaws.widths[index]
    for count in [1, 2, 7, 8, 9, 31, 64, 255] {
      #expect(pack([Float](repeating: 0, count: count), format).allSatisfy { $0 == 0 })
      for place in 0..<count {
        var samples = [Float](repeating: 0, count: count)
        samples[place] = 0.5
        var expected = [Int64](repeating: 0, count: count)
        expected[place] = scale / 2
        #expect(integers(samples, format) == expected, "\(count) samples, sound at \(place)")
      }
    }
  }

  @Test("silence of two channels with room between them writes nothing else")
  func silentChannels() {
    // Planes of 5 samples, of which 3 are asked for; the others are noise. 3 x 2 x 2 bytes.
    let planes: [Float] = [0, 0, 0, 1, 1, 0, 0, 0, 1, 1]
    var bytes = [UInt8](repeating: 0xAA, count: 16)
    planes.withUnsafeBufferPointer { input in
      bytes.withUnsafeMutableBytes { output in
        if let from = input.baseAddress, let to = output.baseAddress {
          SampleFormat.int16.convert(
            planar: from, channelStride: 5, channelCount: 2, frameCount: 3, into: to)
        }
      }
    }
    #expect(bytes == [UInt8](repeating: 0, count: 12) + [0xAA, 0xAA, 0xAA, 0xAA])
  }

  @Test("every 16-bit step comes out as itself")
  func everyStep() {
    let steps = Array(Int64(-32_768)...32_767)
    #expect(integers(steps.map { Float($0) / 32_768 }, .int16) == steps)
  }

  @Test("between two steps the nearest is taken, ties to even")
  func rounding() {
    // In units of a 16-bit step; each value times 2^-15 is exact in a Float.
    let table: [(Float, Int64)] = [
      (0.25, 0), (0.5, 0), (0.75, 1), (1.5, 2), (2.5, 2), (-0.5, 0), (-1.5, -2), (-2.5, -2),
      (100.4990234375, 100), (-100.5, -100), (-101.5, -102), (32_766.5, 32_766),
    ]
    #expect(integers(table.map { $0.0 / 32_768 }, .int16) == table.map(\.1))
  }

  @Test("two channels of 16 bits come out as each of them alone, whatever the sample")
  func pairs() {
    // Every half step and its neighbours, the ends and beyond, and what is no number.
    var samples: [Float] = [.nan, .infinity, -.infinity, 1, -1, 1.5, -1.5, -0.0]
    for step in stride(from: -33_000, through: 33_000, by: 7) {
      let half = (Float(step) + 0.5) / 32_768
      samples += [half, half.nextUp, half.nextDown, Float(step) / 32_768]
    }
    let other = Array(samples.reversed())
    var bytes = [UInt8](repeating: 0, count: 4 * samples.count)
    (samples + other).withUnsafeBufferPointer { input in
      bytes.withUnsafeMutableBytes { output in
        if let from = input.baseAddress, let to = output.baseAddress {
          SampleFormat.int16.convert(
            planar: from, channelStride: samples.count, channelCount: 2,
            frameCount: samples.count, into: to)
        }
      }
    }
    let left = pack(samples, .int16)
    let right = pack(other, .int16)
    var expected: [UInt8] = []
    for index in stride(from: 0, to: left.count, by: 2) {
      expected += left[index...index + 1]
      expected += right[index...index + 1]
    }
    #expect(bytes == expected)
  }

  @Test("a Float's 24 bits all reach a 24-bit and a 32-bit card")
  func precision() {
    let steps: [Int64] = [1, -1, 8_388_607, -8_388_608, 1_234_567, -7_654_321]
    let samples = steps.map { Float($0) / 8_388_608 }
    #expect(integers(samples, .int24) == steps)
    #expect(integers(samples, .int24Packed) == steps)
    #expect(integers(samples, .int32) == steps.map { $0 * 256 })
  }

  @Test("float samples pass unchanged, bit for bit")
  func float() {
    let samples: [Float] = [0, 1e-30, -0.123_456_78, 1.5]
    #expect(
      pack(samples, .float32)
        == samples.flatMap { sample in
          (0..<4).map { UInt8(truncatingIfNeeded: sample.bitPattern >> (8 * UInt32($0))) }
        })
  }

  @Test("channels are interleaved in order", arguments: SampleFormat.allCases)
  func interleaves(format: SampleFormat) {
    // Three channels of two frames, planar with a stride of five.
    let planar: [Float] = [0.1, 0.2, 9, 9, 9, 0.3, 0.4, 9, 9, 9, 0.5, 0.6, 9, 9, 9]
    var bytes = [UInt8](repeating: 0, count: 6 * format.bytesPerSample)
    planar.withUnsafeBufferPointer { input in
      bytes.withUnsafeMutableBytes { output in
        if let from = input.baseAddress, let to = output.baseAddress {
          format.convert(
            planar: from, channelStride: 5, channelCount: 3, frameCount: 2, into: to)
        }
      }
    }
    #expect(bytes == pack([0.1, 0.3, 0.5, 0.2, 0.4, 0.6], format))
  }
}
