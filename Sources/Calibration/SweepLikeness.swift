import FourierAnalysis
import Glibc
import Sweeps

/// Whether what was heard 16 times is our sweep, or another program's that resembles it.
///
/// Our sweep passes through all its frequencies with one delay. Another one (linear, longer, wider)
/// passes through each at another instant than ours does, so that its parts peak at different lags;
/// no loudspeaker spreads them so far.
///
/// - Thread: any one at a time
struct SweepLikeness {
  /// Milliseconds between the earliest and the latest part of the band; nil where too little of it
  /// was heard.
  private(set) var spreadMilliseconds: Double?
  /// Normalised correlation of the mean of all accepted sweeps, in which noise has fallen.
  private(set) var correlation: Double

  /// Loudspeakers and small rooms stay under it, a linear sweep of the same ends passes it.
  static let widestMilliseconds = 0.4

  var isOurs: Bool {
    (spreadMilliseconds ?? 0) <= SweepLikeness.widestMilliseconds
  }

  /// Hertz of the middle of each part and its width: bells about equally far apart to the ear.
  private static let parts: [(centre: Double, width: Double)] = [
    (2_250, 150), (2_700, 220), (3_464, 350), (4_400, 400), (5_400, 400),
  ]

  /// - Parameters:
  ///   - starts: frames of the recording at which the accepted sweeps begin.
  init?(_ recording: [Float], starts: [Double], rate: Double) {
    let sweep = Sweep.samples(rate: rate)
    let length = sweep.count
    // Peaks within 3 ms of the common lag are searched; what lies beyond is the noise.
    let near = Int(0.003 * rate)
    let reach = Int(0.012 * rate)
    let lags = -reach..<(reach + 1)
    guard !starts.isEmpty, let filter = MatchedFilter(rate: rate, windowFrames: lags.count)
    else { return nil }
    // A sweep's length on either side, so that the taper of the edges stays clear of it.
    var mean = [Float](repeating: 0, count: 3 * length + 2 * reach)
    for start in starts {
      let first = Int(start.rounded()) - length - reach
      for frame in mean.indices where first + frame >= 0 && first + frame < recording.count {
        mean[frame] += recording[first + frame] / Float(starts.count)
      }
    }
    var pure = [Float](repeating: 0, count: mean.count)
    for (frame, sample) in sweep.enumerated() { pure[length + reach + frame] = sample }
    let instant = Double(length + reach)
    correlation = Double(
      filter.correlate(mean, instant: instant, lags: lags).normalised.max() ?? 0)

    var heard: [(lag: Double, share: Double)] = []
    for part in SweepLikeness.parts {
      func envelope(_ samples: [Float]) -> [Float] {
        filter.correlate(
          samples, instant: instant, lags: lags, centreHertz: part.centre, widthHertz: part.width)
      }
      let values = envelope(mean)
      let middle = (reach - near)..<(reach + near + 1)
      guard let top = middle.map({ values[$0] }).max(), let expected = envelope(pure).max(),
        expected > 0
      else { continue }
      // Reflections may be louder in a part of the band: the peak nearest to the common lag is
      // taken, if it is half as high.
      let peaks = middle.filter {
        values[$0] >= top / 2 && values[$0] >= values[$0 - 1] && values[$0] > values[$0 + 1]
      }
      guard let lag = peaks.min(by: { abs($0 - reach) < abs($1 - reach) }) else { continue }
      let floor = OrderStatistics.median(
        values.indices.filter { !middle.contains($0) }.map { Double(values[$0]) })
      // A part that hardly stands out of the noise says nothing.
      guard Double(values[lag]) > 6 * floor else { continue }
      heard.append((Double(lag - reach), Double(values[lag] / expected)))
    }
    // A codec may have cut a part away.
    let highest = heard.map(\.share).max() ?? 0
    let lagsHeard = heard.filter { $0.share > 0.15 * highest }.map(\.lag)
    if lagsHeard.count >= 2, let least = lagsHeard.min(), let most = lagsHeard.max() {
      spreadMilliseconds = (most - least) / rate * 1_000
    }
  }
}
