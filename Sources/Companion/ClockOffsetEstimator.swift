public import MusicalTime

/// One exchange of `/tactus/sync`: sent at t1 and received at t4 by our clock, received at t2 and
/// sent back at t3 by the daemon's.
///
/// - Unit: nanoseconds
public struct SyncExchange: Equatable, Sendable {
  public var sent: Int64
  public var remoteReceived: Int64
  public var remoteSent: Int64
  public var received: Int64

  public init(sent: Int64, remoteReceived: Int64, remoteSent: Int64, received: Int64) {
    self.sent = sent
    self.remoteReceived = remoteReceived
    self.remoteSent = remoteSent
    self.received = received
  }

  /// Nanoseconds, some 36 years: no clock that counts from a machine's start shows more, and sums of
  /// four such stamps are within 64 bits.
  static let longest: Int64 = 1 << 60

  /// Whether it can be true: stamps in their order and within what clocks show, whatever came over
  /// the network.
  public var isPossible: Bool {
    let stamps = [sent, remoteReceived, remoteSent, received]
    guard stamps.allSatisfy({ $0.magnitude < SyncExchange.longest.magnitude }) else {
      return false
    }
    return received >= sent && remoteSent >= remoteReceived && delay >= 0
  }

  /// The NTP estimate of the daemon's clock minus ours.
  public var offset: Int64 { ((remoteReceived - sent) + (remoteSent - received)) / 2 }

  /// Time on the network, both ways together.
  public var delay: Int64 { (received - sent) - (remoteSent - remoteReceived) }
}

/// The daemon's clock as a straight line over ours, from exchanges over a bad network.
///
/// A message cannot arrive before it was sent, so each exchange bounds the offset from both sides:
/// t3 - t4 <= offset <= t2 - t1. The line is the one that keeps all recent bounds with the most
/// room: the best of many exchanges in each direction by itself, where taking the exchange with
/// the least delay needs both directions to be quick at once. Drift is the slope.
///
/// - Unit: nanoseconds, parts per million
/// - Thread: any; time is an argument
public struct ClockOffsetEstimator: Sendable {
  /// Exchanges that are kept: at one a second, the last minute.
  static let capacity = 64
  /// A crystal is within 100 ppm, two of them within 200; 500 leaves room for bad ones.
  static let largestDriftPPM: Double = 500

  private var exchanges: [SyncExchange] = []
  /// The line: the offset at `anchor` by our clock, and its slope.
  public private(set) var driftPPM: Double = 0
  private var anchor: Int64 = 0
  private var anchorOffset: Int64 = 0
  /// Half the room between the bounds: how far the offset may be from the truth.
  public private(set) var uncertainty: Int64 = Int64.max / 2

  public init() {}

  public var isSynchronised: Bool { !exchanges.isEmpty }
  public var exchangeCount: Int { exchanges.count }

  /// Whether the offset is known well enough to act by: to `tolerance` nanoseconds, since an
  /// exchange that was held up on its way may be wrong by all of that; or, where none is quick, by
  /// eight, which are the best there is.
  public func isKnown(to tolerance: Int64) -> Bool {
    isSynchronised && (uncertainty <= tolerance || exchangeCount >= 8)
  }

  /// The daemon's clock minus ours at an instant of ours.
  public func offset(at local: MonotonicTime) -> Int64 {
    anchorOffset + Int64((Double(local.nanoseconds - anchor) * driftPPM / 1e6).rounded())
  }

  /// When an instant of the daemon's clock comes by ours.
  public func local(ofRemote instant: Int64) -> MonotonicTime {
    // The offset changes by less than a thousandth of the distance: two steps are exact enough.
    var local = instant - anchorOffset
    for _ in 0..<2 { local = instant - offset(at: MonotonicTime(nanoseconds: local)) }
    return MonotonicTime(nanoseconds: local)
  }

  /// Takes one exchange; one that cannot be true (an answer before the question) is ignored.
  ///
  /// - Returns: whether it was taken.
  @discardableResult
  public mutating func take(_ exchange: SyncExchange) -> Bool {
    guard exchange.isPossible else { return false }
    exchanges.append(exchange)
    if exchanges.count > ClockOffsetEstimator.capacity { exchanges.removeFirst() }
    if !fit() {
      // The bounds contradict each other: a clock was set. Only what is new counts.
      exchanges = [exchange]
      _ = fit()
    }
    return true
  }

  /// - Returns: false where no line comes near all bounds.
  private mutating func fit() -> Bool {
    guard let newest = exchanges.last, let oldest = exchanges.first else { return false }
    anchor = newest.received
    let span = newest.received - oldest.received
    // A slope shows only over time: below ten seconds none is looked for.
    let limit = span < 10_000_000_000 ? 0 : ClockOffsetEstimator.largestDriftPPM
    let roomiest = roomiestSlope(within: limit)
    // Between quick exchanges the bounds touch; stamps are read a little late, and below ten
    // seconds the drift itself moves them.
    let slack = 200_000 + (limit == 0 ? Double(span) / 2_000 : 0)
    guard room(roomiest) >= -slack else { return false }
    // The middle of all slopes that fit has the least error at its worst.
    let slope = room(roomiest) > 0 ? middleOfFitting(around: roomiest, within: limit) : roomiest
    let (lower, upper) = bounds(slopePPM: slope)
    driftPPM = slope
    anchorOffset = Int64(((lower + upper) / 2).rounded()) + base
    uncertainty = Int64(abs(upper - lower) / 2)
    return true
  }

  /// The bounds' distance is a concave function of the slope, so thirds find its top.
  private func roomiestSlope(within limit: Double) -> Double {
    var low = -limit
    var high = limit
    for _ in 0..<48 where high > low {
      let first = low + (high - low) / 3
      let second = high - (high - low) / 3
      if room(first) < room(second) { low = first } else { high = second }
    }
    return (low + high) / 2
  }

  private func middleOfFitting(around top: Double, within limit: Double) -> Double {
    func edge(towards end: Double) -> Double {
      guard room(end) < 0 else { return end }
      var inside = top
      var outside = end
      for _ in 0..<32 {
        let middle = (inside + outside) / 2
        if room(middle) >= 0 { inside = middle } else { outside = middle }
      }
      return inside
    }
    return (edge(towards: -limit) + edge(towards: limit)) / 2
  }

  private func room(_ slopePPM: Double) -> Double {
    let (lower, upper) = bounds(slopePPM: slopePPM)
    return upper - lower
  }

  /// Offsets are taken from the first one's, so that a Double holds them to a part of a nanosecond.
  private var base: Int64 { exchanges.first?.offset ?? 0 }

  private func bounds(slopePPM: Double) -> (lower: Double, upper: Double) {
    let base = base
    let slope = slopePPM / 1e6
    var lower = -Double.infinity
    var upper = Double.infinity
    for exchange in exchanges {
      let above = Double(exchange.remoteReceived - exchange.sent - base)
      let below = Double(exchange.remoteSent - exchange.received - base)
      upper = min(upper, above + Double(anchor - exchange.sent) * slope)
      lower = max(lower, below + Double(anchor - exchange.received) * slope)
    }
    return (lower, upper)
  }
}
