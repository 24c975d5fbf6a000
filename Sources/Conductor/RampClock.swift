import Glibc
import MetronomeModel
import MusicalTime

/// Where a ramp is, by the engine's facts.
///
/// - Unit: frames
/// - Thread: control
struct RampClock: Equatable, Sendable {
  private var clock = PlayClock()
  /// 0-based level of a trainer, and how many frames had been played when it began.
  private(set) var level: Int64 = 0
  private var playedAtLevel: Int64 = 0

  var hasBegun: Bool { clock.hasBegun }

  /// A ramp is set and has not begun, or there is none any more.
  mutating func reset() { self = RampClock() }

  /// The ramp's first beat.
  mutating func begin(at frame: FrameIndex) {
    reset()
    clock.begin(at: frame)
  }

  mutating func pause(at frame: FrameIndex) { clock.pause(at: frame) }

  mutating func resume(at frame: FrameIndex) { clock.resume(at: frame) }

  mutating func enter(level: Int64, at frame: FrameIndex) {
    self.level = level
    playedAtLevel = elapsed(at: frame)
  }

  mutating func rescale(from old: Int64, to new: Int64, at frame: FrameIndex) {
    let inLevel = elapsedInLevel(at: frame)
    clock.rescale(from: old, to: new, at: frame)
    playedAtLevel = elapsed(at: frame) - inLevel * new / old
  }

  func elapsed(at frame: FrameIndex) -> Int64 { clock.elapsed(at: frame) }

  func elapsedInLevel(at frame: FrameIndex) -> Int64 {
    max(0, elapsed(at: frame) - playedAtLevel)
  }

  // MARK: progress

  /// How far a ramp has come at a frame.
  func progress(
    of ramp: RampState, meter: Meter, at frame: FrameIndex, rate: Int64
  ) -> RampProgress {
    let seconds = Double(elapsed(at: frame)) / Double(rate)
    let barQuarters =
      Double(meter.barLength.ticks) / Double(ScorePosition.ticksPerQuarter)
    switch ramp {
    case .trainer(let trainer):
      let inLevel = Double(elapsedInLevel(at: frame)) / Double(rate)
      return progress(of: trainer, seconds: seconds, inLevel: inLevel, barQuarters: barQuarters)
    case .glide(let glide):
      return RampClock.progress(of: glide, seconds: seconds, barQuarters: barQuarters)
    }
  }

  private func progress(
    of trainer: SpeedTrainer, seconds: Double, inLevel: Double, barQuarters: Double
  ) -> RampProgress {
    let count = trainer.levelCount
    let current = min(level, count - 1)
    let total: Double
    let done: Double
    let left: Double
    switch trainer.share {
    case .totalMilliseconds(let milliseconds):
      total = Double(milliseconds) / 1000
      done = seconds
      left = total - seconds
    case .millisecondsPerLevel(let milliseconds):
      total = Double(milliseconds) / 1000 * Double(count)
      done = seconds
      left = total - seconds
    case .barsPerLevel(let bars):
      // The fraction is of the bars; the time left is what they take at their levels' tempos.
      let quarters = Double(bars) * barQuarters
      let levelSeconds = 60 * quarters / trainer.tempo(level: current).quartersPerMinute
      let share = min(inLevel / levelSeconds, 1)
      total = Double(count)
      done = Double(current) + share
      left =
        levelSeconds * (1 - share)
        + RampClock.seconds(of: trainer, from: current + 1, quarters: quarters)
    }
    return RampProgress(
      tempo: trainer.tempo(level: current), level: Int(current) + 1, levelCount: Int(count),
      fraction: min(max(done / total, 0), 1), secondsLeft: max(left, 0))
  }

  /// Seconds of all levels from a 0-based one on, each of so many quarters.
  private static func seconds(
    of trainer: SpeedTrainer, from first: Int64, quarters: Double
  ) -> Double {
    let last = trainer.levelCount - 1
    guard first <= last else { return 0 }
    func level(_ index: Int64) -> Double {
      60 * quarters / trainer.tempo(level: index).quartersPerMinute
    }
    guard last - first > 1000 else {
      return (first...last).reduce(0) { $0 + level($1) }
    }
    // So many small steps are a sum that the midpoint rule gives to a millionth:
    // sum of 1 / v(k) = integral of dk / v(k) = ln(v(last) / v(first)) / (v(last) - v(first)) x n.
    let low = trainer.tempo(level: first).quartersPerMinute
    let high = trainer.tempo(level: last).quartersPerMinute
    let meanInverse = log(high / low) / (high - low)
    return 60 * quarters * meanInverse * Double(last - first + 1)
  }

  private static func progress(
    of glide: GlideRamp, seconds: Double, barQuarters: Double
  ) -> RampProgress {
    let from = glide.from.quartersPerMinute
    let to = glide.to.quartersPerMinute
    let total: Double
    let tempoAtFraction: (Double) -> Double
    let fraction: Double
    switch glide.length {
    case .seconds(let length):
      total = length
      fraction = min(max(seconds / total, 0), 1)
      tempoAtFraction = { from + (to - from) * $0 }
    case .bars(let bars):
      // Linear in score position v(q) = a + (b - a) q / L takes L / (b - a) ln(b / a), and after
      // t of it the tempo is a exp((b - a) t / L).
      let quarters = Double(bars) * barQuarters
      total = 60 * quarters / (to - from) * log(to / from)
      let share = min(max(seconds / total, 0), 1)
      let tempo = from * pow(to / from, share)
      // Of the score, not of the time.
      fraction = (tempo - from) / (to - from)
      tempoAtFraction = { from + (to - from) * $0 }
    }
    let quarter = tempoAtFraction(fraction)
    let unit = glide.from.unit
    let value = quarter * Double(unit.quartersDenominator) / Double(unit.quartersNumerator)
    return RampProgress(
      tempo: Tempo(value, unit: unit) ?? glide.to, level: 1, levelCount: 1, fraction: fraction,
      secondsLeft: max(0, total - seconds))
  }
}
