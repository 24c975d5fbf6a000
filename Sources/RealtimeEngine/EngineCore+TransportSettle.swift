internal import MetronomeModel
internal import MusicalTime

extension EngineCore {
  /// Remembers where the run ended, taking back what was announced beyond that place.
  ///
  /// The playing time of trainer and timer ends at the place, not at S: Continue goes on exactly
  /// there, as if there had been no Stop.
  @_noAllocation @_noLocks
  mutating func settle(at pulse: Int64, frame: FrameIndex, isScheduled: Bool = false) {
    let tick = ScorePosition(pulses: pulse)
    let exact = plan.exactFrame(at: tick)
    isRunning = false
    scheduledStop = nil
    stopTick = nil
    resumePulse = pulse
    timerElapsed = exact < timerOrigin ? ExactFrame(raw: 0) : exact - timerOrigin
    settleBar(at: tick)
    settlePlace(at: tick)
    settleTrainer(at: tick, exact: exact)
    settleTempo(at: tick)
    settlePendingTempo(frame: frame)
    landWaiting(at: ExactFrame(now))
    answers.settle(at: frame, outlet)
    if wantsFreeClock, pulse == firstPulse, let free = freeBeforeRun {
      return goOnFreely(free.line, from: free.nextPulse)
    }
    // Free pulses run on from the first one not sent, at a steady tempo.
    if !isScheduled { nextPulse = pulse }
    cursor = ScorePosition(ticks: ScorePosition(pulses: nextPulse &- 1).ticks)
    restartPlan(
      at: nextPulseTick, frame: plan.exactFrame(at: nextPulseTick),
      tempo: bent(resumeGlide?.tempo ?? tempo))
    freeClockRuns = wantsFreeClock
    // The pulse before this place was sent, unless nothing of the run was.
    firstFreePulse = nextPulse > firstPulse ? nextPulse &- 1 : nextPulse
  }

  /// Nothing of the run was sent: the free pulses go on as if there had been no Start, from the
  /// first that Stop has voided.
  @_noAllocation @_noLocks
  private mutating func goOnFreely(_ line: PlannedTempo, from last: Int64) {
    var resumed = line
    resumed.tempo = tempo
    plan.restart(resumed)
    // More pulses than the longest lead-in and horizon hold at 999 a minute.
    nextPulse = plan.firstPulse(notBefore: now, lookingBackFrom: last, floor: last &- 4096)
    while plan.frame(at: nextPulseTick) < now { nextPulse &+= 1 }
    cursor = ScorePosition(ticks: ScorePosition(pulses: nextPulse &- 1).ticks)
    plan.append(
      PlannedTempo(
        TempoSegment(
          origin: nextPulseTick, originFrame: plan.exactFrame(at: nextPulseTick), rate: rate,
          shape: .constant(bent(resumeGlide?.tempo ?? tempo))),
        tempo: tempo, cause: .request, level: trainerLevel))
    freeClockRuns = true
    firstFreePulse = nextPulse &- 1
  }

  /// The bar in which the run ended; requests that had landed on later bars wait again.
  @_noAllocation @_noLocks
  private mutating func settleBar(at tick: ScorePosition) {
    let revoked = history.countAfter(tick)
    var place = 0
    // Newest first, and the newest request is the one that holds.
    while place < revoked {
      let later = history.beforeNewest(place)
      if !pending.hasMeter, let landed = later.landedMeter { pending.meter = landed }
      if case .none = pending.pattern, let landed = later.landedPattern {
        pending.pattern = landed
      }
      if case .none = pending.jump, let landed = later.landedJump { pending.jump = landed }
      place &+= 1
    }
    resumeBar = bar
    if let running = history.bar(at: tick) { resumeBar = running }
    if resumeBar.section >= 0, resumeBar.scoreIdentifier != (score?.identifier ?? -1) {
      // Another song was taken up on a bar line that is taken back: it begins at the next one.
      resumeBar.section = -1
    }
    meter = pending.meter ?? resumeBar.meter
    pattern = pending.pattern ?? resumeBar.pattern
  }

  /// The latest beat that was heard.
  @_noAllocation @_noLocks
  private mutating func settlePlace(at tick: ScorePosition) {
    let last = ScorePosition(ticks: tick.ticks &- 1)
    let heard = history.bar(at: last) ?? resumeBar
    let beat = (last.ticks &- heard.start.ticks) / heard.meter.beatLength.ticks
    placeBar = Int32(truncatingIfNeeded: heard.songBar)
    placeBeat = UInt8(truncatingIfNeeded: max(beat, 0))
  }

  @_noAllocation @_noLocks
  private mutating func settleTrainer(at tick: ScorePosition, exact: ExactFrame) {
    guard var walk = trainer, walk.isRunning else { return }
    trainerElapsed = exact < walk.start ? ExactFrame(raw: 0) : exact - walk.start
    if tick.ticks <= walk.startTick.ticks {
      walk.isRunning = false
    } else {
      walk.level = plan.planned(at: tick).level
    }
    trainer = walk
  }

  /// The tempo at the place where the run ended, then the requests that had landed beyond it.
  @_noAllocation @_noLocks
  private mutating func settleTempo(at tick: ScorePosition) {
    let held = plan.planned(at: tick)
    resumeGlide = nil
    glide = nil
    tempo = held.tempo
    if held.segment.isGlide, plan.segment(at: tick).isGlide {
      resumeGlide = PausedGlide(
        shape: held.segment.shape, passedTicks: tick.ticks &- held.segment.origin.ticks)
      glide = held.glide
      glideIsScore = held.cause.isScore
    }
    var place = plan.countAfter(tick) &- 1
    while place >= 0 {
      let later = plan.beforeNewest(place)
      switch later.cause {
      case .request:
        resumeGlide = nil
        glide = nil
        tempo = later.tempo
      case .glideRequest:
        guard let ramp = later.glide else { break }
        if later.glideIsAtBar { pending.glideAtBar = ramp } else { pending.glideAtBeat = ramp }
      case .score, .trainer, .bend, .glideEnd:
        break
      }
      place &-= 1
    }
  }

  @_noAllocation @_noLocks
  private mutating func settlePendingTempo(frame: FrameIndex) {
    var request = pending.tempoAtBar
    if let sooner = pending.tempoAtBeat { request = sooner }
    if let soonest = pending.tempoNow { request = soonest }
    pending.tempoNow = nil
    pending.tempoAtBeat = nil
    pending.tempoAtBar = nil
    pending.phaseTap = nil
    phaseEndPulse = nil
    if let ramp = pending.glideNow {
      pending.glideNow = nil
      pending.glideAtBeat = ramp
    }
    if let bend = pending.bendThousandths {
      bendThousandths = bend
      pending.bendThousandths = nil
    }
    if pending.endsGlideNow {
      pending.endsGlideNow = false
      if let paused = resumeGlide { request = paused.tempo }
    }
    guard let newTempo = request else { return }
    resumeGlide = nil
    glide = nil
    tempo = newTempo
    announceTempo(
      TempoEvent(
        frame: frame, tempo: newTempo, quarterThousandths: newTempo.quarterThousandths,
        isGlide: false))
  }
}
