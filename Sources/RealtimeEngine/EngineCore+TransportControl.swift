internal import MetronomeModel
internal import MusicalTime

extension EngineCore {
  /// From bar 1, with `countInBars` bars before it; the first beat heard is due at `wanted` or as
  /// soon as the lead-in allows.
  @_noAllocation @_noLocks
  mutating func start(countInBars: Int32, firstBeat wanted: FrameIndex) -> Answer {
    guard !isRunning else { return .refused(.alreadyRolling) }
    takePendingScore()
    pending.jump = nil
    pending.meter = nil
    pending.pattern = nil
    restartPausedGlide()
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
    let free = plan.newest
    let frame = firstFrame(wanted: wanted)
    keepFreeLine(free)
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
    return .acts(frame)
  }

  /// Start begins a glide anew, with the first beat; a song has its own.
  @_noAllocation @_noLocks
  private mutating func restartPausedGlide() {
    resumeGlide = nil
    guard let paused = glide else { return }
    glide = nil
    if !glideIsScore { pending.glideAtBar = paused }
  }

  /// Where Stop left it, at a wanted frame or as soon as the lead-in allows.
  @_noAllocation @_noLocks
  mutating func resume(firstBeat wanted: FrameIndex) -> Answer {
    guard !isRunning else { return .refused(.alreadyRolling) }
    let free = plan.newest
    let frame = firstFrame(wanted: wanted)
    keepFreeLine(free)
    let origin = ScorePosition(pulses: resumePulse)
    var resumed = resumeBar
    resumed.seek(origin)
    begin(at: origin, frame: frame, bar: resumed)
    if let paused = resumeGlide {
      resumeGlide = nil
      var stretch = PlannedTempo(
        paused.segment(resumedAt: origin, frame: frame, rate: rate), tempo: tempo,
        cause: .glideRequest, level: trainerLevel)
      stretch.glide = glide
      plan.restart(stretch)
    }
    if var walk = trainer, walk.isRunning {
      walk.start = ExactFrame(frame) - trainerElapsed
      // What was played before this place is not taken back any more.
      walk.startTick = ScorePosition(ticks: Int64.min)
      trainer = walk
    }
    timerOrigin = ExactFrame(frame) - timerElapsed
    outlet.announce(
      .continued(
        ContinueEvent(frame: frame, firstPulse: resumePulse, songPulse: songPulse(at: origin))))
    announceRun(at: frame)
    return .acts(frame)
  }

  @_noAllocation @_noLocks
  private mutating func begin(at origin: ScorePosition, frame: FrameIndex, bar firstBar: BarCursor)
  {
    restartPlan(at: origin, frame: ExactFrame(frame), tempo: bent(tempo))
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

  @_noAllocation @_noLocks
  mutating func restartPlan(at origin: ScorePosition, frame: ExactFrame, tempo steady: Tempo) {
    plan.restart(
      PlannedTempo(
        TempoSegment(origin: origin, originFrame: frame, rate: rate, shape: .constant(steady)),
        tempo: tempo, cause: .request, level: trainerLevel))
  }

  @_noAllocation @_noLocks
  private mutating func keepFreeLine(_ line: PlannedTempo) {
    freeBeforeRun = nil
    if freeClockRuns { freeBeforeRun = (line, nextPulse) }
  }

  /// The first pulse of a run: after the lead-in, and never a runt pulse after the free ones.
  @_noAllocation @_noLocks
  private mutating func firstFrame(wanted: FrameIndex) -> FrameIndex {
    var frame = now + leadIn
    if wanted > frame { frame = wanted }
    guard freeClockRuns else { return frame }
    // What is announced stays: at slow tempos beat one waits until one interval after it.
    let nextFree = plan.frame(at: ScorePosition(pulses: nextPulse))
    if nextFree > frame, nextPulse > firstFreePulse { frame = nextFree }
    while true {
      let tick = ScorePosition(pulses: nextPulse)
      let after = plan.frame(at: ScorePosition(pulses: nextPulse &+ 1))
      // The last free pulse is the latest that lies at least one interval before the first.
      guard after <= frame else { return frame }
      outlet.announce(
        .pulse(
          PulseEvent(
            at: plan.exactFrame(at: tick), number: nextPulse, songPulse: nextPulse, flags: .free)))
      nextPulse &+= 1
    }
  }

  @_noAllocation @_noLocks
  private mutating func announceRun(at frame: FrameIndex) {
    placeBar = Int32(truncatingIfNeeded: bar.songBar)
    placeBeat = UInt8(truncatingIfNeeded: bar.nextSub == 0 ? bar.nextBeat : bar.nextBeat &+ 1)
    outlet.announce(
      .meter(MeterEvent(frame: frame, meter: bar.meter, pattern: bar.pattern)))
    announceTempo(
      TempoEvent(
        frame: frame, tempo: tempo,
        quarterThousandths: plan.quarterThousandths(at: ScorePosition(pulses: nextPulse)),
        isGlide: isGliding))
  }

  /// Acts at S: what is due before it is heard, what is due at or after it is void.
  @_noAllocation @_noLocks
  mutating func stop(isPanic: Bool) -> Answer {
    if isPanic { voices.silence() }
    guard isRunning else {
      guard isPanic else { return .refused(.alreadyStopped) }
      outlet.announce(
        .stopped(
          StopEvent(
            frame: now, nextPulse: resumePulse, songPulse: resumeSongPulse, isPanic: true)))
      return .acts(now)
    }
    let pulse = plan.firstPulse(
      notBefore: now, lookingBackFrom: nextPulse, floor: firstPulse)
    voices.cancel(from: now)
    settle(at: pulse, frame: now)
    outlet.announce(
      .stopped(
        StopEvent(frame: now, nextPulse: pulse, songPulse: resumeSongPulse, isPanic: isPanic)))
    return .acts(now)
  }

  var resumeSongPulse: Int64 {
    @_noAllocation @_noLocks get {
      (resumeBar.songStart.ticks &+ ScorePosition(pulses: resumePulse).ticks
        &- resumeBar.start.ticks) / ScorePosition.ticksPerPulse
    }
  }

  @_noAllocation @_noLocks
  mutating func resetSync() {
    guard syncPerQuarter > 0 else { return }
    let step = ScorePosition.ticksPerQuarter / Int64(syncPerQuarter)
    let next = cursor.ticks &+ 1
    nextSync = next <= 0 ? 0 : (next &+ step &- 1) / step
  }
}
