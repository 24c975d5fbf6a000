import MusicalTime
import Testing

/// SplitMix64, so that the same jitter comes on every run.
private struct Noise {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
  /// Evenly spread over -size ... size.
  mutating func jitter(_ size: Double) -> Double {
    (Double(next() >> 11) / 9_007_199_254_740_992 * 2 - 1) * size
  }
}

/// A card whose frame n is heard at `origin + n * 1e9 / (rate * (1 + ppm / 1e6))`.
private struct Card {
  var rate: Int64
  var ppm: Double
  var origin: Int64 = 5_000_000_000

  func heard(_ frame: Int64) -> Double {
    Double(frame) * (1e9 / (Double(rate) * (1 + ppm / 1e6)))
  }

  func stamp(_ frame: Int64, jitter: Double = 0) -> MonotonicTime {
    MonotonicTime(nanoseconds: origin + Int64((heard(frame) + jitter).rounded()))
  }

  /// Error of a clock's answer for `frame`, in nanoseconds.
  func error(of clock: FrameClock, at frame: Int64) -> Double {
    Double(clock.time(of: FrameIndex(frame)).nanoseconds - origin) - heard(frame)
  }
}

@Suite struct FrameClockLaws {
  @Test(
    "a nominal clock gives the exact nanosecond after hours", arguments: [44100, 48000, 192000])
  func exactAfterHours(rate: Int64) {
    let start = MonotonicTime(nanoseconds: 123_456_789)
    let clock = FrameClock(frame: FrameIndex(7), heardAt: start, framesPerSecond: rate)
    for seconds: Int64 in [1, 60, 3600, 43_200] {
      // After rate * s frames exactly s seconds have passed.
      let time = clock.time(of: FrameIndex(7 + rate * seconds))
      #expect(time.nanoseconds - start.nanoseconds == seconds * 1_000_000_000)
      // And as far back.
      let back = clock.time(of: FrameIndex(7 - rate * seconds))
      #expect(start.nanoseconds - back.nanoseconds == seconds * 1_000_000_000)
    }
  }

  @Test("frame(at:) undoes time(of:), on both sides of the anchor")
  func inverse() {
    let clock = FrameClock(
      frame: FrameIndex(1_000), heardAt: MonotonicTime(nanoseconds: 42), framesPerSecond: 44100)
    for frame: Int64 in [-9_999_999, -1, 0, 999, 1_000, 1_001, 44_100, 7_777_777_777] {
      #expect(clock.frame(at: clock.time(of: FrameIndex(frame))) == FrameIndex(frame))
    }
  }

  @Test("frame(at:) takes the nearest frame, ties upwards")
  func nearest() {
    // 1 MHz for round numbers: one frame is 1000 ns.
    let clock = FrameClock(
      frame: FrameIndex(0), heardAt: MonotonicTime(nanoseconds: 0), framesPerSecond: 1_000_000)
    let table: [(Int64, Int64)] = [
      (499, 0), (500, 1), (1499, 1), (1500, 2), (-499, 0), (-500, 0), (-501, -1), (-1500, -1),
    ]
    for (nanoseconds, frame) in table {
      #expect(clock.frame(at: MonotonicTime(nanoseconds: nanoseconds)) == FrameIndex(frame))
    }
  }

  @Test("instants beyond all time saturate and do not trap")
  func saturates() {
    let clock = FrameClock(
      frame: FrameIndex(0), heardAt: MonotonicTime(nanoseconds: 0), framesPerSecond: 8000)
    #expect(clock.time(of: .distantFuture) == .distantFuture)
    #expect(clock.time(of: .distantPast) == .distantPast)
    let fast = FrameClock(
      frame: FrameIndex(0), heardAt: MonotonicTime(nanoseconds: 0),
      framesPerSecond: 2_000_000_000)
    #expect(fast.frame(at: .distantFuture) == .distantFuture)
    #expect(clock.uncertaintyNanoseconds(of: .distantFuture) >= 0)
  }

  @Test("re-anchoring moves no instant")
  func reanchor() {
    var clock = FrameClock(
      frame: FrameIndex(0), heardAt: MonotonicTime(nanoseconds: 0), framesPerSecond: 44100)
    let far = FrameIndex(44_100 * 3600)
    // One period of 441 frames is 10 ms; a million of them are 2.8 hours.
    for period: Int64 in 1...1_000_000 { clock = clock.reanchored(at: FrameIndex(period * 441)) }
    // Each step truncates less than 2^-40 ns, so a million of them lose less than 10^-6 ns.
    #expect(clock.time(of: far).nanoseconds == 3_600_000_000_000)
  }

