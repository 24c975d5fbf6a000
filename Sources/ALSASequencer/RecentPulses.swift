internal import MusicalTime

/// A leader's newest pulses as they came: two quarters of intervals.
///
/// - Thread: control
struct RecentPulses: Sendable {
  static let capacity = 49

  /// When it came, in nanoseconds, and how many pulses after the one before it; 0 for a double.
  private var pulses: [(at: Double, steps: Int64)] = []

  init() { pulses.reserveCapacity(RecentPulses.capacity + 1) }

  var newest: Double? { pulses.last?.at }

  /// The mean interval.
  var mean: Double {
    guard let first = pulses.first, let last = pulses.last, pulses.count > 1 else { return 0 }
    return (last.at - first.at) / Double(pulses.count - 1)
  }

  mutating func add(_ time: MonotonicTime, steps: Int64) {
    if pulses.count == RecentPulses.capacity { pulses.removeFirst() }
    pulses.append((Double(time.nanoseconds), steps))
  }

  mutating func removeAll() { pulses.removeAll(keepingCapacity: true) }

  /// Least squares through the newest `count` pulses, doubles left out.
  func line(through count: Int) -> FittedLine? {
    guard count <= pulses.count, let last = pulses.last else { return nil }
    var points: [(x: Double, y: Double)] = []
    var place = 0.0
    for pulse in pulses.suffix(count) {
      if points.isEmpty {
        points.append((0, pulse.at - last.at))
      } else if pulse.steps > 0 {
        place += Double(pulse.steps)
        points.append((place, pulse.at - last.at))
      }
    }
    let number = Double(points.count)
    guard number >= 3 else { return nil }
    let meanX = points.reduce(0) { $0 + $1.x } / number
    let meanY = points.reduce(0) { $0 + $1.y } / number
    var covariance = 0.0
    var variance = 0.0
    for point in points {
      covariance += (point.x - meanX) * (point.y - meanY)
      variance += (point.x - meanX) * (point.x - meanX)
    }
    let slope = covariance / variance
    let squares = points.reduce(0) { sum, point in
      let off = point.y - meanY - slope * (point.x - meanX)
      return sum + off * off
    }
    return FittedLine(
      end: last.at + meanY + slope * (place - meanX), slope: slope,
      deviation: (squares / (number - 2)).squareRoot())
  }

  /// Where the newest `count` pulses put the newest one, their interval being known.
  func end(through count: Int, slope: Double) -> Double? {
    guard count <= pulses.count, let last = pulses.last else { return nil }
    var place = 0.0
    var sum = 0.0
    var number = 0.0
    for pulse in pulses.suffix(count).reversed() where pulse.steps > 0 {
      sum += pulse.at - last.at + place * slope
      number += 1
      place += Double(pulse.steps)
    }
    return number > 0 ? last.at + sum / number : nil
  }

  /// How many of the newest intervals are alike and unlike the leader's so far; nil where they are
  /// not. Three are enough: no loss and no doubling is so even.
  func evenRun(unlike interval: Double, deviation: Double) -> Int? {
    let count = 3
    guard pulses.count > count else { return nil }
    var least = Double.infinity
    var most = 0.0
    for index in (pulses.count - count)..<pulses.count {
      let passed = pulses[index].at - pulses[index - 1].at
      least = min(least, passed)
      most = max(most, passed)
    }
    let mean = (pulses[pulses.count - 1].at - pulses[pulses.count - 1 - count].at) / Double(count)
    guard LeaderLine.intervals.contains(mean), most - least <= max(6 * deviation, mean / 50),
      abs(mean - interval) > max(4 * deviation, interval * 0.12)
    else { return nil }
    return count
  }

  /// The newest intervals are one pulse each.
  ///
  /// - Returns: what they were taken for.
  mutating func makeEven(_ count: Int) -> (missed: Int64, doubled: Int64) {
    var taken: (missed: Int64, doubled: Int64) = (0, 0)
    for index in max(pulses.count - count, 0)..<pulses.count {
      taken.missed += max(pulses[index].steps - 1, 0)
      taken.doubled += pulses[index].steps == 0 ? 1 : 0
      pulses[index].steps = 1
    }
    return taken
  }

  /// The interval that two quarters of pulses have, where they lie better on a line without the
  /// slips that were seen among them: those hid that the interval is wrong.
  func falseLock(of interval: Double) -> Double? {
    guard pulses.count == RecentPulses.capacity, pulses.contains(where: { $0.steps != 1 }) else {
      return nil
    }
    var even = self
    _ = even.makeEven(RecentPulses.capacity)
    guard let seen = line(through: RecentPulses.capacity),
      let line = even.line(through: RecentPulses.capacity),
      line.deviation < seen.deviation * 0.8, abs(line.slope - interval) > interval * 0.005
    else { return nil }
    return line.slope
  }
}

/// A line by least squares.
struct FittedLine: Sendable {
  /// Where it has the newest pulse, in nanoseconds.
  var end: Double
  /// Nanoseconds a pulse.
  var slope: Double
  /// The standard deviation of the pulses from it, in nanoseconds.
  var deviation: Double
}
