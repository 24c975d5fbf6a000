import MetronomeModel
import MusicalTime
import Testing

@testable import RealtimeEngine

@Suite struct SoundTests {
  static let ceiling: Float = 0.891_251  // 10^(-1/20)
  static let transparent: Float = 0.707_945  // 10^(-3/20)

  /// Clicks 3000 frames apart of a sound of 10000 frames: up to four at once, added.
  @Test func `voices overlap and are mixed, never cut`() {
    let wave = (0..<10_000).map { 0.1 * (1 - Float($0) / 10_000) }
    let bench = EngineBench(tempo: 480)
    bench.useSounds(wave)
    bench.send(.subdivision(Subdivision(unchecked: 2, level: .soft, swing: .straight)))
    bench.start()
    bench.run(to: 60_000)
    for frame in stride(from: 9_600, to: 60_000, by: 7) {
      var expected: Float = 0
      for k in 0..<20 {
        let age = frame - 9_600 - 3_000 * k
        if age >= 0, age < 10_000 { expected += wave[age] }
      }
      #expect(abs(bench.samples[frame] - expected) < 1e-6)
    }
  }

  @Test func `the ceiling is never passed and quiet sums pass unchanged`() {
    for amplitude: Float in [0.01, 0.5, 0.7, 0.72, 1, 3, 20, 1e30, -0.5, -4] {
      let bench = EngineBench()
      bench.useSounds([amplitude, -amplitude])
      bench.send(.layer(count: 4, accent: .normal))
      bench.send(.sync(perQuarter: 1))
      bench.start()
      bench.run(to: 40_000)
      #expect(bench.samples.allSatisfy { abs($0) <= Self.ceiling })
      // Beat and layer fall together; the analog sync is added behind the limit.
      let sum = 2 * amplitude
      if abs(sum) < Self.transparent, abs(3 * amplitude) < Self.ceiling {
        #expect(abs(bench.samples[33_600] - 3 * amplitude) < 1e-6)
      } else {
        #expect(abs(bench.samples[33_600]) >= 0.7)
      }
    }
  }