  @Test("an epoch at another rate goes on from the same instant")
  func epoch() {
    let clock = FrameClock(
      frame: FrameIndex(0), heardAt: MonotonicTime(nanoseconds: 0), framesPerSecond: 48_000)
    let next = clock.epoch(at: FrameIndex(48_000), framesPerSecond: 44_100)
    #expect(next.time(of: FrameIndex(48_000)).nanoseconds == 1_000_000_000)
    #expect(next.time(of: FrameIndex(48_000 + 44_100)).nanoseconds == 2_000_000_000)
  }

  @Test("uncertainty grows with the distance from the anchor, on both sides")
  func uncertainty() {
    let clock = FrameClock(
      frame: FrameIndex(0), heardAt: MonotonicTime(nanoseconds: 0), framesPerSecond: 100_000,
      uncertaintyNanoseconds: 100, uncertaintyPPB: 2_000)
    // A million frames are 10 s; 10 s at 2 ppm is 20 us.
    #expect(clock.uncertaintyNanoseconds(of: FrameIndex(1_000_000)) == 20_100)
    #expect(clock.uncertaintyNanoseconds(of: FrameIndex(-1_000_000)) == 20_100)
    #expect(clock.uncertaintyNanoseconds(of: FrameIndex(0)) == 100)
  }
}

@Suite struct DelayLockedLoopLaws {
  private func loop(_ card: Card, rate: Int64, offset: Int64 = 0) -> DelayLockedLoop {
    DelayLockedLoop(
      clock: FrameClock(
        frame: FrameIndex(0), heardAt: MonotonicTime(nanoseconds: card.origin + offset),
        framesPerSecond: rate))
  }

  @Test(
    "the drift of any real card is learned in ten seconds",
    arguments: [-300.0, -50, 0, 12.5, 300], [Int64(44_100), 48_000, 96_000])
  func learnsDrift(ppm: Double, rate: Int64) {
    let card = Card(rate: rate, ppm: ppm)
    var dll = loop(card, rate: rate)
    var noise = Noise(state: 1)
    for frame in stride(from: Int64(256), to: rate * 10, by: 256) {
      dll.observe(
        frame: FrameIndex(frame), heardAt: card.stamp(frame, jitter: noise.jitter(2_000)))
    }
    #expect(abs(dll.clock.driftPPM - ppm) < 0.5)
    // 100 ms ahead, where pulses are scheduled: well below a microsecond.
    #expect(abs(card.error(of: dll.clock, at: rate * 10 + rate / 10)) < 500)
  }

  @Test("a pulse scheduled from two successive clocks differs by less than a microsecond")
  func noJump() {
    let card = Card(rate: 48_000, ppm: 40)
    var dll = loop(card, rate: 48_000)
    var noise = Noise(state: 2)
    var worst = 0.0
    var previous = dll.clock
    for period: Int64 in 1...20_000 {
      let frame = period * 256
      // 10 us either way is what a virtual loopback card shows.
      dll.observe(
        frame: FrameIndex(frame), heardAt: card.stamp(frame, jitter: noise.jitter(10_000)))
      let pulse = FrameIndex(frame + 4_800)
      let jump = dll.clock.time(of: pulse).nanoseconds - previous.time(of: pulse).nanoseconds
      // In the first five seconds the loop is still narrowing.
      if period > 1_000 { worst = max(worst, Double(abs(jump))) }
      previous = dll.clock
    }
    #expect(worst < 250)
  }

  @Test("the line's error is a tenth of the stamps' jitter or less")
  func rejectsJitter() {
    let card = Card(rate: 48_000, ppm: -20)
    var dll = loop(card, rate: 48_000)
    var noise = Noise(state: 3)
    var worst = 0.0
    for period: Int64 in 1...20_000 {
      let frame = period * 256
      dll.observe(
        frame: FrameIndex(frame), heardAt: card.stamp(frame, jitter: noise.jitter(20_000)))
      if period > 2_000 { worst = max(worst, abs(card.error(of: dll.clock, at: frame + 4_800))) }
    }
    // Uniform jitter of +-20 us has a deviation of 11.5 us; a loop with b = sqrt 2 * omega,
    // omega = 2 pi * 0.1 / 187.5 = 0.00335, passes about sqrt(b) = 7 % of it: 0.8 us, 4 sigma 3.2 us.
    #expect(worst < 4_000)
  }

  @Test("one wild stamp does not move the line")
  func outlier() {
    let card = Card(rate: 48_000, ppm: 0)
    var dll = loop(card, rate: 48_000)
    var noise = Noise(state: 4)
    for period: Int64 in 1...4_000 {
      let frame = period * 256
      // Every 500th wake-up comes 20 ms late and its stamp is only the time of the call.
      let late = period % 500 == 0 ? 20_000_000.0 : 0
      let before = dll.clock
      dll.observe(
        frame: FrameIndex(frame), heardAt: card.stamp(frame, jitter: noise.jitter(1_000) + late))
      if period > 2_000 {
        let pulse = FrameIndex(frame + 4_800)
        let jump = dll.clock.time(of: pulse).nanoseconds - before.time(of: pulse).nanoseconds
        // b * 20 ms would be 94 us.
        #expect(abs(jump) < 2_000)
      }
    }
  }

