/// A latency that many sweeps agree on, which may grow evenly where two clocks drift apart.
struct LagLine {
  /// Frames, at slot 0.
  var lag: Double
  /// Frames a slot.
  var slope: Double

  func lag(at slot: Int) -> Double { lag + slope * Double(slot) }

  struct Member {
    var slot: Int
    var sighting: SweepSighting
  }

  /// Of each slot, the sighting nearest to the line, where one is within a tolerance.
  func members(_ slots: [Int: [SweepSighting]], tolerance: Double) -> [Member] {
    slots.keys.sorted().compactMap { slot in
      let expected = lag(at: slot)
      let nearest = slots[slot]?.min {
        abs($0.lagFrames - expected) < abs($1.lagFrames - expected)
      }
      guard let nearest, abs(nearest.lagFrames - expected) <= tolerance else { return nil }
      return Member(slot: slot, sighting: nearest)
    }
  }

  /// The line that most slots have a sighting on; of two such, the one with the stronger sightings,
  /// unless a somewhat earlier one is nearly as strong: what arrives first came the straight way.
  ///
  /// - Parameters:
  ///   - tolerance: frames.
  ///   - earlier: frames by which it may come first; what is earlier still is an echo of the sweep
  ///     before.
  ///   - steepest: frames a slot.
  static func agreed(
    _ slots: [Int: [SweepSighting]], tolerance: Double, earlier: Double, steepest: Double
  ) -> LagLine? {
    var best: Candidate?
    var candidates: [Candidate] = []
    let order = slots.keys.sorted()
    for (index, first) in order.enumerated() {
      for sighting in slots[first] ?? [] {
        // Alone: a line without drift, so that a single heard sweep is a line too.
        var lines = [LagLine(lag: sighting.lagFrames, slope: 0)]
        for second in order[(index + 1)...] {
          for other in slots[second] ?? [] {
            let slope = (other.lagFrames - sighting.lagFrames) / Double(second - first)
            guard abs(slope) <= steepest else { continue }
            lines.append(
              LagLine(lag: sighting.lagFrames - slope * Double(first), slope: slope))
          }
        }
        for line in lines {
          let candidate = Candidate(line, line.members(slots, tolerance: tolerance))
          candidates.append(candidate)
          if best.map({ candidate.beats($0) }) ?? true { best = candidate }
        }
      }
    }
    guard let best else { return nil }
    // Lines with nearly as many sweeps contend: the strongest of them, or one that comes before it
    // and is half as strong at least. An echo that lost fewer of its sweeps is neither.
    let middle = order[order.count / 2]
    let contenders = candidates.filter { $0.count * 10 >= best.count * 9 }
    let strongest = contenders.max { $0.amplitude < $1.amplitude } ?? best
    let place = strongest.line.lag(at: middle)
    let earliest =
      contenders.filter {
        $0.amplitude * 2 >= strongest.amplitude
          && (-tolerance...earlier).contains(place - $0.line.lag(at: middle))
      }.map { $0.line.lag(at: middle) }.min() ?? place
    return contenders.filter { abs($0.line.lag(at: middle) - earliest) <= tolerance }
      .max { $1.beats($0) }?.line ?? best.line
  }

  private struct Candidate {
    var line: LagLine
    var count: Int
    var amplitude: Double
    /// Sum of the correlations, and of how far they are off.
    var correlation: Double
    var residual: Double

    init(_ line: LagLine, _ members: [Member]) {
      self.line = line
      count = members.count
      amplitude = OrderStatistics.median(members.map(\.sighting.amplitude))
      correlation = members.reduce(0) { $0 + $1.sighting.correlation }
      residual = members.reduce(0) { $0 + abs($1.sighting.lagFrames - line.lag(at: $1.slot)) }
    }

    func beats(_ other: Candidate) -> Bool {
      if count != other.count { return count > other.count }
      if abs(amplitude - other.amplitude) > 0.05 * other.amplitude {
        return amplitude > other.amplitude
      }
      return residual < other.residual
    }
  }
}
