/// Which of the sweeps at about one latency truly agree, and on what.
struct SweepAgreement {
  private(set) var accepted: [LagLine.Member] = []
  /// Frames a slot; 0 where no drift shows.
  private(set) var slope = 0.0
  /// Median absolute deviation in frames, drift removed.
  private(set) var deviation = 0.0
  /// A slot from which on the latency was another, and by how many frames.
  private(set) var step: (slot: Int, frames: Double)?
  private var lagAtZero = 0.0
  private let spacingFrames: Double

  init(_ members: [LagLine.Member], rate: Double, spacingFrames: Double) {
    self.spacingFrames = spacingFrames
    // A sweep four times as loud as most is a slammed door that happened to look like one; a much
    // softer one is an echo of one that was lost.
    let level = OrderStatistics.median(members.map(\.sighting.amplitude))
    accepted = members.filter {
      $0.sighting.amplitude < 4 * level && $0.sighting.amplitude > level / 4
    }
    fit()
    // A tenth of a millisecond at the least, and what the noise of this very run explains.
    let tolerance = min(max(rate / 10_000, 8 * 1.4826 * deviation), rate / 1_000)
    accepted = accepted.filter { abs($0.sighting.lagFrames - lag(at: $0.slot)) <= tolerance }
    fit()
    findStep(rate: rate)
  }

  func lag(at slot: Int) -> Double { lagAtZero + slope * Double(slot) }

  /// Frames, the start of the sweep at that place of the run; nil where nothing was accepted.
  ///
  /// - Parameter stretchLag: frames by which a sweep stretched by 1 correlates best late.
  func latency(at slot: Double, stretchLag: Double) -> Double? {
    guard !accepted.isEmpty else { return nil }
    return lagAtZero + slope * slot - slope / spacingFrames * stretchLag
  }

  private mutating func fit() {
    let points = accepted.map { (x: Double($0.slot), y: $0.sighting.lagFrames) }
    slope = points.count >= 6 ? OrderStatistics.slope(points) : 0
    remainder(points)
    // 1.4826 MAD estimates the standard deviation; a slope within 4 of its standard errors is noise.
    let mean = points.reduce(0) { $0 + $1.x } / Double(max(1, points.count))
    let extent = points.reduce(0) { $0 + ($1.x - mean) * ($1.x - mean) }
    if extent == 0 || abs(slope) < 4 * 1.4826 * deviation / extent.squareRoot() {
      slope = 0
      remainder(points)
    }
  }

  private mutating func remainder(_ points: [(x: Double, y: Double)]) {
    let flat = points.map { $0.y - slope * $0.x }
    lagAtZero = OrderStatistics.median(flat)
    deviation = OrderStatistics.deviation(flat)
  }

  /// A drift rises evenly; a step leaves two flat halves.
  private mutating func findStep(rate: Double) {
    guard accepted.count >= 6 else { return }
    let lags = accepted.map(\.sighting.lagFrames)
    let alongLine = accepted.reduce(0) { $0 + abs($1.sighting.lagFrames - lag(at: $1.slot)) }
    for split in 2...(lags.count - 2) {
      let before = OrderStatistics.median(Array(lags[..<split]))
      let after = OrderStatistics.median(Array(lags[split...]))
      var alongStep = 0.0
      for (index, lag) in lags.enumerated() {
        alongStep += abs(lag - (index < split ? before : after))
      }
      // Smaller steps than 0.05 ms change nothing that anybody hears.
      if abs(after - before) > rate / 20_000, alongStep < 0.35 * alongLine,
        abs(after - before) > 6 * alongStep / Double(lags.count)
      {
        step = (accepted[split].slot, after - before)
        return
      }
    }
  }
}
