internal import MetronomeModel
internal import MusicalTime

extension EngineCore {
  /// Decides which tempo holds from a beat on: the trainer, the score, then what a person asked.
  @_noAllocation @_noLocks
  mutating func crossTempoBoundary(at tick: ScorePosition, exact: ExactFrame, isBarLine: Bool) {
    walkScoreTempo(at: tick, isBarLine: isBarLine)
    walkTrainer(at: tick, exact: exact, isBarLine: isBarLine)
    if isBarLine, let wish = pending.tempoAtBar {
      pending.tempoAtBar = nil
      land(wish, at: tick)
    }
    if let wish = pending.tempoAtBeat {
      pending.tempoAtBeat = nil
      land(wish, at: tick)
    }
    if isBarLine, let wish = pending.glideAtBar {
      pending.glideAtBar = nil
      beginGlide(wish, at: tick)
    }
    if let wish = pending.glideAtBeat {
      pending.glideAtBeat = nil
      beginGlide(wish, at: tick)
    }
  }

  /// A steady tempo holds from `tick` on; `tick` itself keeps its instant.
  @_noAllocation @_noLocks
  mutating func land(_ newTempo: Tempo, at tick: ScorePosition) {
    tempo = newTempo
    glide = nil
    phaseEndPulse = nil
    appendSteady(at: tick)
    outlet.announce(
      .tempo(
        TempoEvent(
          frame: plan.frame(at: tick), tempo: newTempo,
          quarterThousandths: newTempo.quarterThousandths, isGlide: false)))
  }

  /// The present tempo with its bend, from `tick` on.
  @_noAllocation @_noLocks
  mutating func appendSteady(at tick: ScorePosition) {
    let bent =
      bendThousandths == 1000
      ? tempo
      : Tempo(
        unchecked: Int32(
          (Int64(tempo.thousandths) &* Int64(bendThousandths) &+ 500) / 1000), unit: tempo.unit)
    plan.append(
      TempoSegment(
        origin: tick, originFrame: plan.exactFrame(at: tick), rate: rate, shape: .constant(bent)))
  }

  @_noAllocation @_noLocks
  mutating func beginGlide(_ ramp: GlideRamp, at tick: ScorePosition) {
    glide = ramp
    tempo = ramp.to
    bendThousandths = 1000
    phaseEndPulse = nil
    let frame = plan.exactFrame(at: tick)
    let shape: TempoSegment.Shape
    if ramp.from.soundsLike(ramp.to) {
      shape = .constant(ramp.to)
    } else {
      switch ramp.length {
      case .seconds(let seconds):
        shape = .glideInTime(from: ramp.from, to: ramp.to, seconds: seconds)
      case .bars(let bars):
        shape = .glideInScore(
          from: ramp.from, to: ramp.to,
          length: ScorePosition(ticks: bar.meter.barLength.ticks &* Int64(bars)))
      }
    }
    plan.append(TempoSegment(origin: tick, originFrame: frame, rate: rate, shape: shape))
    outlet.announce(
      .tempo(
        TempoEvent(
          frame: frame.nearest, tempo: ramp.to,
          quarterThousandths: ramp.from.quarterThousandths, isGlide: true)))
  }

  /// The walk has come to the end of a glide.
  @_noAllocation @_noLocks
  mutating func enterSuccessor(_ next: TempoSegment) {
    plan.promoteSuccessor()
    glide = nil
    outlet.announce(
      .tempo(
        TempoEvent(
          frame: next.originFrame.nearest, tempo: tempo,
          quarterThousandths: tempo.quarterThousandths, isGlide: false)))
  }

  /// Called with the cursor on an announced place: lands what waits for a pulse.
  @_noAllocation @_noLocks
  mutating func landTempoNowIfPending() {
    guard cursor.ticks == ScorePosition(pulses: nextPulse &- 1).ticks else { return }
    if let end = phaseEndPulse, nextPulse &- 1 >= end {
      phaseEndPulse = nil
      bendThousandths = 1000
      appendSteady(at: cursor)
    }
    if let bend = pending.bendThousandths {
      pending.bendThousandths = nil
      phaseEndPulse = nil
      bendThousandths = bend
      appendSteady(at: cursor)
    }
    if pending.endsGlideNow {
      pending.endsGlideNow = false
      endGlide(at: cursor)
    }
    if let wish = pending.tempoNow {
      pending.tempoNow = nil
      land(wish, at: cursor)
    }
  }

  /// A glide that is broken off holds the tempo it had.
  @_noAllocation @_noLocks
  mutating func endGlide(at tick: ScorePosition) {
    guard isGliding else { return }
    let thousandths = plan.quarterThousandths(at: tick)
    land(Tempo(unchecked: thousandths, unit: .quarter), at: tick)
  }

  // MARK: Trainer

  @_noAllocation @_noLocks
  func trainerEnds(at exact: ExactFrame, bar runIndex: Int64) -> Bool {
    guard let walk = trainer, walk.isRunning, !walk.hasFinished else { return false }
    return walk.levelDue(at: exact, bar: runIndex, rate: rate) >= walk.trainer.levelCount
  }

  @_noAllocation @_noLocks
  mutating func finishTrainer(at frame: FrameIndex) {
    guard let walk = trainer else { return }
    reportTrainer(.finished, level: walk.trainer.levelCount &- 1, frame: frame)
    trainer = nil
  }

  @_noAllocation @_noLocks
  private mutating func walkTrainer(at tick: ScorePosition, exact: ExactFrame, isBarLine: Bool) {
    guard var walk = trainer, !bar.isCountIn else { return }
    if !walk.isRunning {
      guard isBarLine else { return }
      walk.begin(at: tick, bar: bar.runIndex, frame: exact)
      trainer = walk
      if !tempo.soundsLike(walk.trainer.from) || isGliding { land(walk.trainer.from, at: tick) }
      reportTrainer(.level, level: 0, frame: exact.nearest)
      return
    }
    guard isBarLine || walk.startsOnBeats(bar: bar.meter.barLength, rate: rate) else { return }
    let due = walk.levelDue(at: exact, bar: bar.runIndex, rate: rate)
    guard due > walk.level else { return }
    let last = walk.trainer.levelCount &- 1
    if due <= last || walk.level < last {
      var skipped = walk.level &+ 1
      let landing = min(due, last)
      while skipped < landing {
        reportTrainer(.skippedLevel, level: skipped, frame: exact.nearest)
        skipped &+= 1
      }
      walk.level = landing
      walk.levelTick = tick
      trainer = walk
      land(walk.trainer.tempo(level: landing), at: tick)
      reportTrainer(.level, level: landing, frame: exact.nearest)
    }
    if due > last { endTrainer(walk, at: tick, exact: exact, isBarLine: isBarLine) }
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
      land(walk.tempoBefore, at: tick)
    case .loop:
      guard isBarLine else { return }
      reportTrainer(.looped, level: 0, frame: exact.nearest)
      var again = walk
      again.begin(at: tick, bar: bar.runIndex, frame: exact)
      trainer = again
      land(walk.trainer.from, at: tick)
      reportTrainer(.level, level: 0, frame: exact.nearest)
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
