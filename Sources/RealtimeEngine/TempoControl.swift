internal import MetronomeModel
internal import MusicalTime

extension EngineCore {
  /// Whether nothing beyond the latest beat is announced, so that a change can still land on it.
  private var isOnBeat: Bool {
    @_noAllocation @_noLocks get {
      isRunning && cursor.ticks == lastBeat.ticks && !stopIsScheduled
    }
  }

  private var isOnPulse: Bool {
    @_noAllocation @_noLocks get {
      cursor.ticks == ScorePosition(pulses: nextPulse &- 1).ticks
        && (isRunning ? nextPulse > firstPulse : nextPulse > 0)
    }
  }

  private var nextBeatTick: ScorePosition {
    @_noAllocation @_noLocks get {
      if bar.nextSub == 0 { return bar.nextClick }
      return ScorePosition(
        ticks: bar.start.ticks &+ bar.meter.beatLength.ticks &* Int64(bar.nextBeat &+ 1))
    }
  }

  @_noAllocation @_noLocks
  mutating func setTempo(_ newTempo: Tempo, _ boundary: ChangeBoundary) -> Answer {
    dropRamps(at: now)
    pending.clearTempos()
    guard isRunning else { return setTempoWhileStopped(newTempo) }
    switch boundary {
    case .now:
      if isOnPulse {
        land(newTempo, at: cursor)
        return .acts(plan.frame(at: cursor))
      }
      pending.tempoNow = newTempo
      return .acts(plan.frame(at: ScorePosition(pulses: nextPulse)))
    case .beat:
      if isOnBeat {
        land(newTempo, at: lastBeat)
        return .acts(lastBeatFrame)
      }
      pending.tempoAtBeat = newTempo
      return .acts(plan.frame(at: nextBeatTick))
    case .bar:
      if isOnBeat, lastBeat.ticks == bar.start.ticks {
        land(newTempo, at: lastBeat)
        return .acts(lastBeatFrame)
      }
      pending.tempoAtBar = newTempo
      return .acts(plan.frame(at: bar.end))
    }
  }

  @_noAllocation @_noLocks
  private mutating func setTempoWhileStopped(_ newTempo: Tempo) -> Answer {
    resumeGlide = nil
    glide = nil
    if freeClockRuns, nextPulse > 0 {
      land(newTempo, at: cursor)
      return .acts(plan.frame(at: cursor))
    }
    tempo = newTempo
    if freeClockRuns {
      plan.restart(
        TempoSegment(
          origin: .zero, originFrame: plan.newest.originFrame, rate: rate,
          shape: .constant(newTempo)))
    }
    outlet.announce(
      .tempo(
        TempoEvent(
          frame: now, tempo: newTempo, quarterThousandths: newTempo.quarterThousandths,
          isGlide: false)))
    return .acts(now)
  }

  /// Push and pull: a factor on the tempo while it is held.
  @_noAllocation @_noLocks
  mutating func setBend(_ thousandths: Int32) -> Answer {
    if isGliding { return .refused(.rampRuns) }
    guard isRunning || freeClockRuns else {
      bendThousandths = thousandths
      return .acts(now)
    }
    if isOnPulse {
      bendThousandths = thousandths
      phaseEndPulse = nil
      appendSteady(at: cursor)
      return .acts(plan.frame(at: cursor))
    }
    pending.bendThousandths = thousandths
    return .acts(plan.frame(at: ScorePosition(pulses: nextPulse)))
  }