  @Test("a lasting shift is followed, without a jump")
  func shift() {
    let card = Card(rate: 48_000, ppm: 0)
    let shifted = Card(rate: 48_000, ppm: 0, origin: card.origin + 300_000)
    var dll = loop(card, rate: 48_000)
    for period: Int64 in 1...8_000 {
      let frame = period * 256
      let source = period < 2_000 ? card : shifted
      dll.observe(frame: FrameIndex(frame), heardAt: source.stamp(frame))
    }
    // 6000 periods are 32 s, many times the loop's 1 / (2 pi 0.1 Hz) = 1.6 s.
    #expect(abs(shifted.error(of: dll.clock, at: 8_001 * 256)) < 1_000)
  }

  @Test("a missed period is a longer step, not an error", arguments: [2, 5, 40] as [Int64])
  func missedPeriods(missing: Int64) {
    let card = Card(rate: 48_000, ppm: 100)
    var dll = loop(card, rate: 48_000)
    var frame: Int64 = 0
    for period: Int64 in 1...6_000 {
      frame += period % 50 == 0 ? 256 * missing : 256
      let error = dll.observe(frame: FrameIndex(frame), heardAt: card.stamp(frame))
      if period > 4_000 { #expect(abs(error) < 100) }
    }
    #expect(abs(dll.clock.driftPPM - 100) < 0.05)
  }

  @Test("the true instant lies within the reported uncertainty")
  func honest() {
    let card = Card(rate: 44_100, ppm: 150)
    var dll = loop(card, rate: 44_100)
    var noise = Noise(state: 6)
    for period: Int64 in 1...10_000 {
      let frame = period * 128
      dll.observe(
        frame: FrameIndex(frame), heardAt: card.stamp(frame, jitter: noise.jitter(5_000)))
      for ahead: Int64 in [0, 4_410] where period > 200 {
        let allowed = dll.clock.uncertaintyNanoseconds(of: FrameIndex(frame + ahead))
        #expect(abs(card.error(of: dll.clock, at: frame + ahead)) <= Double(allowed))
      }
    }
    // A quiet loop also says that it is quiet: one and a half frames (34.0 us) and four mean errors
    // of 2.5 us.
    #expect(dll.clock.uncertaintyNanoseconds < 46_000)
  }

  @Test("an observation that is not later teaches nothing")
  func repeated() {
    let card = Card(rate: 48_000, ppm: 0)
    var dll = loop(card, rate: 48_000)
    dll.observe(frame: FrameIndex(256), heardAt: card.stamp(256))
    let clock = dll.clock
    dll.observe(frame: FrameIndex(256), heardAt: card.stamp(256, jitter: 1e6))
    dll.observe(frame: FrameIndex(12), heardAt: card.stamp(12, jitter: 1e6))
    #expect(dll.clock == clock)
  }

  @Test("after half a second of error the line starts anew")
  func breaks() {
    let card = Card(rate: 48_000, ppm: 0)
    var dll = loop(card, rate: 48_000)
    dll.observe(frame: FrameIndex(256), heardAt: card.stamp(256))
    let leap = card.stamp(512, jitter: 700_000_000)
    dll.observe(frame: FrameIndex(512), heardAt: leap)
    #expect(dll.clock.time(of: FrameIndex(512)) == leap)
  }

  @Test("a loop that learns another card keeps its phase")
  func relearns() {
    let first = Card(rate: 48_000, ppm: -80)
    var dll = loop(first, rate: 48_000)
    for period: Int64 in 1...4_000 {
      dll.observe(frame: FrameIndex(period * 256), heardAt: first.stamp(period * 256))
    }
    // The next card begins exactly on the line and runs 160 ppm faster.
    let pivot: Int64 = 4_000 * 256
    let period2 = 1e9 / (48_000 * (1 + 80 / 1e6))
    dll.relearnRate()
    var worst = 0.0
    for period: Int64 in 1...4_000 {
      let time = first.stamp(pivot).nanoseconds + Int64((Double(period * 256) * period2).rounded())
      let frame = FrameIndex(pivot + period * 256)
      dll.observe(frame: frame, heardAt: MonotonicTime(nanoseconds: time))
      worst = max(worst, abs(Double(dll.clock.time(of: frame).nanoseconds - time)))
    }
    #expect(abs(dll.clock.driftPPM - 80) < 0.1)
    // A rate step of 160e-6 peaks at about 0.46 * 160e-6 / (2 pi 0.45 Hz) = 26 us; more, since the
    // loop narrows meanwhile.
    #expect(worst < 60_000)
  }
}
