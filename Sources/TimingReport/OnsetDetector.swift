import Glibc

/// The beginning of a note.
public struct Onset: Equatable, Sendable {
  public enum Attack: String, Sendable {
    /// Struck or plucked: the frame is that of its first sound.
    case sharp
    /// Bowed or blown: the frame is the middle of its swell, where the ear puts it, and so about half
    /// the swell's length after its first sound.
    case swelling
  }

  /// Frames of the take, with a fraction.
  public var frame: Double
  /// Growth of the mean band, in decades of amplitude.
  public var strength: Double
  public var attack: Attack
}

/// Finds where notes begin: first by the growth of the spectrum, then to the sample by the point at
/// which what the past does not foretell changes its size; for swelling notes by the middle of the
/// growth.
///
/// - Thread: any one at a time; allocates.
public struct OnsetDetector {
  /// Notes nearer than this are one.
  static let nearestSeconds = 0.035
  /// Least growth within 10 ms of what is struck or plucked.
  static let leastSharp = 0.14
  /// Least growth within 50 ms and within 10 ms of what is bowed or blown: a pad that swells in
  /// 0.4 s stays below the second.
  static let leastSwelling = (slow: 0.13, fast: 0.046)

  public init() {}

  /// - Parameters:
  ///   - samples: mono.
  ///   - rate: frames a second.
  ///   - loudness: amplitude of the take's loud notes, full scale 1.0.
  public func onsets(_ samples: [Float], rate: Double, loudness: Float) -> [Onset] {
    guard loudness > 1e-5 else { return [] }
    let scaled = samples.map { $0 / loudness }
    guard let flux = SpectralFlux(scaled, rate: rate), flux.values.count > 8 else { return [] }
    let hops = { (seconds: Double) in Int((seconds * rate / Double(flux.hopFrames)).rounded()) }
    func frame(_ hop: Double) -> Double { Double(flux.firstFrame) + hop * Double(flux.hopFrames) }

    var found: [Onset] = []
    for index in peaks(flux.values, least: OnsetDetector.leastSharp, reach: hops(0.025), hops) {
      let rough = frame(Double(index))
      let earliest = found.last.map { $0.frame + 0.015 * rate } ?? 0
      guard let begin = begin(near: rough, notBefore: earliest, in: scaled, rate: rate) else {
        continue
      }
      if let last = found.last, begin - last.frame < OnsetDetector.nearestSeconds * rate {
        continue
      }
      found.append(Onset(frame: begin, strength: flux.values[index], attack: .sharp))
    }
    let sharp = found
    for index in peaks(
      flux.slowValues, least: OnsetDetector.leastSwelling.slow, reach: hops(0.05), hops)
    {
      let growth = max(0, index - hops(0.075))...min(flux.values.count - 1, index + hops(0.025))
      let steepest = growth.map { flux.values[$0] }.max() ?? 0
      guard steepest >= OnsetDetector.leastSwelling.fast else { continue }
      // What is left of the growth without the trickle between notes.
      let weights = growth.map { max(0, flux.values[$0] - 0.01) }
      let sum = weights.reduce(0, +)
      guard sum > 0 else { continue }
      let middle = zip(growth, weights).reduce(0) { $0 + Double($1.0) * $1.1 } / sum
      let at = frame(middle)
      // The growth of a sharp one is seen by both.
      guard !sharp.contains(where: { abs($0.frame - at) < 0.08 * rate }) else { continue }
      found.append(Onset(frame: at, strength: flux.slowValues[index], attack: .swelling))
    }
    return found.sorted { $0.frame < $1.frame }
  }

  /// Local maxima that stand out of what is around them.
  private func peaks(
    _ values: [Double], least: Double, reach: Int, _ hops: (Double) -> Int
  ) -> [Int] {
    let (before, after) = (hops(0.12), hops(0.08))
    var peaks: [Int] = []
    for index in values.indices where values[index] >= least {
      let around = max(0, index - reach)...min(values.count - 1, index + reach)
      guard !around.contains(where: { values[$0] > values[index] }) else { continue }
      // Of a flat top the first.
      if let last = peaks.last, index - last <= reach, values[last] == values[index] { continue }
      let wide = max(0, index - before)...min(values.count - 1, index + after)
      guard values[index] > 2 * OnsetDetector.median(wide.map { values[$0] }) + least / 2 else {
        continue
      }
      peaks.append(index)
    }
    return peaks
  }

  static func median(_ values: [Double]) -> Double {
    guard !values.isEmpty else { return 0 }
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }

  /// The change point of the remainder about a rough instant (Akaike's criterion, after Maeda 1985:
  /// the split at which two stretches of steady noise of different size describe it best).
  ///
  /// - Returns: nil where nothing grows.
  private func begin(
    near rough: Double, notBefore earliest: Double, in samples: [Float], rate: Double
  ) -> Double? {
    let from = max(Int(rough - 0.06 * rate), Int(earliest), 0)
    let to = min(Int(rough + 0.02 * rate), samples.count)
    guard to - from > Int(0.01 * rate) else { return nil }
    let learnt = max(0, from - Int(0.02 * rate))..<max(from + 1, Int(rough - 0.02 * rate))
    let prediction = LinearPrediction(learningFrom: samples[learnt], order: 24)
    let remainder = prediction.remainder(of: samples, in: from..<to)
    let squares = remainder.map { $0 * $0 }
    let total = squares.reduce(0, +)
    guard total > 0 else { return nil }
    // Silence before a note has no logarithm.
    let floor = total / Double(squares.count) * 1e-7
    let margin = Int(0.002 * rate)
    var before = squares[..<margin].reduce(0, +)
    var best = (value: Double.infinity, index: -1)
    for index in margin..<(squares.count - margin) {
      let after = total - before
      let first = before / Double(index) + floor
      let second = after / Double(squares.count - index) + floor
      if second > first {
        let value =
          Double(index) * log(first) + Double(squares.count - index - 1) * log(second)
        if value < best.value { best = (value, index) }
      }
      before += squares[index]
    }
    guard best.index >= 0 else { return nil }
    return Double(from + best.index)
  }
}
