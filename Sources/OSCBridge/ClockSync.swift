/// One exchange of `/tactus/sync`, with the arithmetic of NTP (RFC 5905, section 8).
///
/// t1 and t4 are the companion's clock, t2 and t3 the daemon's.
///
/// - Unit: nanoseconds
/// - Thread: any
public struct ClockSample: Equatable, Sendable {
  public var t1: Int64
  public var t2: Int64
  public var t3: Int64
  public var t4: Int64

  public init(t1: Int64, t2: Int64, t3: Int64, t4: Int64) {
    self.t1 = t1
    self.t2 = t2
    self.t3 = t3
    self.t4 = t4
  }

  /// Daemon's clock minus companion's; wrong by half the delay at the most.
  public var offset: Int64 {
    let there = t2 &- t1
    let back = t3 &- t4
    return (there / 2) &+ (back / 2) &+ (there % 2 &+ back % 2) / 2
  }

  /// The way there and back without the time spent at the daemon.
  public var delay: Int64 { (t4 &- t1) &- (t3 &- t2) }
}

/// The daemon's clock as a companion knows it: the best of the newest samples, and the drift
/// between the good ones.
///
/// - Thread: any
public struct ClockSync: Sendable {
  private var samples: [ClockSample] = []
  /// At one exchange a second the newest half minute.
  public static let memory = 32

  public init() {}

  public mutating func add(_ sample: ClockSample) {
    guard sample.delay >= 0 else { return }
    samples.append(sample)
    if samples.count > ClockSync.memory { samples.removeFirst() }
  }

  public var count: Int { samples.count }

  /// The sample that waited least on its way.
  public var best: ClockSample? { samples.min { $0.delay < $1.delay } }

  /// Nanoseconds a second by which the daemon's clock gains on the companion's, from a line
  /// through the samples of little delay; 0 until they span five seconds.
  public var driftPerSecond: Double {
    guard let best else { return 0 }
    // Within half a millisecond of the best: what queues add is mostly more.
    let good = samples.filter { $0.delay <= best.delay &+ 500_000 }
    guard let first = good.first, let last = good.last, last.t1 &- first.t1 >= 5_000_000_000
    else { return 0 }
    let points = good.map {
      (Double($0.t1 &- first.t1) / 1e9, Double($0.offset &- first.offset))
    }
    let count = Double(points.count)
    let meanX = points.reduce(0) { $0 + $1.0 } / count
    let meanY = points.reduce(0) { $0 + $1.1 } / count
    let spread = points.reduce(0) { $0 + ($1.0 - meanX) * ($1.0 - meanX) }
    guard spread > 0 else { return 0 }
    return points.reduce(0) { $0 + ($1.0 - meanX) * ($1.1 - meanY) } / spread
  }

  /// The companion's clock when the daemon's reads so; nil before the first sample.
  public func local(_ daemon: Int64) -> Int64? {
    guard let best else { return nil }
    // The best sample's offset held at its own time; the drift carries it on.
    let local = daemon &- best.offset
    let elapsed = Double(local &- best.t1) / 1e9
    let gained = elapsed * driftPerSecond
    return gained.magnitude < 1e12 ? local &- Int64(gained) : local
  }
}