  /// Moves the beat nearest to a tap onto it, bending the tempo by at most a tenth.
  ///
  /// With p frames a pulse, one pulse at 9/10 of the tempo gains p/9 and one at 11/10 loses p/11;
  /// that gives the number of pulses, and the tempo that spends exactly the distance over them.
  @_noAllocation @_noLocks
  mutating func movePhase(to tap: FrameIndex) -> Answer {
    guard isRunning, !isGliding, bendThousandths == 1000, !isCatchingUp,
      lastBeat.ticks != Int64.min
    else { return .refused(.rampRuns) }
    let beatLength = bar.meter.beatLength
    let period =
      plan.exactFrame(at: lastBeat + beatLength).approximateFrames
      - plan.exactFrame(at: lastBeat).approximateFrames
    var distance = Double((tap - lastBeatFrame).value)
    // Fold to the nearest beat: -period/2 ..< period/2.
    let periods = Int64(distance / period)
    distance -= Double(periods) * period
    if distance >= period / 2 { distance -= period }
    if distance < 0 - period / 2 { distance += period }
    guard distance >= 1 || distance <= -1 else { return .acts(now) }
    let pulse =
      period * Double(ScorePosition.ticksPerPulse) / Double(beatLength.ticks)
    let needed = distance > 0 ? distance * 9 / pulse : 0 - distance * 11 / pulse
    let count = Int64(needed) &+ 1
    let span = Double(count) * pulse
    let bent = Double(tempo.thousandths) * span / (span + distance)
    let tick = isOnPulse ? cursor : ScorePosition(pulses: nextPulse)
    plan.append(
      TempoSegment(
        origin: tick, originFrame: plan.exactFrame(at: tick), rate: rate,
        shape: .constant(Tempo(unchecked: Int32(bent + 0.5), unit: tempo.unit))))
    phaseEndPulse = tick.pulseFloor &+ count
    return .acts(plan.frame(at: tick))
  }

  @_noAllocation @_noLocks
  mutating func setTrainer(_ newTrainer: SpeedTrainer) -> Answer {
    dropRamps(at: now)
    pending.clearTempos()
    trainer = TrainerWalk(trainer: newTrainer, tempoBefore: tempo)
    trainerElapsed = ExactFrame(raw: 0)
    if isRunning {
      if isGliding {
        if isOnPulse { endGlide(at: cursor) } else { pending.endsGlideNow = true }
      }
      return actsAtBarLine()
    }
    return setTempoWhileStopped(newTrainer.from)
  }

  @_noAllocation @_noLocks
  mutating func setGlide(_ ramp: GlideRamp, _ boundary: ChangeBoundary) -> Answer {
    dropRamps(at: now)
    pending.clearTempos()
    guard isRunning else {
      let answer = setTempoWhileStopped(ramp.from)
      pending.glideAtBar = ramp
      return answer
    }
    switch boundary {
    case .now where isOnPulse:
      beginGlide(ramp, at: cursor)
      return .acts(plan.frame(at: cursor))
    case .now, .beat:
      if isOnBeat {
        beginGlide(ramp, at: lastBeat)
        return .acts(lastBeatFrame)
      }
      pending.glideAtBeat = ramp
      return .acts(plan.frame(at: nextBeatTick))
    case .bar:
      if isOnBeat, lastBeat.ticks == bar.start.ticks {
        beginGlide(ramp, at: lastBeat)
        return .acts(lastBeatFrame)
      }
      pending.glideAtBar = ramp
      return .acts(plan.frame(at: bar.end))
    }
  }

  /// The tempo stays what it is at this moment.
  @_noAllocation @_noLocks
  mutating func cancelRamp() -> Answer {
    dropRamps(at: now)
    pending.clearTempos()
    guard isGliding else { return .acts(now) }
    guard isRunning else {
      if let rest = resumeGlide, case .glideInTime(let from, _, _) = rest { tempo = from }
      if let rest = resumeGlide, case .glideInScore(let from, _, _) = rest { tempo = from }
      resumeGlide = nil
      glide = nil
      return .acts(now)
    }
    if isOnPulse {
      endGlide(at: cursor)
      return .acts(plan.frame(at: cursor))
    }
    pending.endsGlideNow = true
    return .acts(plan.frame(at: ScorePosition(pulses: nextPulse)))
  }

  /// A new wish for the tempo ends the trainer; a running glide ends where the new tempo lands.
  @_noAllocation @_noLocks
  private mutating func dropRamps(at frame: FrameIndex) {
    guard let walk = trainer else { return }
    reportTrainer(.cancelled, level: walk.level, frame: frame)
    trainer = nil
  }
}
