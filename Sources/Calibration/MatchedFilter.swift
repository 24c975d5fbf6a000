import FourierAnalysis
import Glibc
import Sweeps

/// A place where a recording looks like the sweep.
public struct SweepSighting: Equatable, Sendable {
  /// Frames from the instant the sweep was played, with a fraction.
  public var lagFrames: Double
  /// Normalised correlation with the sweep within its own band, 0 to 1.
  public var correlation: Double
  /// Peak amplitude of the sweep as it was recorded, full scale 1.0.
  public var amplitude: Double
  /// The correlation over its median in the window: how far it stands out.
  public var prominence: Double
}

/// Finds the sweep in one window of a recording: correlates by Fourier transform, and takes the
/// envelope of the correlation, which neither a reversed polarity nor a loudspeaker's phase moves.
///
/// - Thread: any one at a time
final class MatchedFilter {
  private let transform: FourierTransform
  private let sweepSpectrum: [ComplexSample]
  private let band: [Float]
  private let rate: Double
  private let sweepFrames: Int
  /// Of the sweep with an amplitude of 1.
  private let sweepEnergy: Double

  /// Least of what is a sighting at all.
  static let leastCorrelation = 0.4
  /// White noise reaches 4 medians in a window of a second; 6 have a chance below 1e-10.
  static let leastProminence = 5.5
  /// Below it a sweep cannot be told from the last bits of a converter.
  static let leastAmplitude = 1e-5

  /// - Parameters:
  ///   - rate: frames a second of the recording.
  ///   - windowFrames: frames of lags that are searched.
  init?(rate: Double, windowFrames: Int) {
    let sweep = Sweep.samples(rate: rate)
    guard let transform = FourierTransform(leastSize: windowFrames + 3 * sweep.count) else {
      return nil
    }
    self.transform = transform
    self.rate = rate
    sweepFrames = sweep.count
    sweepSpectrum = transform.spectrum(sweep[...])
    sweepEnergy = sweep.reduce(0) { $0 + Double($1) * Double($1) }
    // Hum, rumble and hiss outside the sweep's band must not count as unlike it.
    band = (0..<transform.binCount).map { bin in
      MatchedFilter.gain(Double(bin) * rate / Double(transform.size))
    }
  }

  /// Raised cosines from 1400 to 1900 Hz and from 6300 to 7300 Hz.
  private static func gain(_ hertz: Double) -> Float {
    let rise = min(max((hertz - 1_400) / 500, 0), 1)
    let fall = min(max((7_300 - hertz) / 1_000, 0), 1)
    return Float((1 - cos(Double.pi * rise)) / 2 * (1 - cos(Double.pi * fall)) / 2)
  }

  /// The correlation for each lag of a window.
  struct Correlation {
    /// Frames of the first lag from the instant of the sweep.
    var firstLag: Double
    var envelope: [Float]
    var normalised: [Float]
    /// Lags at which the whole sweep would lie within the recording.
    var recorded: Range<Int>
  }

  /// Correlates a recording with a sweep played at an instant.
  ///
  /// - Parameters:
  ///   - instant: the sweep's first frame, with a fraction.
  ///   - lags: frames from the first lag that is searched to the one after the last.
  func correlate(_ recording: [Float], instant: Double, lags: Range<Int>) -> Correlation {
    let window = window(of: recording, instant: instant, lags: lags)
    var spectrum = transform.spectrum(window.samples[...])
    for bin in spectrum.indices { spectrum[bin] = spectrum[bin] * band[bin] }
    let filtered = transform.samples(spectrum)
    for bin in spectrum.indices { spectrum[bin] = spectrum[bin] * sweepSpectrum[bin].conjugate }
    let analytic = transform.analyticSignal(spectrum)
    var energy = 0.0
    for frame in edge..<(edge + sweepFrames) {
      energy += Double(filtered[frame]) * Double(filtered[frame])
    }
    var correlation = Correlation(
      firstLag: window.firstLag, envelope: [], normalised: [], recorded: window.recorded)
    correlation.envelope.reserveCapacity(lags.count)
    correlation.normalised.reserveCapacity(lags.count)
    for lag in edge..<(edge + lags.count) {
      let envelope = analytic[lag].power.squareRoot()
      let scale = (max(energy, 0) * sweepEnergy).squareRoot()
      correlation.envelope.append(envelope)
      correlation.normalised.append(
        scale > 1e-9 * sweepEnergy ? min(1, Float(Double(envelope) / scale)) : 0)
      let leaving = Double(filtered[lag])
      let entering = Double(filtered[lag + sweepFrames])
      energy += entering * entering - leaving * leaving
    }
    return correlation
  }

