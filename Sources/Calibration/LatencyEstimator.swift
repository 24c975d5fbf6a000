import Glibc
import Sweeps

/// Finds the latency in a recording of sweeps, frame 0 being the frame at which playback began.
///
/// A sweep is accepted by correlation, by level and by agreement: where most sweeps lie on one
/// line of latency (flat, or rising evenly where two clocks drift), those on it count, and the
/// answer is their median with the drift removed, at the middle of the run.
///
/// - Thread: any one at a time; allocates some megabytes.
public struct LatencyEstimator {
  public var spacingSeconds: Double
  /// Sweeps that count.
  public var count: Int
  /// Sweeps before those that count, where it is known; else it is read from their levels.
  public var raised: Int?

  public init(spacingSeconds: Double = 1, count: Int = 16, raised: Int? = nil) {
    self.spacingSeconds = spacingSeconds
    self.count = count
    self.raised = raised
  }

  /// Slots beyond the counted ones that are looked at: a raise, a latency longer than the spacing.
  private static let slotsBeyond = 12
  /// Two crystals of 100 ppm each, and some more.
  static let steepestPPM = 400.0

  /// - Parameters:
  ///   - channels: of the recording, all of one length; the one that shows most sweeps is used.
  ///   - rate: frames a second, at least 14000.
  /// - Returns: nil where there is no memory for it.
  public func estimate(channels: [[Float]], rate: Double) -> CalibrationResult? {
    var best: CalibrationResult?
    for (channel, recording) in channels.enumerated() {
      guard var result = estimate(recording, rate: rate) else { return nil }
      result.channel = channel
      if best.map({ LatencyEstimator.isBetter(result, than: $0) }) ?? true { best = result }
    }
    return best
  }

  private static func isBetter(_ a: CalibrationResult, than b: CalibrationResult) -> Bool {
    if a.accepted != b.accepted { return a.accepted > b.accepted }
    return a.meanCorrelation > b.meanCorrelation
  }

  private func estimate(_ recording: [Float], rate: Double) -> CalibrationResult? {
    let schedule = SweepSchedule(spacingSeconds: spacingSeconds, count: count)
    let first = Int((SweepSchedule.earliestSeconds * rate).rounded())
    let lags = first..<(first + Int((spacingSeconds * rate).rounded()))
    guard let filter = MatchedFilter(rate: rate, windowFrames: lags.count) else { return nil }

    var sightings: [Int: [SweepSighting]] = [:]
    var pictures: [Int: [Float]] = [:]
    for slot in -1..<(count + LatencyEstimator.slotsBeyond) {
      let instant = schedule.second(ofSlot: slot) * rate
      guard instant < Double(recording.count) else { break }
      let correlation = filter.correlate(recording, instant: instant, lags: lags)
      sightings[slot] = filter.sightings(correlation)
      pictures[slot] = LatencyEstimator.picture(correlation.normalised)
    }
    let run = SweepRun(
      sightings, count: count, spacingFrames: spacingSeconds * rate, rate: rate, raised: raised)
    return run.result(recording, pictures: pictures, schedule: schedule)
  }

  /// The greatest value of each of 200 columns.
  private static func picture(_ values: [Float]) -> [Float] {
    let columns = 200
    return (0..<columns).map { column in
      let from = column * values.count / columns
      let to = max(from + 1, (column + 1) * values.count / columns)
      return values[from..<min(to, values.count)].max() ?? 0
    }
  }
}

extension CalibrationResult {
  var meanCorrelation: Double {
    let values = sweeps.filter(\.isAccepted).compactMap { $0.sighting?.correlation }
    return values.isEmpty ? 0 : values.reduce(0, +) / Double(values.count)
  }
}

/// How loud a recording is.
struct RecordingLevels {
  var peak: Float = 0
  var isClipped = false

  init(_ samples: [Float]) {
    for sample in samples where sample.isFinite { peak = max(peak, abs(sample)) }
    guard peak > 0.05 else { return }
    // A sine of 2 kHz has two samples near its crest at most; a clipped one has many at the rail.
    var atRail = 0
    var runs = 0
    for sample in samples {
      atRail = abs(sample) >= peak * 0.9999 ? atRail + 1 : 0
      if atRail == 3 { runs += 1 }
    }
    isClipped = runs >= 8
  }
}
