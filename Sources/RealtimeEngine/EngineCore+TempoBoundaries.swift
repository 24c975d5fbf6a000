internal import MetronomeModel
internal import MusicalTime

extension EngineCore {
  /// Decides which tempo holds from a beat on: the score, the trainer, then what a person asked.
  @_noAllocation @_noLocks
  mutating func crossTempoBoundary(at tick: ScorePosition, exact: ExactFrame, isBarLine: Bool) {
    walkScoreTempo(at: tick, isBarLine: isBarLine)
    walkTrainer(at: tick, exact: exact, isBarLine: isBarLine)
    if isBarLine, let request = pending.tempoAtBar {
      pending.tempoAtBar = nil
      land(request, at: tick, cause: .request)
    }
    if let request = pending.tempoAtBeat {
      pending.tempoAtBeat = nil
      land(request, at: tick, cause: .request)
    }
    // A count-in is counted at one tempo: a glide begins with the song.
    if !bar.isCountIn {
      if isBarLine, let request = pending.glideAtBar {
        pending.glideAtBar = nil
        beginGlide(request, at: tick, cause: .glideRequest)
      }
      if let request = pending.glideAtBeat {
        pending.glideAtBeat = nil
        beginGlide(request, at: tick, cause: .glideRequest)
      }
    }
    if let tap = pending.phaseTap {
      pending.phaseTap = nil
      if !isGliding, bendThousandths == 1000 { movePhase(to: tap, from: tick) }
    }
    answers.land(.beat, at: exact.nearest, outlet)
    guard isBarLine else { return }
    answers.land(.bar, at: exact.nearest, outlet)
    if !bar.isCountIn { answers.land(.songBar, at: exact.nearest, outlet) }
  }

  /// A steady tempo holds from `tick` on; `tick` itself keeps its instant.
  @_noAllocation @_noLocks
  mutating func land(_ newTempo: Tempo, at tick: ScorePosition, cause: PlannedTempo.Cause) {
    tempo = newTempo
    glide = nil
    phaseEndPulse = nil
    appendSteady(at: tick, cause: cause)
    announceTempo(
      TempoEvent(
        frame: plan.frame(at: tick), tempo: newTempo,
        quarterThousandths: newTempo.quarterThousandths, isGlide: false))
  }

  /// A tempo with the present bend, rounded towards the tempo so that the bound is kept.
  @_noAllocation @_noLocks
  func bent(_ tempo: Tempo) -> Tempo {
    guard bendThousandths != 1000 else { return tempo }
    let product = Int64(tempo.thousandths) &* Int64(bendThousandths)
    let value = bendThousandths > 1000 ? product / 1000 : (product &+ 999) / 1000
    return Tempo(unchecked: Int32(truncatingIfNeeded: value), unit: tempo.unit)
  }

  /// The present tempo with its bend, from `tick` on.
  @_noAllocation @_noLocks
  mutating func appendSteady(at tick: ScorePosition, cause: PlannedTempo.Cause) {
    plan.append(
      PlannedTempo(
        TempoSegment(
          origin: tick, originFrame: plan.exactFrame(at: tick), rate: rate,
          shape: .constant(bent(tempo))),
        tempo: tempo, cause: cause, level: trainerLevel))
  }

  var trainerLevel: Int64 {
    @_noAllocation @_noLocks get {
      if let walk = trainer { return walk.level }
      return 0
    }
  }

  @_noAllocation @_noLocks
  mutating func beginGlide(
    _ ramp: GlideRamp, at tick: ScorePosition, cause: PlannedTempo.Cause
  ) {
    glide = ramp
    glideIsScore = cause.isScore
    tempo = ramp.to
    bendThousandths = 1000
    phaseEndPulse = nil
    let frame = plan.exactFrame(at: tick)
    let shape: TempoSegment.Shape
    if ramp.from.soundsLike(ramp.to) {
      shape = .constant(ramp.to)
      glide = nil
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
    var stretch = PlannedTempo(
      TempoSegment(origin: tick, originFrame: frame, rate: rate, shape: shape),
      tempo: ramp.to, cause: cause, level: trainerLevel)
    stretch.glide = ramp
    stretch.glideIsAtBar = tick.ticks == bar.start.ticks
    plan.append(stretch)
    announceTempo(
      TempoEvent(
        frame: frame.nearest, tempo: ramp.to,
        quarterThousandths: ramp.from.quarterThousandths, isGlide: isGliding))
  }

  @_noAllocation @_noLocks
  mutating func announceTempo(_ event: TempoEvent) {
    quarterThousandths = event.quarterThousandths
    outlet.announce(.tempo(event))
  }

  /// The walk has come to the end of a glide.
  @_noAllocation @_noLocks
  mutating func enterSuccessor(_ next: TempoSegment) {
    plan.promoteSuccessor()
    glide = nil
    announceTempo(
      TempoEvent(
        frame: next.originFrame.nearest, tempo: tempo,
        quarterThousandths: tempo.quarterThousandths, isGlide: false))
  }

  /// What waits for a clock pulse lands on the one at `tick`, which keeps its instant.
  @_noAllocation @_noLocks
  mutating func crossPulse(at tick: ScorePosition) {
    if let end = phaseEndPulse, nextPulse >= end {
      phaseEndPulse = nil
      appendSteady(at: tick, cause: .bend)
    }
    if let bend = pending.bendThousandths {
      pending.bendThousandths = nil
      phaseEndPulse = nil
      bendThousandths = bend
      if !isGliding { appendSteady(at: tick, cause: .bend) }
    }
    if pending.endsGlideNow {
      pending.endsGlideNow = false
      endGlide(at: tick)
    }
    if let request = pending.glideNow {
      pending.glideNow = nil
      beginGlide(request, at: tick, cause: .glideRequest)
    }
    if let request = pending.tempoNow {
      pending.tempoNow = nil
      land(request, at: tick, cause: .request)
    }
    answers.land(.pulse, at: plan.frame(at: tick), outlet)
  }

  /// A glide that is broken off holds the tempo it had.
  @_noAllocation @_noLocks
  private mutating func endGlide(at tick: ScorePosition) {
    guard isGliding else { return }
    let thousandths = plan.quarterThousandths(at: tick)
    land(
      Tempo(quarterThousandths: thousandths, unit: tempo.unit), at: tick, cause: .request)
  }
}
