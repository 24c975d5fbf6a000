internal import MetronomeModel
internal import MusicalTime

extension EngineCore {
  /// Whether a change can still land on the latest beat: S is at least the commit span before it,
  /// so nothing that follows it is announced.
  var isOnBeat: Bool {
    @_noAllocation @_noLocks get {
      isRunning && cursor.ticks == lastBeat.ticks && now + commit <= lastBeatFrame
        && !stopIsScheduled
    }
  }

  private var isOnBarLine: Bool {
    @_noAllocation @_noLocks get { isOnBeat && lastBeat.ticks == bar.start.ticks }
  }

  var nextPulseTick: ScorePosition {
    @_noAllocation @_noLocks get { ScorePosition(pulses: nextPulse) }
  }

  var nextBeatTick: ScorePosition {
    @_noAllocation @_noLocks get {
      if bar.nextSub == 0 { return bar.nextClick }
      return ScorePosition(
        ticks: bar.start.ticks &+ bar.meter.beatLength.ticks &* Int64(bar.nextBeat &+ 1))
    }
  }

  /// The first bar line that is not announced: that of the running bar before its first beat is.
  var nextBarLine: ScorePosition {
    @_noAllocation @_noLocks get { cursor.ticks < bar.start.ticks ? bar.start : bar.end }
  }

  /// The first bar line outside the count-in that is not announced.
  var nextSongBarLine: ScorePosition {
    @_noAllocation @_noLocks get { bar.isCountIn ? .zero : nextBarLine }
  }

  /// Where a place will fall, as far as the tempos that wait already say.
  @_noAllocation @_noLocks
  func expectedFrame(at tick: ScorePosition) -> FrameIndex {
    var request = pending.tempoAtBeat
    var boundary = nextBeatTick
    if let soonest = pending.tempoNow {
      request = soonest
      boundary = nextPulseTick
    }
    guard let next = request, tick.ticks > boundary.ticks else { return plan.frame(at: tick) }
    return TempoSegment(
      origin: boundary, originFrame: plan.exactFrame(at: boundary), rate: rate,
      shape: .constant(bent(next))
    ).frame(at: tick).nearest
  }

  @_noAllocation @_noLocks
  private func waits(for boundary: LandingAnswers.Boundary) -> Answer {
    switch boundary {
    case .pulse: return .willAct(plan.frame(at: nextPulseTick), .pulse, isTempo: true)
    case .beat: return .willAct(plan.frame(at: nextBeatTick), .beat, isTempo: true)
    case .bar: return .willAct(expectedFrame(at: nextBarLine), .bar, isTempo: true)
    case .songBar: return .willAct(expectedFrame(at: nextSongBarLine), .songBar, isTempo: true)
    }
  }

  /// A new request for the tempo takes the place of every one that still waits, and ends the trainer;
  /// a running glide ends where the new tempo lands.
  @_noAllocation @_noLocks
  private mutating func dropTempoRequests() {
    if let walk = trainer {
      reportTrainer(.cancelled, level: walk.level, frame: now)
      trainer = nil
    }
    pending.clearTempos()
    answers.dropTempos()
  }

  @_noAllocation @_noLocks
  mutating func setTempo(_ newTempo: Tempo, _ boundary: ChangeBoundary) -> Answer {
    dropTempoRequests()
    guard isRunning else { return setTempoWhileStopped(newTempo) }
    switch boundary {
    case .now:
      pending.tempoNow = newTempo
      return waits(for: .pulse)
    case .beat:
      if isOnBeat {
        land(newTempo, at: lastBeat, cause: .request)
        return .acts(lastBeatFrame)
      }
      if isFar(nextBeatTick) {
        pending.tempoNow = newTempo
        return waits(for: .pulse)
      }
      pending.tempoAtBeat = newTempo
      return waits(for: .beat)
    case .bar:
      if isOnBarLine {
        land(newTempo, at: lastBeat, cause: .request)
        return .acts(lastBeatFrame)
      }
      pending.tempoAtBar = newTempo
      return waits(for: .bar)
    }
  }

  /// A fader that touched the bottom must not be stuck there: at 5 a minute a beat is 12 s.
  @_noAllocation @_noLocks
  private func isFar(_ tick: ScorePosition) -> Bool {
    plan.frame(at: tick) > now + FrameCount(2 &* rate)
  }

  @_noAllocation @_noLocks
  private mutating func setTempoWhileStopped(_ newTempo: Tempo) -> Answer {
    resumeGlide = nil
    glide = nil
    tempo = newTempo
    // Free pulses change from the first one that is not announced.
    let frame = freeClockRuns ? plan.frame(at: nextPulseTick) : now
    if freeClockRuns { appendSteady(at: nextPulseTick, cause: .request) }
    announceTempo(
      TempoEvent(
        frame: frame, tempo: newTempo, quarterThousandths: newTempo.quarterThousandths,
        isGlide: false))
    return .acts(frame)
  }

  /// Push and pull: a factor on the tempo while it is held.
  @_noAllocation @_noLocks
  mutating func setBend(_ thousandths: Int32) -> Answer {
    if isGliding, thousandths != 1000 { return .refused(.rampRuns) }
    guard isRunning else {
      bendThousandths = thousandths
      guard freeClockRuns else { return .acts(now) }
      let frame = plan.frame(at: nextPulseTick)
      appendSteady(at: nextPulseTick, cause: .bend)
      return .acts(frame)
    }
    pending.bendThousandths = thousandths
    return .willAct(plan.frame(at: nextPulseTick), .pulse, isTempo: false)
  }

