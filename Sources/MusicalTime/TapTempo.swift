/// The tempo of one series of taps by one person.
///
/// From the third tap on each tap gives the mean of the last five intervals; an interval outside
/// 0.6 to 1.6 times their median is dropped, unless there are fewer than three. A gap over the
/// limit begins a new series with that tap, a tap nearer than the shortest interval is the bounce
/// of the one before it and does not exist.
///
/// - Unit: nanoseconds of CLOCK_MONOTONIC
/// - Thread: any; a value without a clock of its own.
public struct TapTempo: Equatable, Sendable {
  /// Intervals that count.
  static let intervalsKept = 5

  /// What a tap is to its series.
  public enum Hit: Equatable, Sendable {
    /// It began a new series.
    case first
    case counted
    /// The same hit heard twice: nothing has changed.
    case bounce
  }

  /// 999 taps a minute, the fastest quarter tempo: 60 s / 999.0005, since 999.0004 still rounds to
  /// 999.
  public static let shortestInterval: Int64 = 60_060_030

  /// The longest gap inside a series. Set to less than a gap of the series so far, the series
  /// begins after that gap.
  public var limitNanoseconds: Int64 {
    didSet { forgetGapsOverLimit() }
  }
  /// Taps nearer than this are one.
  public var shortestNanoseconds: Int64 = TapTempo.shortestInterval
  /// Taps of the series so far.
  public private(set) var tapCount = 0
  /// The latest tap; nil before the first.
  public private(set) var lastTap: MonotonicTime?
  /// The latest intervals, oldest first.
  private var intervals: [Int64] = []

  public init(limitNanoseconds: Int64 = 2_000_000_000) {
    self.limitNanoseconds = limitNanoseconds
  }

  /// Takes one tap.
  @discardableResult
  public mutating func tap(at time: MonotonicTime) -> Hit {
    guard let last = lastTap else {
      begin(at: time)
      return .first
    }
    let interval = time.nanoseconds(since: last)
    guard interval >= shortestNanoseconds else { return .bounce }
    guard interval <= limitNanoseconds else {
      begin(at: time)
      return .first
    }
    lastTap = time
    // The count only has to tell the first taps apart.
    tapCount = min(tapCount + 1, Int(Int32.max))
    intervals.append(interval)
    if intervals.count > TapTempo.intervalsKept { intervals.removeFirst() }
    return .counted
  }

  /// Taps a minute in thousandths, rounded half up; nil before the third tap.
  public var thousandths: Int64? { thousandths(of: .quarter, tapping: .quarter) }

  /// The tempo in thousandths of a unit a minute, rounded half up, where each tap is one beat of
  /// that length; nil before the third tap.
  public func thousandths(of unit: NoteValue, tapping beat: TapLength) -> Int64? {
    guard tapCount >= 3 else { return nil }
    let kept = intervalsThatCount
    let sum = kept.reduce(0, +)
    guard sum > 0 else { return nil }
    // Both are fractions of a quarter with parts of at most 64: 60 s in nanoseconds, times 1000
    // for thousandths, times five intervals, times 2 x 768, is below 2^63.
    let numerator = beat.numerator * unit.quartersDenominator
    let denominator = beat.denominator * unit.quartersNumerator
    let scaled = 60_000_000_000_000 * Int64(kept.count) * numerator
    let divisor = sum.multipliedReportingOverflow(by: denominator)
    guard !divisor.overflow, divisor.partialValue < Int64.max / 4 else { return nil }
    return (2 * scaled + divisor.partialValue) / (2 * divisor.partialValue)
  }

  private var intervalsThatCount: [Int64] {
    guard intervals.count >= 3 else { return intervals }
    let sorted = intervals.sorted()
    let middle = sorted.count / 2
    // Twice the median, which is whole also where it lies between two intervals.
    let median2 =
      sorted.count % 2 == 1 ? 2 * sorted[middle] : sorted[middle - 1] + sorted[middle]
    // 0.6 and 1.6 times the median are 6 and 16 tenths of it.
    return intervals.filter { 20 * $0 >= 6 * median2 && 20 * $0 <= 16 * median2 }
  }

  private mutating func forgetGapsOverLimit() {
    guard let gap = intervals.lastIndex(where: { $0 > limitNanoseconds }) else { return }
    intervals.removeSubrange(...gap)
    tapCount = intervals.count + 1
  }

  private mutating func begin(at time: MonotonicTime) {
    lastTap = time
    tapCount = 1
    intervals.removeAll(keepingCapacity: true)
  }
}

/// What one tap is worth, as a fraction of a quarter note.
///
/// - Unit: quarter notes
/// - Thread: any
public struct TapLength: Equatable, Sendable {
  /// 4 or 12.
  public let numerator: Int64
  /// 1 to 64.
  public let denominator: Int64

  public static let quarter = TapLength(.quarter)

  public init(_ note: NoteValue) {
    numerator = note.quartersNumerator
    denominator = note.quartersDenominator
  }

  /// A beat of the meter.
  public init(beatOf meter: Meter) {
    numerator = meter.compound ? 12 : 4
    denominator = Int64(meter.denominator)
  }
}
