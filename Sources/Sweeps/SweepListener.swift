/// Whether a sweep was heard, while a calibration is still running: by correlation in time, which is
/// slow but needs no transform.
///
/// - Thread: any one at a time
public struct SweepListener {
  private let sweep: [Float]
  private let energy: Float

  /// A sweep is heard where it stands out so clearly that the same sweep 6 dB louder is accepted.
  static let leastCorrelation: Float = 0.6
  static let leastProminence: Float = 6

  /// - Parameter rate: frames a second.
  public init(rate: Double) {
    sweep = Sweep.samples(rate: rate)
    energy = sweep.reduce(0) { $0 + $1 * $1 }
  }

  /// Frames of a sweep.
  public var frames: Int { sweep.count }

  /// - Parameters:
  ///   - recording: mono, what came in from the sweep's instant on.
  /// - Returns: whether it is in there.
  public func hears(_ recording: [Float]) -> Bool {
    let lags = recording.count - sweep.count
    guard lags > sweep.count else { return false }
    var sizes: [Float] = []
    sizes.reserveCapacity(lags)
    var best: (size: Float, lag: Int) = (0, 0)
    for lag in 0..<lags {
      var sum: Float = 0
      unsafe recording.withUnsafeBufferPointer { input in
        unsafe sweep.withUnsafeBufferPointer { filter in
          for index in 0..<filter.count { unsafe sum += input[lag + index] * filter[index] }
        }
      }
      let size = abs(sum)
      sizes.append(size)
      if size > best.size { best = (size, lag) }
    }
    var heard: Float = 0
    for index in 0..<sweep.count {
      let sample = recording[best.lag + index]
      heard += sample * sample
    }
    guard heard > 0 else { return false }
    sizes.sort()
    let floor = sizes[sizes.count / 2]
    return best.size / (heard * energy).squareRoot() >= SweepListener.leastCorrelation
      && best.size >= SweepListener.leastProminence * floor
  }
}
