/// A click as the microphone hears it.
struct ClickTemplate {
  var samples: [Float]
  /// Frames before the click's own.
  var lead: Int
  /// How well it explains clicks that did not teach it, 0 to 1.
  var correlation = 0.0
  /// The way from the speaker to the microphone; empty where the sound was learnt.
  var filter: [Double] = []
  /// Which of the sounds that the click may have.
  var candidate = 0

  init(samples: [Float], lead: Int, filter: [Double] = []) {
    self.samples = samples
    self.lead = lead
    self.filter = filter
  }

  /// How loud it is in a stretch, 1 being as it is.
  func gain(in stretch: [Double], length: Int) -> Double {
    var own = 0.0
    var cross = 0.0
    for index in 0..<min(length, stretch.count, samples.count) {
      own += Double(samples[index]) * Double(samples[index])
      cross += Double(samples[index]) * stretch[index]
    }
    return own > 0 ? cross / own : 0
  }

  /// Normalised correlation with a stretch.
  func correlation(with stretch: [Double], length: Int) -> Double {
    var own = 0.0
    var other = 0.0
    var cross = 0.0
    for index in 0..<min(length, stretch.count) {
      let value = index < samples.count ? Double(samples[index]) : 0
      own += value * value
      other += stretch[index] * stretch[index]
      cross += value * stretch[index]
    }
    return own > 0 && other > 0 ? cross / (own * other).squareRoot() : 0
  }

  static func mean(_ starts: [Int], length: Int, in samples: [Float]) -> [Double] {
    var mean = [Double](repeating: 0, count: length)
    for start in starts {
      for index in 0..<length { mean[index] += Double(samples[start + index]) }
    }
    return mean.map { $0 / Double(max(1, starts.count)) }
  }

  /// A single loud note does not move it.
  static func median(_ starts: [Int], length: Int, in samples: [Float]) -> [Float] {
    (0..<length).map { index in
      let values = starts.map { samples[$0 + index] }.sorted()
      return values.isEmpty ? 0 : values[values.count / 2]
    }
  }
}

/// The way from a speaker to a microphone as a short filter, estimated by least squares.
struct SoundPath {
  private let sound: [Float]
  private let taps: Int
  /// The sound's autocorrelation, which is the first row of the normal equations.
  private let row: [Double]

  init(_ sound: [Float], taps: Int) {
    self.sound = sound
    self.taps = taps
    var row = (0..<taps).map { lag -> Double in
      var sum = 0.0
      for index in lag..<max(lag, sound.count) {
        sum += Double(sound[index]) * Double(sound[index - lag])
      }
      return sum
    }
    // A tenth of the energy keeps what the sound does not contain out of the filter.
    row[0] *= 1.1
    self.row = row
  }

  /// The filter that makes the sound most like a stretch.
  func filter(_ stretch: [Double]) -> [Double] {
    let cross = (0..<taps).map { lag -> Double in
      var sum = 0.0
      for index in 0..<min(sound.count, stretch.count - lag) {
        sum += Double(sound[index]) * stretch[index + lag]
      }
      return sum
    }
    return ToeplitzSystem.solve(row, cross)
  }

  func apply(_ filter: [Double], to whole: [Float]) -> [Float] {
    var result = [Float](repeating: 0, count: whole.count + taps)
    for (tap, gain) in filter.enumerated() {
      for (index, value) in whole.enumerated() { result[index + tap] += Float(gain) * value }
    }
    return result
  }
}

/// Equations whose matrix depends on the distance from the diagonal only (Levinson).
enum ToeplitzSystem {
  /// - Parameter row: the first row of the matrix, symmetric and positive.
  static func solve(_ row: [Double], _ right: [Double]) -> [Double] {
    let count = right.count
    guard count > 0, row.count == count, row[0] > 0 else { return [] }
    var forward = [1 / row[0]]
    var solution = [right[0] / row[0]]
    for size in 1..<max(1, count) {
      var error = 0.0
      for index in 0..<size { error += row[size - index] * forward[index] }
      let scale = 1 / (1 - error * error)
      var next = [Double](repeating: 0, count: size + 1)
      for index in 0...size {
        let ahead = index < size ? forward[index] : 0
        let behind = index > 0 ? forward[size - index] : 0
        next[index] = scale * (ahead - error * behind)
      }
      forward = next
      var residual = right[size]
      for index in 0..<size { residual -= row[size - index] * solution[index] }
      solution.append(0)
      for index in 0...size { solution[index] += residual * forward[size - index] }
    }
    return solution
  }
}
