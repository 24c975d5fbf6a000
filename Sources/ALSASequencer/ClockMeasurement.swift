public import MusicalTime

/// How even a MIDI clock is: intervals, jitter, lost and doubled pulses, tempo and its error.
///
/// The jitter is the distance of each pulse from the straight line through all of them (least
/// squares), so that a tempo which is merely another than the nominal one is no jitter. A value;
/// the instants are arguments.
///
/// - Thread: any
public struct ClockMeasurement: Sendable {
  /// The instants of pulses, in order.
  public private(set) var instants: [MonotonicTime] = []
  /// When the click of a quarter sounded, for the offset against the audio; may be empty.
  public private(set) var clicks: [MonotonicTime] = []
  /// Quarter notes a minute that the tempo is compared with; nil compares with none.
  public let nominalTempo: Double?

  /// A day at 999 quarters a minute is 34 million pulses; a million are 5.8 hours at 120.
  public static let mostPulses = 1_000_000

  public init(nominalTempo: Double? = nil) { self.nominalTempo = nominalTempo }

  /// Takes in an F8; one over the limit is refused.
  @discardableResult
  public mutating func add(pulse time: MonotonicTime) -> Bool {
    guard instants.count < ClockMeasurement.mostPulses else { return false }
    instants.append(time)
    return true
  }

  public mutating func add(click time: MonotonicTime) {
    if clicks.count < ClockMeasurement.mostPulses { clicks.append(time) }
  }

  /// The clicks are these and no others: who plays them has told.
  public mutating func use(clicks: [MonotonicTime]) {
    self.clicks = Array(clicks.prefix(ClockMeasurement.mostPulses))
  }

  /// The figures so far; nil with fewer than three pulses.
  public func figures() -> ClockFigures? {
    guard instants.count >= 3 else { return nil }
    let intervals = zip(instants.dropFirst(), instants).map {
      Double($0.nanoseconds(since: $1))
    }
    let typical = ClockMeasurement.median(intervals)
    guard typical > 0 else { return nil }
    // A pulse's number counts what is missing before it; one much too soon is a double of the one
    // before it and has none.
    var numbers: [Double] = [0]
    var times: [Double] = [0]
    var lost = 0
    var doubled = 0
    var previous = instants[0]
    var number = 0
    for instant in instants.dropFirst() {
      let passed = Double(instant.nanoseconds(since: previous))
      if passed < typical * ClockMeasurement.doubledShare {
        doubled += 1
        continue
      }
      let steps = max((passed / typical).rounded(), 1)
      lost += Int(min(steps, 1e9)) - 1
      number += Int(min(steps, 1e9))
      numbers.append(Double(number))
      times.append(Double(instant.nanoseconds(since: instants[0])))
      previous = instant
    }
    guard numbers.count >= 2 else { return nil }
    let line = ClockMeasurement.line(numbers, times)
    let residuals = zip(numbers, times).map { $1 - (line.start + line.slope * $0) }
    let tempo = 60e9 / 24 / line.slope
    return ClockFigures(
      pulses: instants.count, lost: lost, doubled: doubled, tempo: tempo,
      tempoErrorPPM: nominalTempo.map { (tempo / $0 - 1) * 1e6 },
      intervals: Spread(intervals), jitter: Spread(residuals.map(abs)),
      residual: Spread(residuals), clickOffset: clickOffset)
  }

  /// A pulse closer to the one before it than this share of an interval is its double.
  static let doubledShare = 0.3

  private var clickOffset: Spread? {
    let offsets = clickOffsets.map { Double($0.nanoseconds) }
    return offsets.isEmpty ? nil : Spread(offsets)
  }

  /// Each click that sounded while pulses came, as the number of the pulse nearest to it and how
  /// much later than the click that came; in the order of the clicks.
  ///
  /// The pulses themselves are asked, not the line through them: so it holds across changes of
  /// tempo as well.
  public var clickOffsets: [(pulse: Int, nanoseconds: Int64)] {
    guard let first = instants.first, let last = instants.last, instants.count > 1 else {
      return []
    }
    // Half an interval before the first and after the last there is no pulse to ask.
    let half = instants[1].nanoseconds(since: first) / 2
    let halfAtEnd = last.nanoseconds(since: instants[instants.count - 2]) / 2
    return clicks.compactMap { click in
      guard click >= first.advanced(byNanoseconds: -half),
        click <= last.advanced(byNanoseconds: halfAtEnd)
      else { return nil }
      let next = firstPulse(notBefore: click)
      let after = next < instants.count ? instants[next].nanoseconds(since: click) : Int64.max
      let before = next > 0 ? click.nanoseconds(since: instants[next - 1]) : Int64.max
      return before < after ? (next - 1, -before) : (next, after)
    }
  }

  /// By halving.
  private func firstPulse(notBefore time: MonotonicTime) -> Int {
    var low = 0
    var high = instants.count
    while low < high {
      let middle = (low + high) / 2
      if instants[middle] < time { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Counts of intervals in bins of equal width, from the shortest to the longest interval.
  public func histogram(bins: Int) -> [(from: Double, count: Int)] {
    let intervals = zip(instants.dropFirst(), instants).map {
      Double($0.nanoseconds(since: $1))
    }
    guard bins > 0, let least = intervals.min(), let most = intervals.max() else { return [] }
    let width = max((most - least) / Double(bins), 1)
    var counts = [Int](repeating: 0, count: bins)
    for interval in intervals {
      counts[min(Int((interval - least) / width), bins - 1)] += 1
    }
    return counts.enumerated().map { (least + Double($0.offset) * width, $0.element) }
  }

  static func median(_ values: [Double]) -> Double { Spread(values).p50 }

  /// Least squares.
  static func line(_ x: [Double], _ y: [Double]) -> (start: Double, slope: Double) {
    let count = Double(x.count)
    let meanX = x.reduce(0, +) / count
    let meanY = y.reduce(0, +) / count
    var covariance = 0.0
    var variance = 0.0
    for (left, right) in zip(x, y) {
      covariance += (left - meanX) * (right - meanY)
      variance += (left - meanX) * (left - meanX)
    }
    let slope = variance > 0 ? covariance / variance : 0
    return (meanY - slope * meanX, slope)
  }
}

/// What a clock measured, in nanoseconds where no other unit is named.
public struct ClockFigures: Equatable, Sendable {
  public var pulses: Int
  public var lost: Int
  public var doubled: Int
  /// Quarter notes a minute.
  public var tempo: Double
  public var tempoErrorPPM: Double?
  public var intervals: Spread
  /// Sizes of the distances from the fitted line.
  public var jitter: Spread
  /// Those distances with their signs.
  public var residual: Spread
  /// The clock's lateness against the click.
  public var clickOffset: Spread?
}

/// A distribution by its order: the value that so many per cent do not exceed (nearest rank).
public struct Spread: Equatable, Sendable {
  public var least: Double
  public var permille1: Double
  public var p50: Double
  public var p99: Double
  public var permille999: Double
  public var most: Double

  /// All 0 where there is nothing.
  public init(_ values: [Double]) {
    let sorted = values.sorted()
    func rank(_ share: Double) -> Double {
      guard !sorted.isEmpty else { return 0 }
      let index = Int((share * Double(sorted.count)).rounded(.up)) - 1
      return sorted[min(max(index, 0), sorted.count - 1)]
    }
    least = rank(0)
    permille1 = rank(0.001)
    p50 = rank(0.5)
    p99 = rank(0.99)
    permille999 = rank(0.999)
    most = rank(1)
  }
}
