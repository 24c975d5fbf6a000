import FourierAnalysis
import Glibc

/// How much louder the parts of the spectrum become from one instant to the next.
///
/// The spectrum is gathered in bands of a quarter tone, its logarithm taken, and from each band the
/// loudest of its neighbours 10 ms earlier subtracted, so that vibrato, which only moves a partial
/// to the neighbour, does not count; what grew is added up. After Boeck and Widmer, "Maximum filter
/// vibrato suppression for onset detection", DAFx 2013 (SuperFlux).
///
/// - Thread: any one at a time
struct SpectralFlux {
  /// Growth within 10 ms, one value every hop: what is struck or plucked.
  private(set) var values: [Double] = []
  /// Growth within 50 ms: what swells, as a bowed note does.
  private(set) var slowValues: [Double] = []
  /// Frames from one value to the next.
  let hopFrames: Int
  /// Frames from the first sample to the middle of the first window.
  let firstFrame: Int

  /// Gain before the logarithm: what lies 60 dB below full scale counts as silence.
  private static let compression: Float = 1_000

  /// - Parameters:
  ///   - samples: mono, scaled so that loud notes reach full scale.
  ///   - rate: frames a second.
  init?(_ samples: [Float], rate: Double) {
    hopFrames = max(1, Int((rate * 0.0025).rounded()))
    let window = Int((rate * 0.02).rounded())
    firstFrame = window / 2
    guard let transform = FourierTransform(leastSize: window) else { return nil }
    let shape = (0..<window).map {
      Float(1 - cos(2 * Double.pi * (Double($0) + 0.5) / Double(window))) / Float(window)
    }
    let bands = SpectralFlux.bands(rate: rate, size: transform.size)
    let lag = max(1, Int((0.01 * rate / Double(hopFrames)).rounded()))
    let slowLag = 5 * lag
    var history: [[Float]] = []
    var piece = [Float](repeating: 0, count: window)
    var start = 0
    while start + window <= samples.count {
      for index in 0..<window { piece[index] = samples[start + index] * shape[index] }
      let spectrum = transform.spectrum(piece[...])
      var levels = [Float](repeating: 0, count: bands.count)
      for (index, band) in bands.enumerated() {
        var power: Float = 0
        for bin in band { power += spectrum[bin].power }
        levels[index] = log10f(1 + SpectralFlux.compression * power.squareRoot())
      }
      values.append(SpectralFlux.growth(levels, since: history, hops: lag))
      slowValues.append(SpectralFlux.growth(levels, since: history, hops: slowLag))
      history.append(levels)
      if history.count > slowLag { history.removeFirst() }
      start += hopFrames
    }
  }

  /// Mean growth of the bands, in decades of amplitude.
  private static func growth(_ levels: [Float], since history: [[Float]], hops: Int) -> Double {
    guard history.count >= hops else { return 0 }
    let earlier = history[history.count - hops]
    var growth: Float = 0
    for index in levels.indices {
      var loudest = earlier[index]
      if index > 0 { loudest = max(loudest, earlier[index - 1]) }
      if index + 1 < levels.count { loudest = max(loudest, earlier[index + 1]) }
      growth += max(0, levels[index] - loudest)
    }
    return Double(growth) / Double(levels.count)
  }

  /// Bins of bands a quarter tone wide from 100 Hz to 12 kHz, each at least one bin.
  private static func bands(rate: Double, size: Int) -> [Range<Int>] {
    let highest = min(12_000, rate * 0.45)
    var bands: [Range<Int>] = []
    var edge = max(1, Int(100 * Double(size) / rate))
    var hertz = 100.0
    while hertz < highest {
      hertz *= pow(2, 1.0 / 24)
      let next = Int(hertz * Double(size) / rate)
      if next > edge {
        bands.append(edge..<next)
        edge = next
      }
    }
    return bands
  }
}
