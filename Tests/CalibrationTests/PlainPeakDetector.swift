import Glibc

/// What a recorder without a matched filter does: the loudest 20 ms near each sweep, in steps of
/// 1 ms from 150 ms before to 350 ms after it, where they pass 0.12 of full scale.
enum PlainPeakDetector {
  /// Frames; nil where nothing passed.
  static func latency(_ recording: [Float], rate: Double, count: Int = 16) -> Double? {
    var squares = [0.0]
    squares.reserveCapacity(recording.count + 1)
    for sample in recording { squares.append((squares.last ?? 0) + Double(sample * sample)) }
    let window = Int(0.02 * rate)
    var found: [Double] = []
    for sweep in 0..<count {
      let instant = (1.5 + Double(sweep)) * rate
      var best = (level: 0.0, lag: 0.0)
      for step in -150...350 {
        let lag = Double(step) / 1_000 * rate
        let from = Int(instant + lag)
        guard from >= 0, from + window <= recording.count else { continue }
        let level = ((squares[from + window] - squares[from]) / Double(window)).squareRoot()
        if level > best.level { best = (level, lag) }
      }
      if best.level > 0.12 { found.append(best.lag) }
    }
    guard !found.isEmpty else { return nil }
    return found.sorted()[found.count / 2]
  }
}
