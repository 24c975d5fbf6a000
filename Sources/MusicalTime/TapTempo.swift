/// The tempo of one series of taps by one person.
///
/// From the third tap on each tap gives the mean of the last five intervals; an interval outside
/// 0.6 to 1.6 times their median is dropped, unless there are fewer than three. A gap over the
/// limit begins a new series with that tap.
///
/// - Unit: nanoseconds of CLOCK_MONOTONIC
/// - Thread: any; a value without a clock of its own.
public struct TapTempo: Equatable, Sendable {
  /// Intervals that count.
  static let intervalsKept = 5

  /// The longest gap inside a series.
  public var limitNanoseconds: Int64
  /// Taps of the series so far.
  public private(set) var tapCount = 0
  /// The latest tap; nil before the first.
  public private(set) var lastTap: MonotonicTime?
  /// The latest intervals, oldest first.
  private var intervals: [Int64] = []

  public init(limitNanoseconds: Int64 = 2_000_000_000) {
    self.limitNanoseconds = limitNanoseconds
  }

  /// Takes one tap; `true` where it began a new series.
  ///
  /// A tap that is not later than the one before it is the same hit heard twice: it changes nothing.
  @discardableResult
  public mutating func tap(at time: MonotonicTime) -> Bool {
    guard let last = lastTap else {
      begin(at: time)
      return true
    }
    let interval = time.nanoseconds(since: last)
    guard interval > 0 else { return false }
    guard interval <= limitNanoseconds else {
      begin(at: time)
      return true
    }
    lastTap = time
    // The count only has to tell the first taps apart.
    tapCount = min(tapCount + 1, Int(Int32.max))
    intervals.append(interval)
    if intervals.count > TapTempo.intervalsKept { intervals.removeFirst() }
    return false
  }

  /// Taps a minute in thousandths, rounded half up; nil before the third tap.
  public var thousandths: Int64? {
    guard tapCount >= 3 else { return nil }
    let kept = intervalsThatCount
    let sum = kept.reduce(0, +)
    guard sum > 0 else { return nil }
    // 60 s in nanoseconds, times 1000 for thousandths.
    let numerator: Int64 = 60_000_000_000_000 * Int64(kept.count)
    return (2 * numerator + sum) / (2 * sum)
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

  private mutating func begin(at time: MonotonicTime) {
    lastTap = time
    tapCount = 1
    intervals.removeAll(keepingCapacity: true)
  }
}