  /// The envelope of the correlation in a part of the band: a bell about a frequency.
  func correlate(
    _ recording: [Float], instant: Double, lags: Range<Int>, centreHertz: Double, widthHertz: Double
  ) -> [Float] {
    let window = window(of: recording, instant: instant, lags: lags)
    var spectrum = transform.spectrum(window.samples[...])
    for bin in spectrum.indices {
      let distance = (Double(bin) * rate / Double(transform.size) - centreHertz) / widthHertz
      spectrum[bin] =
        spectrum[bin] * sweepSpectrum[bin].conjugate * Float(exp(-distance * distance / 2))
    }
    let analytic = transform.analyticSignal(spectrum)
    return (edge..<(edge + lags.count)).map { analytic[$0].power.squareRoot() }
  }

  /// Frames before the first lag and after the last sweep, in which the recording fades in and out:
  /// what is cut off there must not click, as hum would.
  private var edge: Int { sweepFrames / 2 }

  private struct Window {
    var samples: [Float]
    var firstLag: Double
    var recorded: Range<Int>
  }

  private func window(of recording: [Float], instant: Double, lags: Range<Int>) -> Window {
    let start = Int(instant.rounded(.down)) + lags.lowerBound
    let first = start - edge
    let wanted = first..<(first + lags.count + sweepFrames + 2 * edge)
    let present = wanted.clamped(to: 0..<recording.count)
    var samples = [Float](repeating: 0, count: wanted.count)
    for frame in present {
      let distance = min(frame - present.lowerBound, present.upperBound - 1 - frame)
      var gain: Float = 1
      if distance < edge {
        gain = Float((1 - cos(Double.pi * (Double(distance) + 0.5) / Double(edge))) / 2)
      }
      samples[frame - first] = recording[frame] * gain
    }
    let from = present.lowerBound - start
    return Window(
      samples: samples, firstLag: Double(start) - instant,
      recorded: (from..<max(from, present.upperBound - start - sweepFrames)).clamped(
        to: 0..<lags.count))
  }

  /// The places in a window that look most like the sweep, the strongest first.
  func sightings(_ correlation: Correlation, atMost most: Int = 8) -> [SweepSighting] {
    let envelope = correlation.envelope
    guard envelope.count > 2 else { return [] }
    // The zeros before and after the recording are not its noise.
    let floor = OrderStatistics.median(
      stride(from: correlation.recorded.lowerBound, to: correlation.recorded.upperBound, by: 7)
        .map { Double(envelope[$0]) })
    // Two peaks nearer than a millisecond are lobes of one.
    let reach = max(1, Int(rate / 1_000))
    var found: [SweepSighting] = []
    for lag in 1..<(envelope.count - 1)
    where envelope[lag] >= envelope[lag - 1] && envelope[lag] > envelope[lag + 1] {
      let amplitude = Double(envelope[lag]) / sweepEnergy
      let prominence = floor > 0 ? Double(envelope[lag]) / floor : .infinity
      guard Double(correlation.normalised[lag]) >= MatchedFilter.leastCorrelation,
        prominence >= MatchedFilter.leastProminence,
        amplitude >= MatchedFilter.leastAmplitude
      else { continue }
      let around = max(0, lag - reach)...min(envelope.count - 1, lag + reach)
      guard !around.contains(where: { envelope[$0] > envelope[lag] }) else { continue }
      let offset = MatchedFilter.vertex(
        Double(envelope[lag - 1]), Double(envelope[lag]), Double(envelope[lag + 1]))
      found.append(
        SweepSighting(
          lagFrames: correlation.firstLag + Double(lag) + offset,
          correlation: Double(correlation.normalised[lag]), amplitude: amplitude,
          prominence: min(prominence, 1e6)))
    }
    found.sort { $0.amplitude > $1.amplitude }
    return Array(found.prefix(most))
  }

  /// Where the parabola through the logarithms of three values peaks, -1/2 to 1/2: exact for a bell
  /// curve, which the main lobe nearly is.
  static func vertex(_ before: Double, _ peak: Double, _ after: Double) -> Double {
    guard before > 0, peak > 0, after > 0 else { return 0 }
    let (a, b, c) = (log(before), log(peak), log(after))
    let curvature = a - 2 * b + c
    guard curvature < 0 else { return 0 }
    return min(max(0.5 * (a - c) / curvature, -0.5), 0.5)
  }
}
