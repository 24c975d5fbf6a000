internal import Sweeps

/// The softer sweeps at the beginning, for people who wear these headphones: each 6 dB louder, until
/// one is heard; those that count are 6 dB louder than that.
struct SweepRaise: Equatable {
  /// Sweeps so far that do not count.
  private(set) var count = 0
  private(set) var isDone = false
  private var decibels = SweepSchedule.firstDecibels

  /// Of the sweep that was played last.
  mutating func judge(isHeard: Bool) {
    guard !isDone else { return }
    decibels = min(0, decibels + SweepSchedule.raiseStepDecibels)
    // The loudest one counts, whoever hears it.
    if isHeard || decibels >= 0 { isDone = true }
  }

  /// Decibels of the loudest for the next sweep.
  mutating func next(slot: Int) -> Double {
    if !isDone { count += 1 }
    return decibels
  }
}

/// What came in lately, to be asked whether a sweep is in it.
struct SweepEar {
  let listener: SweepListener
  let channels: Int
  private let most: Int
  private var heard: [Float] = []

  /// - Parameter rate: frames a second.
  init(listener: SweepListener, channels: Int, rate: Double) {
    self.listener = listener
    self.channels = channels
    // The last sweep, and the one before it where the way is long.
    most = Int(1.5 * rate)
  }

  /// - Parameter samples: interleaved.
  mutating func take(_ samples: UnsafeBufferPointer<Float>) {
    var frame = 0
    while (frame + 1) * channels <= samples.count {
      var sum: Float = 0
      for channel in 0..<channels { unsafe sum += samples[frame * channels + channel] }
      heard.append(sum)
      frame += 1
    }
    if heard.count > 2 * most { heard.removeFirst(heard.count - most) }
  }

  func hears() -> Bool { listener.hears(Array(heard.suffix(most))) }
}
