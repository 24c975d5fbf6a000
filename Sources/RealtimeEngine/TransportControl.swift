internal import MetronomeModel
internal import MusicalTime

extension EngineCore {
  /// From bar 1, with `countInBars` bars before it; the first beat heard is due at `wanted` or as
  /// soon as the lead-in allows.
  @_noAllocation @_noLocks
  mutating func start(countInBars: Int32, firstBeat wanted: FrameIndex) -> FrameIndex {
    guard !isRunning else { return now }
    takePendingScore()
    var firstBar = BarCursor(
      start: .zero, songBar: 0, songStart: .zero, meter: meter, pattern: pattern,
      subdivision: subdivision, layerCount: layerCount, layerAccent: layerAccent,
      isMuted: muting.mutes(bar: 0), section: -1, barInSection: 0, gain: 1)
    if let song = score, let sections = unsafe song.sections, startSection < song.sectionCount {
      let section = unsafe sections[Int(startSection)]
      apply(section, index: startSection, bar: 0, to: &firstBar)
      if let songTempo = firstTempo(of: section, in: song) { tempo = songTempo }
    }
    if let walk = trainer {
      trainer?.isRunning = false
      tempo = walk.trainer.from
    }
    if let ramp = pending.glideAtBar { tempo = ramp.from }
    let frame = firstFrame(wanted: wanted)
    let countIn = Int64(countInBars) &* firstBar.meter.barLength.ticks
    let origin = ScorePosition(ticks: 0 &- countIn)
    let songSection = firstBar.section
    if countInBars > 0 {
      firstBar.start = origin
      firstBar.runIndex = 0 &- Int64(countInBars)
      firstBar.songBar = 0 &- Int64(countInBars)
      firstBar.songStart = origin
      firstBar.isMuted = false
      firstBar.section = -1
    }
    begin(at: origin, frame: frame, bar: firstBar)
    timerOrigin = ExactFrame(frame)
    outlet.announce(
      .started(
        StartEvent(frame: plan.frame(at: .zero), firstFrame: frame, firstPulse: origin.pulseFloor)))
    announceRun(at: frame)
    if countInBars == 0, songSection >= 0 {
      outlet.announce(.section(SectionEvent(frame: frame, index: songSection)))
    }
    return frame
  }

  /// Where Stop left it, after the lead-in.
  @_noAllocation @_noLocks
  mutating func resume(firstBeat wanted: FrameIndex) -> FrameIndex {
    guard !isRunning else { return now }
    let frame = firstFrame(wanted: wanted)
    let origin = ScorePosition(pulses: resumePulse)
    var resumed = resumeBar
    resumed.seek(origin)
    let rest = resumeGlide
    resumeGlide = nil
    begin(at: origin, frame: frame, bar: resumed)
    if let ramp = rest, isGliding {
      plan.append(
        TempoSegment(origin: origin, originFrame: ExactFrame(frame), rate: rate, shape: ramp))
    }
    trainer?.start = ExactFrame(frame) - trainerElapsed
    timerOrigin = ExactFrame(frame) - timerElapsed
    outlet.announce(
      .continued(
        ContinueEvent(frame: frame, firstPulse: resumePulse, songPulse: songPulse(at: origin))))
    announceRun(at: frame)
    return frame
  }

  @_noAllocation @_noLocks
  private mutating func begin(at origin: ScorePosition, frame: FrameIndex, bar firstBar: BarCursor)
  {
    let bent = Int64(tempo.thousandths) &* Int64(bendThousandths) &+ 500
    plan.restart(
      TempoSegment(
        origin: origin, originFrame: ExactFrame(frame), rate: rate,
        shape: .constant(Tempo(unchecked: Int32(bent / 1000), unit: tempo.unit))))
    isRunning = true
    freeClockRuns = false
    phaseEndPulse = nil
    scheduledStop = nil
    stopTick = nil
    bar = firstBar
    history.clear()
    history.push(bar)
    firstPulse = origin.pulseCeiling
    nextPulse = firstPulse
    cursor = ScorePosition(ticks: origin.ticks &- 1)
    lastBeat = ScorePosition(ticks: Int64.min)
    lastBeatFrame = .distantPast
    resetSync()
  }

  /// The first pulse of a run: after the lead-in, and never a runt pulse after the free ones.
  @_noAllocation @_noLocks
  private mutating func firstFrame(wanted: FrameIndex) -> FrameIndex {
    var frame = now + leadIn
    if wanted > frame { frame = wanted }
    guard freeClockRuns else { return frame }
    // What is announced stays; at slow tempos it may be nearer than one interval.
    let nextFree = plan.frame(at: ScorePosition(pulses: nextPulse))
    if nextFree > frame, plan.frame(at: ScorePosition(pulses: nextPulse &- 1)) >= now {
      frame = nextFree
    }
    while true {
      let tick = ScorePosition(pulses: nextPulse)
      let after = plan.frame(at: ScorePosition(pulses: nextPulse &+ 1))
      // The last free pulse is the latest that lies at least one interval before the first.
      guard after <= frame else { return frame }
      outlet.announce(
        .pulse(
          PulseEvent(
            frame: plan.frame(at: tick), number: nextPulse, songPulse: nextPulse, flags: .free)))
      nextPulse &+= 1
    }
  }

