internal import MetronomeModel
internal import MusicalTime

/// A speed trainer on its way through its levels.
///
/// Times are nominal, counted from the trainer's first beat in playing time, so a level that
/// started late does not push the later ones.
///
/// - Thread: audio; free of allocation and locks.
struct TrainerWalk {
  var trainer: SpeedTrainer
  /// Whether its first beat has come.
  var isRunning = false
  var start = ExactFrame(raw: 0)
  var startTick = ScorePosition.zero
  /// The run's bar in which it began.
  var startBar: Int64 = 0
  var level: Int64 = 0
  var tempoBefore: Tempo

  @_noAllocation @_noLocks
  init(trainer: SpeedTrainer, tempoBefore: Tempo) {
    self.trainer = trainer
    self.tempoBefore = tempoBefore
  }

  @_noAllocation @_noLocks
  mutating func begin(at tick: ScorePosition, bar: Int64, frame: ExactFrame) {
    isRunning = true
    start = frame
    startTick = tick
    startBar = bar
    level = 0
  }

  /// The nominal time at which level `index` starts, from the trainer's first beat.
  @_noAllocation @_noLocks
  func nominal(level index: Int64, rate: Int64) -> ExactFrame {
    switch trainer.share {
    case .totalMilliseconds(let total):
      return ExactFrame(
        numerator: Int128(total) * Int128(rate) * Int128(index),
        denominator: 1000 * Int128(trainer.levelCount))
    case .millisecondsPerLevel(let each):
      return ExactFrame(
        numerator: Int128(each) * Int128(rate) * Int128(index), denominator: 1000)
    case .barsPerLevel:
      return ExactFrame(raw: 0)
    }
  }

  /// The level that is due at a boundary; `levelCount` where the last one's share is over.
  @_noAllocation @_noLocks
  func levelDue(at frame: ExactFrame, bar: Int64, rate: Int64) -> Int64 {
    let count = trainer.levelCount
    if case .barsPerLevel(let bars) = trainer.share {
      return min((bar &- startBar) / Int64(bars), count)
    }
    // Truncation at 2^-80 must not make a boundary that is exactly due look early.
    let slack = ExactFrame(raw: Int128(1) << 24)
    let elapsed = frame - start + slack
    // Halving, since a careless share may overtake a million levels at one boundary.
    var due = level
    var beyond = count &+ 1
    while beyond &- due > 1 {
      let middle = due &+ (beyond &- due) / 2
      if nominal(level: middle, rate: rate) <= elapsed { due = middle } else { beyond = middle }
    }
    return due
  }

  /// Whether a level may start at any beat: its share is shorter than a bar at the slower tempo.
  @_noAllocation @_noLocks
  func startsOnBeats(bar: ScorePosition, rate: Int64) -> Bool {
    if case .barsPerLevel = trainer.share { return false }
    let slower = trainer.from.thousandths < trainer.to.thousandths ? trainer.from : trainer.to
    let segment = TempoSegment(
      origin: .zero, originFrame: ExactFrame(raw: 0), rate: rate, shape: .constant(slower))
    return nominal(level: 1, rate: rate) < segment.frame(at: bar)
  }
}
