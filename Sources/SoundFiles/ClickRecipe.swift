/// A click as a function of time: decaying partials, struck one or more times.
///
/// Every partial lies below half the sample rate, so sampling the function makes no alias, and a
/// rate twice as high has the same sound with a sample between each two.
///
/// - Unit: seconds, hertz; amplitudes relative to each other
struct ClickRecipe {
  struct Partial {
    var hertz: Double
    var amplitude: Double
    /// Seconds in which it falls to 1/e.
    var decay: Double
    /// Turns; 0 begins at its crest, so that the first sample is heard.
    var phase: Double = 0
  }

  struct Stroke {
    var delay: Double = 0
    var partials: [Partial]
  }

  var strokes: [Stroke]
  var seconds: Double
  /// Full scale 1.0.
  var peak: Double

  /// The rise of a stroke: short enough that the crest comes within a millisecond, long enough
  /// that nothing lies far above the highest partial.
  private static let attackSeconds = 0.000_4
  /// The rise begins at this share of its height: -30 dB, above the -40 dB under which the head of
  /// a sound counts as silence.
  private static let attackFloor = 0.03
  private static let strikeLift = 2.0
  private static let strikeSeconds = 0.000_8

  /// The samples at a rate, mono; the last one is exactly zero.
  func samples(rate: Int, semitones: Double) -> [Float] {
    let pitch = WaveArithmetic.ratio(semitones: semitones)
    let count = max(2, Int(seconds * Double(rate)))
    var sum = [Double](repeating: 0, count: count)
    for stroke in strokes {
      let first = Int(stroke.delay * Double(rate) + 0.5)
      guard first < count else { continue }
      var voice = [Double](repeating: 0, count: count - first)
      for partial in stroke.partials {
        ClickRecipe.add(partial, hertz: partial.hertz * pitch, rate: rate, to: &voice)
      }
      for n in voice.indices { sum[first + n] += voice[n] * ClickRecipe.attack(n, rate: rate) }
    }
    fadeOut(&sum)
    let crest = sum.reduce(0) { max($0, abs($1)) }
    let scale = crest > 0 ? peak / crest : 0
    return sum.map { Float($0 * scale) }
  }

  private static func add(
    _ partial: Partial, hertz: Double, rate: Int, to voice: inout [Double]
  ) {
    // Above nine tenths of half the rate a converter's filter would take it anyway.
    guard hertz < 0.45 * Double(rate) else { return }
    let turns = hertz / Double(rate)
    let fall = WaveArithmetic.exponential(-1 / (partial.decay * Double(rate)))
    let stepCosine = WaveArithmetic.cosine(turns: turns) * fall
    let stepSine = WaveArithmetic.sine(turns: turns) * fall
    var real = partial.amplitude * WaveArithmetic.cosine(turns: partial.phase)
    var imaginary = partial.amplitude * WaveArithmetic.sine(turns: partial.phase)
    for n in voice.indices {
      voice[n] += real
      (real, imaginary) = (
        real * stepCosine - imaginary * stepSine, real * stepSine + imaginary * stepCosine
      )
    }
  }

  /// The rise, and the strike that lifts the first millisecond above what rings on: partials that
  /// meet again later must not make a crest there.
  private static func attack(_ n: Int, rate: Int) -> Double {
    let time = Double(n) / Double(rate)
    guard time < 16 * strikeSeconds else { return 1 }
    let sixteenth = WaveArithmetic.exponential(-time / strikeSeconds / 16)
    var strike = sixteenth
    for _ in 0..<4 { strike *= strike }
    let lift = 1 + strikeLift * strike
    let x = time / attackSeconds
    guard x < 1 else { return lift }
    return lift
      * (attackFloor + (1 - attackFloor) * 0.5 * (1 - WaveArithmetic.cosine(turns: x / 2)))
  }

  /// Half a cosine over the last quarter.
  private func fadeOut(_ sum: inout [Double]) {
    let last = sum.count - 1
    let length = max(1, last / 4)
    for n in (last - length)...last {
      let x = Double(n - (last - length)) / Double(length)
      sum[n] *= 0.5 * (1 + WaveArithmetic.cosine(turns: x / 2))
    }
    sum[last] = 0
  }
}