  /// Moves the beat nearest to a tap onto it.
  @_noAllocation @_noLocks
  mutating func setPhase(tap: FrameIndex) -> Answer {
    guard isRunning, !isGliding, bendThousandths == 1000, lastBeat.ticks != Int64.min
    else { return .refused(.rampRuns) }
    if pending.hasTempoAtBeat {
      // A tap changes tempo and phase: the phase is moved at the tempo that it asked for.
      pending.phaseTap = tap
      return waits(for: .beat)
    }
    return .acts(movePhase(to: tap, from: nextPulseTick))
  }

  /// Bends the tempo by at most a tenth until the beat has moved to a tap.
  ///
  /// With p frames a pulse, one pulse at 9/10 of the tempo gains p/9 and one at 11/10 loses p/11;
  /// that gives the number of pulses, and the tempo that spends exactly the distance over them.
  @_noAllocation @_noLocks
  @discardableResult
  mutating func movePhase(to tap: FrameIndex, from tick: ScorePosition) -> FrameIndex {
    let beatLength = bar.meter.beatLength
    // On the plain tempo's own line: an earlier phase that is still being caught up is replaced.
    let origin = plan.exactFrame(at: tick)
    let plain = TempoSegment(
      origin: tick, originFrame: origin, rate: rate, shape: .constant(tempo))
    let period = (plain.frame(at: tick + beatLength) - origin).approximateFrames
    let beats = (tick.ticks &- bar.start.ticks) / beatLength.ticks
    let ahead = ScorePosition(
      ticks: bar.start.ticks &+ (beats &+ 1) &* beatLength.ticks)
    var distance = (ExactFrame(tap) - plain.frame(at: ahead)).approximateFrames
    // Folded to the nearest beat: at most half a period either way.
    let periods = Int64(distance / period)
    distance -= Double(periods) * period
    if distance >= period / 2 { distance -= period }
    if distance < 0 - period / 2 { distance += period }
    guard distance >= 1 || distance <= -1 else { return origin.nearest }
    let pulse =
      period * Double(ScorePosition.ticksPerPulse) / Double(beatLength.ticks)
    let needed = distance > 0 ? distance * 9 / pulse : 0 - distance * 11 / pulse
    let count = Int64(needed) &+ 1
    let span = Double(count) * pulse
    let moved = Double(tempo.thousandths) * span / (span + distance)
    plan.append(
      PlannedTempo(
        TempoSegment(
          origin: tick, originFrame: origin, rate: rate,
          shape: .constant(Tempo(unchecked: Int32(moved + 0.5), unit: tempo.unit))),
        tempo: tempo, cause: .bend, level: trainerLevel))
    phaseEndPulse = tick.pulseFloor &+ count
    return origin.nearest
  }

  @_noAllocation @_noLocks
  mutating func setTrainer(_ newTrainer: SpeedTrainer) -> Answer {
    dropTempoRequests()
    trainerElapsed = ExactFrame(raw: 0)
    let before = tempoInForce
    guard isRunning else {
      let answer = setTempoWhileStopped(newTrainer.from)
      trainer = TrainerWalk(trainer: newTrainer, tempoBefore: before)
      return answer
    }
    trainer = TrainerWalk(trainer: newTrainer, tempoBefore: before)
    if isGliding { pending.endsGlideNow = true }
    if isOnBarLine, !bar.isCountIn {
      walkTrainer(at: lastBeat, exact: plan.exactFrame(at: lastBeat), isBarLine: true)
      return .acts(lastBeatFrame)
    }
    return waits(for: .songBar)
  }

  @_noAllocation @_noLocks
  mutating func setGlide(_ ramp: GlideRamp, _ boundary: ChangeBoundary) -> Answer {
    dropTempoRequests()
    guard isRunning else {
      let answer = setTempoWhileStopped(ramp.from)
      pending.glideAtBar = ramp
      return answer
    }
    if bar.isCountIn {
      // A count-in is counted at one tempo: the glide begins with the song.
      pending.glideAtBar = ramp
      return waits(for: .songBar)
    }
    switch boundary {
    case .now:
      pending.glideNow = ramp
      return waits(for: .pulse)
    case .beat:
      if isOnBeat {
        beginGlide(ramp, at: lastBeat, cause: .glideRequest)
        return .acts(lastBeatFrame)
      }
      pending.glideAtBeat = ramp
      return waits(for: .beat)
    case .bar:
      if isOnBarLine {
        beginGlide(ramp, at: lastBeat, cause: .glideRequest)
        return .acts(lastBeatFrame)
      }
      pending.glideAtBar = ramp
      return waits(for: .songBar)
    }
  }

  /// The tempo stays what it is at this moment.
  @_noAllocation @_noLocks
  mutating func cancelRamp() -> Answer {
    dropTempoRequests()
    guard isGliding else { return .acts(now) }
    guard isRunning else {
      if let paused = resumeGlide { return setTempoWhileStopped(paused.tempo) }
      glide = nil
      return .acts(now)
    }
    pending.endsGlideNow = true
    return waits(for: .pulse)
  }

  /// The tempo that holds at this moment, also within a glide.
  private var tempoInForce: Tempo {
    @_noAllocation @_noLocks get {
      if let paused = resumeGlide { return paused.tempo }
      guard isGliding, isRunning else { return tempo }
      return Tempo(
        quarterThousandths: plan.quarterThousandths(at: nextPulseTick), unit: tempo.unit)
    }
  }
}
