/// What of a sound its own past does not foretell.
///
/// A note that rings on is foretold nearly wholly, a new one is not: its beginning stands out of
/// the remainder even where it is softer than what still rings.
struct LinearPrediction {
  /// Coefficients of the last samples, the nearest first.
  private let weights: [Double]

  /// Foretells nothing: the remainder is the sound.
  static let none = LinearPrediction(weights: [])

  private init(weights: [Double]) { self.weights = weights }

  /// Learns from a stretch (autocorrelation, Levinson and Durbin).
  ///
  /// - Parameter order: samples of the past that are used.
  init(learningFrom samples: ArraySlice<Float>, order: Int) {
    var correlation = [Double](repeating: 0, count: order + 1)
    for lag in 0...order where lag < samples.count {
      var sum = 0.0
      for index in (samples.startIndex + lag)..<samples.endIndex {
        sum += Double(samples[index]) * Double(samples[index - lag])
      }
      correlation[lag] = sum
    }
    // A trace of white noise keeps the recursion stable; 90 dB below the sound it costs nothing.
    correlation[0] = correlation[0] * (1 + 1e-9) + 1e-12
    var weights = [Double](repeating: 0, count: order)
    var error = correlation[0]
    for step in 0..<order {
      var sum = correlation[step + 1]
      for index in 0..<step { sum -= weights[index] * correlation[step - index] }
      guard error > 0 else { break }
      let reflection = sum / error
      var next = weights
      next[step] = reflection
      for index in 0..<step {
        next[index] = weights[index] - reflection * weights[step - 1 - index]
      }
      weights = next
      error *= 1 - reflection * reflection
    }
    self.weights = weights
  }

  /// The remainder of a whole sound, silence being before it.
  func remainder(of samples: [Float]) -> [Float] {
    remainder(of: samples, in: samples.indices).map { Float($0) }
  }

  /// The remainder of a range of samples.
  func remainder(of samples: [Float], in range: Range<Int>) -> [Double] {
    range.map { frame in
      var value = Double(samples[frame])
      for (index, weight) in weights.enumerated() where frame - 1 - index >= 0 {
        value -= weight * Double(samples[frame - 1 - index])
      }
      return value
    }
  }
}