  /// The limiter rises with what comes in and has no jump.
  @Test func `the limiter is monotonic, symmetric and without a step`() {
    var last: Float = 0
    for step in 0...4_000 {
      let x = Float(step) / 1_000
      let y = OutputStage.limit(x)
      #expect(y >= last && y - last < 0.001_1)
      #expect(y == -OutputStage.limit(-x))
      if x <= Self.transparent { #expect(y == x) }
      #expect(y <= Self.ceiling)
      last = y
    }
  }

  @Test func `mute fades over five milliseconds and back`() {
    let bench = EngineBench()
    bench.useSounds([Float](repeating: 0.5, count: 24_000))
    bench.start()
    bench.send(.mute(true), at: 20_000)
    bench.send(.mute(false), at: 60_000)
    bench.run(to: 80_000)
    // 240 frames, in equal steps.
    for k in 0..<240 {
      let rising = 0.5 * Float(k + 1) / 240
      #expect(abs(bench.samples[20_000 + k] - (0.5 - rising)) < 1e-5)
      #expect(abs(bench.samples[60_000 + k] - rising) < 1e-5)
    }
    #expect(bench.samples[20_240..<60_000].allSatisfy { $0 == 0 })
    #expect(bench.samples[60_240] == 0.5)
  }

  @Test func `the level fades in over the first fifty milliseconds`() {
    let bench = EngineBench()
    bench.useSounds([Float](repeating: 0.5, count: 24_000))
    bench.send(.leadIn(FrameCount(0)))
    bench.start()
    bench.run(to: 5_000)
    for k in 0..<2_400 {
      let expected = 0.5 * Float(k + 1) / 2_400
      #expect(abs(bench.samples[k] - expected) < 1e-5)
    }
    #expect(bench.samples[2_400] == 0.5)
  }

  @Test func `a volume change never steps`() {
    let bench = EngineBench()
    bench.useSounds([Float](repeating: 0.5, count: 24_000))
    bench.start()
    bench.send(.masterGain(0), at: 20_000)
    bench.send(.masterGain(1), at: 20_100)
    bench.run(to: 30_000)
    for frame in 9_601..<30_000 {
      let change = abs(bench.samples[frame] - bench.samples[frame - 1])
      #expect(change <= 0.001_043)
    }
    #expect(bench.samples[25_000] == 0.5)
  }

  /// From the next click not announced; what sounds keeps its bank until it has rung out.
  @Test
  func `sounds are swapped without a glitch and the old bank is retired after its last voice`() {
    let bench = EngineBench()
    bench.useSounds([Float](repeating: 0.25, count: 30_000), identifier: 1)
    bench.useSounds([Float](repeating: 0.125, count: 1_000), identifier: 2, at: 34_000)
    bench.start()
    bench.run(to: 120_000, periods: [64])
    #expect(bench.samples[33_599] == 0.25)
    // The clicks of 9600 and 33600 overlap until 39600; the one of 33600 rings until 63600.
    #expect(bench.samples[35_000] == 0.5)
    #expect(bench.samples[50_000] == 0.25)
    #expect(bench.samples[57_600] == 0.375)
    #expect(bench.samples[63_599] == 0.25)
    #expect(bench.samples[63_600] == 0)
    #expect(bench.samples[81_600] == 0.125)
    var retired: [Int64] = []
    for (fact, announced) in zip(bench.facts, bench.announcedBy) {
      if case .retiredSounds(let bank) = fact {
        #expect(bank == 1)
        retired.append(announced)
      }
    }
    #expect(retired.count == 1)
    #expect(retired[0] >= 63_600 && retired[0] <= 63_600 + 64 * 4)
  }

  @Test func `a later click offset moves clicks only and a smaller one loses none`() {
    let bench = EngineBench()
    bench.useUnitSamples()
    bench.send(.subdivision(Subdivision(unchecked: 2, level: .soft, swing: .straight)))
    bench.send(.audioOffset(FrameCount(24_000)))
    bench.start()
    bench.send(.audioOffset(FrameCount(100)), at: 60_000)
    bench.run(to: 120_000)
    #expect(bench.beatFrames.prefix(4) == [9_600, 33_600, 57_600, 81_600])
    // Due at 9600 + 12000 n. Those announced by 60000 (up to 57600) sound 24000 later, the others
    // 100 later: the click of 69600 sounds before that of 57600.
    #expect(
      bench.soundingFrames == [
        33_600, 45_600, 57_600, 69_600, 69_700, 81_600, 81_700, 93_700, 105_700, 117_700,
      ])
    #expect(bench.engine.handle.droppedClicks == 0)
  }

  @Test func `more clicks at once than there are voices fade the oldest and are counted`() {
    let wave = [Float](repeating: 0.001, count: 200_000)
    let bench = EngineBench(tempo: 999)
    bench.useSounds(wave)
    bench.send(.subdivision(Subdivision(unchecked: 9, level: .soft, swing: .straight)))
    bench.start()
    bench.run(to: 100_000)
    #expect(bench.engine.handle.droppedClicks > 0)
    // 64 voices of 0.001 and at most a few that are fading.
    #expect(bench.samples.max()! <= 0.066_5 && bench.samples[99_000] >= 0.063_9)
  }

  @Test func `sounds go to the channels of their route`() {
    let bench = EngineBench()
    let samples = UnsafeMutablePointer<Float>.allocate(capacity: 2)
    samples.initialize(from: [0.25, 0.5], count: 2)
    let slots = UnsafeMutablePointer<ClickSound>.allocate(capacity: SoundSlot.allCases.count)
    defer {
      samples.deallocate()
      slots.deallocate()
    }
    for slot in SoundSlot.allCases {
      // Stereo on channels 2 and 4 of four.
      slots[slot.rawValue] = ClickSound(
        samples: samples, frameCount: 1, channelCount: 2, gain: 1, route: 0b1010)
    }
    bench.send(
      .sounds(SoundBankReference(identifier: 1, slots: slots, beats: nil, beatCount: 0)))
    bench.start()
    var output = [Float](repeating: 0, count: 4 * 20_000)
    output.withUnsafeMutableBufferPointer {
      bench.engine.render(
        into: $0.baseAddress!, stride: 20_000, channelCount: 4, frameCount: 20_000)
    }
    let heard: [Float] = (0..<4).map { channel in output[channel * 20_000 + 9_600] }
    #expect(heard == [0, 0.25, 0, 0.5])
  }
}