  @_noAllocation @_noLocks
  private mutating func announceRun(at frame: FrameIndex) {
    outlet.announce(
      .meter(MeterEvent(frame: frame, meter: bar.meter, pattern: bar.pattern)))
    outlet.announce(
      .tempo(
        TempoEvent(
          frame: frame, tempo: tempo,
          quarterThousandths: plan.quarterThousandths(at: ScorePosition(pulses: nextPulse)),
          isGlide: isGliding)))
  }

  /// Acts at S: what is due before it is heard, what is due at or after it is void.
  @_noAllocation @_noLocks
  mutating func stop(isPanic: Bool) -> FrameIndex {
    if isPanic { voices.silence() }
    guard isRunning else {
      if isPanic {
        outlet.announce(
          .stopped(
            StopEvent(
              frame: now, nextPulse: resumePulse,
              songPulse: resumeSongPulse, isPanic: true)))
      }
      return now
    }
    let pulse = plan.firstPulse(
      notBefore: now, lookingBackFrom: nextPulse, floor: firstPulse)
    voices.cancel(from: isPanic ? now : now + audioOffset)
    settle(at: pulse, frame: now)
    outlet.announce(
      .stopped(
        StopEvent(frame: now, nextPulse: pulse, songPulse: resumeSongPulse, isPanic: isPanic)))
    return now
  }

  var resumeSongPulse: Int64 {
    @_noAllocation @_noLocks get {
      (resumeBar.songStart.ticks &+ ScorePosition(pulses: resumePulse).ticks
        &- resumeBar.start.ticks) / ScorePosition.ticksPerPulse
    }
  }

  /// Remembers where the run ended, taking back what was announced beyond that place.
  @_noAllocation @_noLocks
  mutating func settle(at pulse: Int64, frame: FrameIndex) {
    let tick = ScorePosition(pulses: pulse)
    isRunning = false
    scheduledStop = nil
    stopTick = nil
    resumePulse = pulse
    resumeBar = bar
    if let running = history.bar(at: tick) { resumeBar = running }
    if !hasScore, !pending.hasMeter, !isSameShape(resumeBar, bar) {
      // The bar line at which it changed is taken back: it waits for the next one.
      pending.meter = meter
      pending.pattern = pattern
    }
    let exact = ExactFrame(frame)
    timerElapsed = exact < timerOrigin ? ExactFrame(raw: 0) : exact - timerOrigin
    settleTrainer(at: tick, exact: exact)
    settleGlide(at: tick)
    settlePendingTempo(frame: frame)
    nextPulse = pulse
    cursor = ScorePosition(ticks: ScorePosition(pulses: pulse &- 1).ticks)
    freeClockRuns = wantsFreeClock
    freeClockEnd = .distantFuture
  }

  @_noAllocation @_noLocks
  private func isSameShape(_ first: BarCursor, _ second: BarCursor) -> Bool {
    first.meter.beatCount == second.meter.beatCount
      && first.meter.denominator == second.meter.denominator
      && first.meter.compound == second.meter.compound
  }

  @_noAllocation @_noLocks
  private mutating func settleTrainer(at tick: ScorePosition, exact: ExactFrame) {
    guard var walk = trainer, walk.isRunning else { return }
    trainerElapsed = exact < walk.start ? ExactFrame(raw: 0) : exact - walk.start
    if walk.levelTick.ticks >= tick.ticks, tick.ticks > walk.startTick.ticks, walk.level > 0 {
      walk.level &-= 1
      walk.levelTick = walk.startTick
      tempo = walk.trainer.tempo(level: walk.level)
    } else if tick.ticks <= walk.startTick.ticks {
      walk.isRunning = false
    }
    trainer = walk
  }

  @_noAllocation @_noLocks
  private mutating func settleGlide(at tick: ScorePosition) {
    resumeGlide = nil
    let segment = plan.segment(at: tick)
    if segment.isGlide, segment.origin.ticks < tick.ticks {
      resumeGlide = segment.rest(from: tick)
      if !isGliding {
        // Its end was announced and is taken back.
        glide = GlideRamp(unchecked: tempo, to: tempo, length: .bars(1))
      }
    } else if let ramp = glide {
      // It had not begun at the place where the run ended.
      pending.glideAtBeat = ramp
      glide = nil
      tempo = ramp.from
    }
  }

  @_noAllocation @_noLocks
  private mutating func settlePendingTempo(frame: FrameIndex) {
    var wish = pending.tempoAtBar
    if let sooner = pending.tempoAtBeat { wish = sooner }
    if let soonest = pending.tempoNow { wish = soonest }
    pending.tempoNow = nil
    pending.tempoAtBeat = nil
    pending.tempoAtBar = nil
    if let bend = pending.bendThousandths {
      bendThousandths = bend
      pending.bendThousandths = nil
    }
    guard let newTempo = wish else { return }
    tempo = newTempo
    outlet.announce(
      .tempo(
        TempoEvent(
          frame: frame, tempo: newTempo, quarterThousandths: newTempo.quarterThousandths,
          isGlide: false)))
  }

  @_noAllocation @_noLocks
  mutating func resetSync() {
    guard syncPerQuarter > 0 else { return }
    let step = ScorePosition.ticksPerQuarter / Int64(syncPerQuarter)
    let next = cursor.ticks &+ 1
    nextSync = next <= 0 ? 0 : (next &+ step &- 1) / step
  }
}
