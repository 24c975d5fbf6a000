import Testing

@testable import RealtimeEngine

@Suite("Noise that keeps a sink awake")
struct AwakeNoiseTests {
  private func samples(_ count: Int, channels: Int = 2, adding value: Float = 0) -> [Float] {
    var noise = AwakeNoise()
    var output = [Float](repeating: value, count: count * channels)
    output.withUnsafeMutableBufferPointer {
      noise.add(
        to: $0.baseAddress!, stride: count, channelCount: channels, frameCount: count)
    }
    return output
  }

  @Test("it stays within one step of 16 bits, -90.3 dBFS, and has no offset")
  func level() {
    let all = samples(480_000, channels: 1)
    // 20 log10(2^-15) = -90.309.
    #expect(AwakeNoise.peak == 0x1p-15)
    #expect(all.allSatisfy { abs($0) <= AwakeNoise.peak })
    let mean = all.reduce(0.0) { $0 + Double($1) } / Double(all.count)
    // A uniform variable of peak p has a deviation of p / sqrt(3): of 480000 samples' mean p / 1200.
    #expect(abs(mean) < Double(AwakeNoise.peak) / 240)
  }

  @Test("a card of 16 bits is never sent more than 2 ms of zeros")
  func sixteenBits() {
    let steps = samples(480_000, channels: 1).map { ($0 * 32_768).rounded() }
    #expect(Set(steps) == [-1, 0, 1])
    var zeros = 0
    var longest = 0
    for step in steps {
      zeros = step == 0 ? zeros + 1 : 0
      longest = max(longest, zeros)
    }
    // Half the samples are 0: a run of n comes about once in 2^n samples.
    #expect(longest < 96)
  }

  @Test("it is added to what sounds, alike on all channels")
  func adds() {
    let silent = samples(64)
    let loud = samples(64, adding: 0.5)
    #expect(Array(silent[..<64]) == Array(silent[64...]))
    for index in silent.indices { #expect(abs(loud[index] - silent[index] - 0.5) < 1e-6) }
  }
}
