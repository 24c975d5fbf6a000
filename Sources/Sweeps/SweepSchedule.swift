/// When which sweep sounds: a pre-roll until both streams have settled, sweeps that rise from 30 dB
/// below the loudest, then those that count.
///
/// - Thread: any
public struct SweepSchedule: Equatable, Sendable {
  public static let preRollSeconds = 1.5
  public static let countRange: ClosedRange<Int> = 8...64
  /// Seconds between sweeps; a longer latency needs a longer spacing.
  public static let spacingRange: ClosedRange<Double> = 0.5...10
  /// By how much each sweep of the raise is louder than the one before.
  public static let raiseStepDecibels = 6.0
  /// The first sweep, in decibels of the loudest.
  public static let firstDecibels = -30.0
  /// What is searched before the instant of a sweep, for a stream whose delay is told too long.
  public static let earliestSeconds = -0.05

  public var spacingSeconds: Double
  /// Sweeps that count.
  public var count: Int
  /// Decibels of the loudest for each sweep before those that count.
  public var raise: [Double]

  public init(spacingSeconds: Double = 1, count: Int = 16, raise: [Double] = []) {
    self.spacingSeconds = spacingSeconds
    self.count = count
    self.raise = raise
  }

  /// The whole raise, as it is written to a file where nobody listens while it plays: -30, -24, -18,
  /// -12, -6 dB.
  public static let wholeRaise: [Double] = Array(
    stride(from: firstDecibels, to: 0, by: raiseStepDecibels))

  /// Seconds from frame 0 to the sweep of a slot, counted from 0 with the raise.
  public func second(ofSlot slot: Int) -> Double {
    SweepSchedule.preRollSeconds + Double(slot) * spacingSeconds
  }

  /// Seconds until the last slot has had its whole window, and one more, in which a sweep would show
  /// that the latency is longer than the spacing.
  public var seconds: Double { second(ofSlot: raise.count + count) + max(1, spacingSeconds) }

  /// What is played: mono, full scale 1.0.
  ///
  /// - Parameter rate: frames a second.
  public func samples(rate: Int) -> [Float] {
    var samples = [Float](repeating: 0, count: Int((seconds * Double(rate)).rounded(.up)))
    for slot in 0..<(raise.count + count) {
      let decibels = slot < raise.count ? raise[slot] : 0
      let amplitude = Sweep.loudest * DecibelLaw.gain(decibels)
      // The instant may fall between two frames; the sweep is sampled where it truly lies.
      let start = second(ofSlot: slot) * Double(rate)
      let first = Int(start.rounded(.up))
      let length = Int((Sweep.seconds * Double(rate)).rounded(.up)) + 1
      for frame in first..<min(first + length, samples.count) {
        samples[frame] = Float(
          amplitude * Sweep.value(at: (Double(frame) - start) / Double(rate)))
      }
    }
    return samples
  }
}
