import Companion
import MusicalTime
import Testing

/// A network that delays each message by its own random time, and two clocks that drift apart.
struct BadNetwork {
  var state: UInt64
  let offset: Int64
  let driftPPM: Double

  /// 0 ..< 1, from SplitMix64.
  mutating func random() -> Double {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return Double((z ^ (z >> 31)) >> 11) * 0x1p-53
  }

  func remote(_ local: Int64) -> Int64 {
    local + offset + Int64(Double(local) * driftPPM / 1e6)
  }

  /// 5 ms give or take 20, never less than nothing; lost one time in twenty.
  mutating func delay() -> Int64? {
    random() < 0.05 ? nil : max(0, Int64((5 + 40 * (random() - 0.5)) * 1e6))
  }

  mutating func exchange(at sent: Int64) -> SyncExchange? {
    guard let there = delay(), let back = delay() else { return nil }
    let received = sent + there
    return SyncExchange(
      sent: sent, remoteReceived: remote(received), remoteSent: remote(received + 50_000),
      received: received + 50_000 + back)
  }
}

@Suite struct ClockOffsetEstimatorTests {
  @Test(arguments: [1, 2, 3, 4, 5] as [UInt64], [-100.0, 0, 100])
  func `an hour's offset and drift are found through a network that wanders by 20 ms`(
    seed: UInt64, driftPPM: Double
  ) {
    var network = BadNetwork(state: seed, offset: 3_600_000_000_000, driftPPM: driftPPM)
    var estimator = ClockOffsetEstimator()
    var worst: Int64 = 0
    for second in 0..<600 {
      let now = Int64(second) * 1_000_000_000
      if let exchange = network.exchange(at: now) { estimator.take(exchange) }
      guard second >= 60 else { continue }
      let error = abs(
        estimator.offset(at: MonotonicTime(nanoseconds: now)) - (network.remote(now) - now))
      worst = max(worst, error)
    }
    // Half of the 4 ms that a beat may be late are left for the machine.
    #expect(worst < 2_000_000, "\(worst) ns")
    #expect(abs(estimator.driftPPM - driftPPM) < 60)
  }

  @Test func `one exchange on a symmetric path is NTP's own arithmetic`() {
    // t1 = 0, t2 = 1000 + 5, t3 = 1000 + 7, t4 = 12: offset ((1005 - 0) + (1007 - 12)) / 2 = 1000.
    var estimator = ClockOffsetEstimator()
    let exchange = SyncExchange(sent: 0, remoteReceived: 1_005, remoteSent: 1_007, received: 12)
    #expect(exchange.offset == 1_000)
    #expect(exchange.delay == 10)
    let isTaken = estimator.take(exchange)
    #expect(isTaken)
    #expect(estimator.offset(at: MonotonicTime(nanoseconds: 12)) == 1_000)
    #expect(estimator.local(ofRemote: 5_000).nanoseconds == 4_000)
    #expect(estimator.uncertainty == 5)
  }

  @Test func `an answer from before the question is no exchange`() {
    var estimator = ClockOffsetEstimator()
    let isTaken = estimator.take(
      SyncExchange(sent: 10, remoteReceived: 1, remoteSent: 2, received: 5))
    #expect(!isTaken)
    #expect(!estimator.isSynchronised)
  }

  @Test func `one answer that was held up is not enough to act by, a quick one or eight are`() {
    // 20 ms there and none back: half of that is how far it may be wrong.
    func slow(_ number: Int64) -> SyncExchange {
      let sent = number * 12_000_000
      return SyncExchange(
        sent: sent, remoteReceived: sent + 20_000_000, remoteSent: sent + 20_000_000,
        received: sent + 20_000_000)
    }
    var estimator = ClockOffsetEstimator()
    #expect(!estimator.isKnown(to: 4_000_000))
    for number in 0..<7 as Range<Int64> {
      estimator.take(slow(number))
      #expect(!estimator.isKnown(to: 4_000_000))
      #expect(estimator.isKnown(to: 10_000_000))
    }
    estimator.take(slow(7))
    #expect(estimator.isKnown(to: 4_000_000))
    var lucky = ClockOffsetEstimator()
    lucky.take(
      SyncExchange(sent: 0, remoteReceived: 500_000, remoteSent: 500_000, received: 1_000_000))
    #expect(lucky.isKnown(to: 4_000_000))
  }

  @Test func `a daemon that was restarted on another clock is believed at once`() {
    var estimator = ClockOffsetEstimator()
    for second in 0..<30 {
      let t = Int64(second) * 1_000_000_000
      estimator.take(
        SyncExchange(sent: t, remoteReceived: t + 500, remoteSent: t + 600, received: t + 1_000))
    }
    let t: Int64 = 31_000_000_000
    estimator.take(
      SyncExchange(
        sent: t, remoteReceived: 7_000_000_500, remoteSent: 7_000_000_600, received: t + 1_000))
    // 7 s on the new clock against 31 s here: 24 s behind.
    let offset = estimator.offset(at: MonotonicTime(nanoseconds: t))
    #expect(abs(offset + 24_000_000_000) < 1_000)
  }

  @Test func `stamps that no clock shows are no exchange, and nothing traps on them`() {
    var estimator = ClockOffsetEstimator()
    let stamps: [Int64] = [.min, .min + 1, -1 << 62, -1 << 60, 0, 1 << 60, 1 << 62, .max - 1, .max]
    for received in stamps {
      for sent in stamps {
        let isTaken = estimator.take(
          SyncExchange(sent: 5, remoteReceived: received, remoteSent: sent, received: 1_000))
        // Only the daemon that answered at its own instant 0 in no time can be true.
        #expect(isTaken == (received == 0 && sent == 0))
      }
    }
    _ = estimator.local(ofRemote: 1 << 59)
  }
}
