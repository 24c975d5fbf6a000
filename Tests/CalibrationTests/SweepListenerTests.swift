import Sweeps
import Testing

@Suite("Hearing a sweep while it is measured")
struct SweepListenerTests {
  /// A second of noise with a sweep in it.
  static func room(rate: Int, sweep: Float, noise: Float, at frame: Int, seed: UInt64) -> [Float] {
    var state = seed
    var room = (0..<rate).map { _ -> Float in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return noise * (Float(state >> 40) / 8_388_608 - 1)
    }
    for (index, value) in Sweep.samples(rate: Double(rate)).enumerated() {
      room[frame + index] += sweep * value
    }
    return room
  }

  @Test("a sweep 30 dB below full scale is heard in a quiet room", arguments: [44_100, 48_000])
  func heard(rate: Int) {
    let listener = SweepListener(rate: Double(rate))
    for seed: UInt64 in 1...4 {
      #expect(
        listener.hears(
          Self.room(rate: rate, sweep: 0.02, noise: 0.003, at: 7_777, seed: seed)))
    }
  }

  @Test("noise, silence and a click are no sweep")
  func unheard() {
    let listener = SweepListener(rate: 48_000)
    for seed: UInt64 in 1...4 {
      #expect(!listener.hears(Self.room(rate: 48_000, sweep: 0, noise: 0.1, at: 0, seed: seed)))
    }
    #expect(!listener.hears([Float](repeating: 0, count: 48_000)))
    #expect(!listener.hears([]))
    var click = Self.room(rate: 48_000, sweep: 0, noise: 0.001, at: 0, seed: 9)
    click[20_000] = 0.9
    #expect(!listener.hears(click))
  }
}
