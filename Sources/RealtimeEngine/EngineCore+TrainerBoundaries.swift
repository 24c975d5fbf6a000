internal import MetronomeModel
internal import MusicalTime

extension EngineCore {
  /// Whether the trainer's last share is over at a bar line where it stops the transport.
  @_noAllocation @_noLocks
  func trainerStops(at exact: ExactFrame, bar runIndex: Int64) -> Bool {
    guard let walk = trainer, walk.isRunning,
      walk.trainer.end.rawValue == SpeedTrainer.End.stop.rawValue
    else { return false }
    return walk.levelDue(at: exact, bar: runIndex, rate: rate) >= walk.trainer.levelCount
  }

  @_noAllocation @_noLocks
  mutating func finishTrainer(at frame: FrameIndex) {
    guard let walk = trainer else { return }
    let last = walk.trainer.levelCount &- 1
    // Only a trainer that stops can have levels left: the others land on the last one.
    reportSkipped(from: walk.level &+ 1, to: last &+ 1, frame: frame)
    reportTrainer(.finished, level: last, frame: frame)
    trainer = nil
  }

  @_noAllocation @_noLocks
  mutating func walkTrainer(at tick: ScorePosition, exact: ExactFrame, isBarLine: Bool) {
    guard var walk = trainer, !bar.isCountIn else { return }
    guard walk.isRunning else {
      if isBarLine { beginTrainer(walk, at: tick, exact: exact) }
      return
    }
    guard isBarLine || walk.startsOnBeats(bar: bar.meter.barLength, rate: rate) else { return }
    let due = walk.levelDue(at: exact, bar: bar.runIndex, rate: rate)
    guard due > walk.level else { return }
    let last = walk.trainer.levelCount &- 1
    if walk.level < last {
      let landing = min(due, last)
      reportSkipped(from: walk.level &+ 1, to: landing, frame: exact.nearest)
      walk.level = landing
      trainer = walk
      land(walk.trainer.tempo(level: landing), at: tick, cause: .trainer)
      reportTrainer(.level, level: landing, frame: exact.nearest)
    }
    if due > last { endTrainer(walk, at: tick, exact: exact, isBarLine: isBarLine) }
  }

  @_noAllocation @_noLocks
  private mutating func beginTrainer(
    _ waiting: TrainerWalk, at tick: ScorePosition, exact: ExactFrame
  ) {
    var walk = waiting
    walk.begin(at: tick, bar: bar.runIndex, frame: exact)
    trainer = walk
    if !tempo.soundsLike(walk.trainer.from) || isGliding {
      land(walk.trainer.from, at: tick, cause: .trainer)
    }
    reportTrainer(.level, level: 0, frame: exact.nearest)
  }

  @_noAllocation @_noLocks
  private mutating func endTrainer(
    _ walk: TrainerWalk, at tick: ScorePosition, exact: ExactFrame, isBarLine: Bool
  ) {
    switch walk.trainer.end {
    case .hold:
      finishTrainer(at: exact.nearest)
    case .stop:
      // It stops at a bar line, which looks for itself.
      break
    case .return:
      finishTrainer(at: exact.nearest)
      land(walk.tempoBefore, at: tick, cause: .trainer)
    case .loop:
      guard isBarLine else { return }
      reportTrainer(.looped, level: 0, frame: exact.nearest)
      beginTrainer(walk, at: tick, exact: exact)
    }
  }

  /// The latest ones where there are many: the level that begins tells the rest.
  @_noAllocation @_noLocks
  private func reportSkipped(from first: Int64, to end: Int64, frame: FrameIndex) {
    let mostReported: Int64 = 256
    var level = max(first, end &- mostReported)
    while level < end {
      reportTrainer(.skippedLevel, level: level, frame: frame)
      level &+= 1
    }
  }

  @_noAllocation @_noLocks
  func reportTrainer(_ kind: TrainerEvent.Kind, level: Int64, frame: FrameIndex) {
    guard let walk = trainer else { return }
    outlet.announce(
      .trainer(
        TrainerEvent(
          frame: frame, kind: kind, level: Int32(truncatingIfNeeded: level),
          levelCount: Int32(truncatingIfNeeded: walk.trainer.levelCount),
          tempo: walk.trainer.tempo(level: level))))
  }
}
