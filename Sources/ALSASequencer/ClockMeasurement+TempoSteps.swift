internal import MusicalTime

/// Where a measured clock changed its tempo.
extension ClockMeasurement {
  /// A stretch of one tempo.
  public struct Stretch: Sendable {
    public var measurement: ClockMeasurement
    /// Seconds since the first pulse.
    public var start: Double
    public var end: Double
  }

  /// The stretches between changes of tempo; one where there is none. At most so many: a clock that
  /// glides changes all the time.
  public static let mostStretches = 20

  public func stretches() -> [Stretch] {
    guard let first = instants.first else { return [] }
    var bounds = [0]
    var line = LeaderLine()
    for (index, instant) in instants.enumerated() {
      guard case .changed = line.take(instant), index > bounds[bounds.count - 1] + 12,
        bounds.count < ClockMeasurement.mostStretches,
        let split = split(from: bounds[bounds.count - 1], before: index)
      else { continue }
      bounds.append(split)
    }
    bounds.append(instants.count)
    return zip(bounds, bounds.dropFirst()).map { from, to in
      var part = ClockMeasurement(nominalTempo: nominalTempo)
      for instant in instants[from..<to] { part.add(pulse: instant) }
      let begin = instants[from]
      let end = instants[min(to, instants.count - 1)]
      part.use(clicks: clicks.filter { $0 >= begin && (to == instants.count || $0 < end) })
      return Stretch(
        measurement: part, start: Double(begin.nanoseconds(since: first)) / 1e9,
        end: Double(end.nanoseconds(since: first)) / 1e9)
    }
  }

  /// The pulse at which another tempo begins, where one does: where a line before it and one after
  /// it fit best.
  private func split(from start: Int, before noticed: Int) -> Int? {
    var best: (pulse: Int, cost: Double, ratio: Double, doubt: Double)?
    for pulse in max(start + 6, noticed - 36)...max(start + 6, noticed - 1) {
      let left = instants[max(start, pulse - 36)...min(pulse, instants.count - 1)]
      let right = instants[min(pulse, instants.count - 1)..<min(pulse + 36, instants.count)]
      guard left.count >= 6, right.count >= 3 else { continue }
      let (one, other) = (Self.fit(left), Self.fit(right))
      let cost = one.squares + other.squares
      if best.map({ cost < $0.cost }) ?? true {
        best = (
          pulse, cost, abs(other.slope / one.slope - 1), (one.doubt + other.doubt) / one.slope
        )
      }
    }
    // A change that is less than its own doubt is none, and neither is one of a tenth per mille.
    guard let best, best.ratio > max(4 * best.doubt, 0.000_1) else { return nil }
    return best.pulse
  }

  private static func fit(
    _ instants: ArraySlice<MonotonicTime>
  ) -> (slope: Double, squares: Double, doubt: Double) {
    guard let first = instants.first else { return (1, 0, 0) }
    let x = instants.indices.map { Double($0 - instants.startIndex) }
    let y = instants.map { Double($0.nanoseconds(since: first)) }
    let line = line(x, y)
    let squares = zip(x, y).reduce(0) { sum, point in
      let off = point.1 - line.start - line.slope * point.0
      return sum + off * off
    }
    let count = Double(x.count)
    // The slope's standard deviation; a microsecond is what stamps waver by.
    let deviation = max((squares / max(count - 2, 1)).squareRoot(), 1_000)
    return (max(line.slope, 1), squares, deviation * (12 / (count * count * count)).squareRoot())
  }
}
