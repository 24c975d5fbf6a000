internal import MetronomeModel
internal import MusicalTime

extension EngineCore {
  /// Takes one request at S and answers when it acts.
  @_noAllocation @_noLocks
  mutating func take(_ command: EngineCommand) {
    if command.action.isStop {
      if command.ordinal > stopOrdinal { stopOrdinal = command.ordinal }
      answerPutOffStart(.overtaken)
    }
    if command.action.isStart, isRunning, stopIsScheduled {
      // The music ends by itself before it can start again.
      answerPutOffStart(.alreadyRolling)
      putOffStart = command
      return
    }
    let answer = judge(command)
    guard command.identifier != 0 else { return }
    switch answer {
    case .acts(let frame):
      outlet.announce(.effective(EffectiveEvent(frame: frame, command: command.identifier)))
    case .willAct(let frame, let boundary, let isTempo):
      outlet.announce(.effective(EffectiveEvent(frame: frame, command: command.identifier)))
      answers.add(command.identifier, at: frame, boundary, isTempo: isTempo)
    case .refused(let reason):
      refuse(command.identifier, reason)
    }
  }

  /// A Start that waits for the end of the music does not come to it.
  @_noAllocation @_noLocks
  private mutating func answerPutOffStart(_ reason: RefusedEvent.Reason) {
    guard let command = putOffStart else { return }
    putOffStart = nil
    if command.identifier != 0 { refuse(command.identifier, reason) }
  }

  @_noAllocation @_noLocks
  mutating func refuse(_ identifier: UInt32, _ reason: RefusedEvent.Reason) {
    refusals &+= 1
    outlet.announce(.refused(RefusedEvent(frame: now, command: identifier, reason: reason)))
  }

  @_noAllocation @_noLocks
  private mutating func judge(_ command: EngineCommand) -> Answer {
    // One for later is not what the Stop was meant for.
    if command.action.isStart, command.ordinal < stopOrdinal,
      command.notBefore <= FrameIndex.distantPast
    {
      return .refused(.overtaken)
    }
    let kind = command.action.settingKind
    if kind >= 0, command.ordinal != EngineCore.landedOrdinal {
      if command.waitsForBar, isRunning { return wait(command, kind: kind) }
      dropWaiting(kind: kind)
    }
    return perform(command.action, command: command)
  }

  enum Answer {
    case acts(FrameIndex)
    /// At a boundary which another request may still move.
    case willAct(FrameIndex, LandingAnswers.Boundary, isTempo: Bool)
    case refused(RefusedEvent.Reason)
  }

  @_noAllocation @_noLocks
  mutating func perform(_ action: EngineCommand.Action, command: EngineCommand) -> Answer {
    switch action {
    case .start(let bars, let beatOne):
      return start(countInBars: bars, firstBeat: beatOne)
    case .stop: return stop(isPanic: false)
    case .panic: return stop(isPanic: true)
    case .resume: return resume(firstBeat: .distantPast)
    case .resumeAt(let frame): return resume(firstBeat: frame)
    case .locate(let songBar, let beat): return locate(bar: Int64(songBar), beat: Int64(beat))
    case .tempo(let newTempo, let boundary): return setTempo(newTempo, boundary)
    case .bend(let thousandths): return setBend(thousandths)
    case .phase(let tap): return setPhase(tap: tap)
    case .trainer(let newTrainer): return setTrainer(newTrainer)
    case .glide(let ramp, let boundary): return setGlide(ramp, boundary)
    case .cancelRamp: return cancelRamp()
    case .meter(let newMeter, let newPattern): return setMeter(newMeter, newPattern)
    case .pattern(let newPattern): return setMeter(nil, newPattern)
    case .subdivision(let new):
      subdivision = new
      return actsAtBarLine()
    case .layer(let count, let accent):
      layerCount = count
      layerAccent = accent
      return actsAtBarLine()
    case .barMuting(let new):
      muting = new
      return actsAtSongBarLine()
    case .countInMuted(let muted):
      isCountInMuted = muted
      return .acts(now)
    case .mute(let muted):
      isMuted = muted
      stage.setMute(muted)
      return .acts(now)
    case .audibleLevels(let mask):
      audibleLevels = mask
      return .acts(now)
    case .masterGain(let gain):
      stage.setGain(gain)
      return .acts(now)
    case .levelGain(let accent, let gain):
      setLevelGain(accent, gain)
      return .acts(now)
    case .sounds(let bank): return setSounds(bank)
    case .sync(let perQuarter):
      syncPerQuarter = perQuarter
      resetSync()
      return .acts(now)
    case .timer(let milliseconds, let stops): return setTimer(milliseconds, stops: stops)
    case .score(let newScore): return setScore(newScore)
    case .clearScore: return setScore(nil)
    case .jump(let section): return jump(to: section)
    case .freeClock(let wanted): return setFreeClock(wanted)
    case .announce(let newHorizon, let newCommit):
      horizon = newHorizon < newCommit ? newCommit : newHorizon
      commit = newCommit
      return .acts(now)
    case .leadIn(let frames):
      leadIn = frames
      return .acts(now)
    case .audioOffset(let frames):
      audioOffset = frames
      return .acts(now)
    }
  }

  /// Most changes of the bar act at the next bar line; while stopped, at once.
  @_noAllocation @_noLocks
  func actsAtBarLine() -> Answer {
    isRunning ? .willAct(expectedFrame(at: nextBarLine), .bar, isTempo: false) : .acts(now)
  }

  /// As before, where a count-in is not concerned.
  @_noAllocation @_noLocks
  func actsAtSongBarLine() -> Answer {
    isRunning
      ? .willAct(expectedFrame(at: nextSongBarLine), .songBar, isTempo: false) : .acts(now)
  }

  @_noAllocation @_noLocks
  private mutating func setMeter(_ newMeter: Meter?, _ newPattern: AccentPattern) -> Answer {
    if isRunning {
      if let changed = newMeter { pending.meter = changed }
      pending.pattern = newPattern
      return pending.hasMeter ? actsAtSongBarLine() : actsAtBarLine()
    }
    if let changed = newMeter { meter = changed }
    pattern = newPattern
    pending.meter = meter
    pending.pattern = newPattern
    outlet.announce(.meter(MeterEvent(frame: now, meter: meter, pattern: newPattern)))
    return .acts(now)
  }

  @_noAllocation @_noLocks
  private mutating func setLevelGain(_ accent: Accent, _ gain: Float) {
    switch accent {
    case .silent: levelGains.silent = gain
    case .soft: levelGains.soft = gain
    case .normal: levelGains.normal = gain
    case .strong: levelGains.strong = gain
    }
  }

  @_noAllocation @_noLocks
  private mutating func setSounds(_ bank: SoundBankReference) -> Answer {
    guard retire(bank: sounds.identifier) else {
      // Given back: nothing has used it.
      outlet.announce(.retiredSounds(bank.identifier))
      return .refused(.tooManySounds)
    }
    sounds = bank
    return .acts(now)
  }

  @_noAllocation @_noLocks
  private mutating func setTimer(_ milliseconds: Int64, stops: Bool) -> Answer {
    guard milliseconds > 0 else {
      timerFrames = nil
      return .acts(now)
    }
    timerFrames = ExactFrame(
      numerator: Int128(milliseconds) * Int128(rate), denominator: 1000)
    timerStops = stops
    timerElapsed = ExactFrame(raw: 0)
    if isRunning, !bar.isCountIn, lastBeat.ticks >= 0 {
      timerOrigin = ExactFrame(now)
    }
    return .acts(now)
  }

  @_noAllocation @_noLocks
  private mutating func setScore(_ newScore: ScoreReference?) -> Answer {
    if let waiting = pending.score { _ = retire(score: waiting.identifier) }
    pending.score = newScore
    pending.clearsScore = newScore == nil
    startSection = 0
    if !isRunning {
      takePendingScore()
      return .acts(now)
    }
    return actsAtBarLine()
  }

  @_noAllocation @_noLocks
  private mutating func jump(to section: Int32) -> Answer {
    guard let song = score, let sections = unsafe song.sections else { return .refused(.noScore) }
    guard section >= 0, section < song.sectionCount else { return .refused(.outOfRange) }
    if isRunning {
      pending.jump = section
      return .willAct(
        expectedFrame(at: bar.isCountIn ? .zero : bar.end), .songBar, isTempo: false)
    }
    let answer = locate(bar: Int64(unsafe sections[Int(section)].firstBar), beat: 0)
    startSection = section
    return answer
  }

  /// Where Continue resumes, while stopped; 0-based.
  @_noAllocation @_noLocks
  private mutating func locate(bar songBar: Int64, beat: Int64) -> Answer {
    guard !isRunning else { return .refused(.rolling) }
    guard songBar >= 0, songBar < 1_000_000, beat >= 0 else { return .refused(.outOfRange) }
    var target = BarCursor(
      start: .zero, songBar: songBar, songStart: .zero, meter: meter, pattern: pattern,
      subdivision: subdivision, layerCount: layerCount, layerAccent: layerAccent,
      isMuted: muting.mutes(bar: songBar), section: -1, barInSection: 0, gain: 1)
    if let song = score, let sections = unsafe song.sections {
      guard let index = sectionIndex(ofBar: songBar) else { return .refused(.outOfRange) }
      let section = unsafe sections[Int(index)]
      let barIndex = Int32(truncatingIfNeeded: songBar &- Int64(section.firstBar))
      apply(section, index: index, bar: barIndex, to: &target)
    } else {
      pending.meter = nil
      pending.pattern = nil
      target.songStart = ScorePosition(ticks: meter.barLength.ticks &* songBar)
    }
    guard beat < Int64(target.meter.beatCount) else { return .refused(.outOfRange) }
    target.start = target.songStart
    target.runIndex = songBar
    // A trainer counts the bars that were played, wherever in the song they are.
    if let walk = trainer {
      trainer?.startBar = walk.startBar &+ songBar &- resumeBar.runIndex
    }
    resumeBar = target
    resumePulse =
      ScorePosition(
        ticks: target.start.ticks &+ target.meter.beatLength.ticks &* beat
      ).pulseFloor
    startSection = 0
    placeBar = Int32(truncatingIfNeeded: songBar)
    placeBeat = UInt8(truncatingIfNeeded: beat)
    locateTempo(in: target, beat: beat)
    return .acts(now)
  }

  @_noAllocation @_noLocks
  private mutating func setFreeClock(_ wanted: Bool) -> Answer {
    wantsFreeClock = wanted
    guard !isRunning else { return .acts(now) }
    if !wanted {
      freeClockRuns = false
    } else if !freeClockRuns {
      let origin = now + commit
      restartPlan(
        at: .zero, frame: ExactFrame(origin), tempo: bent(resumeGlide?.tempo ?? tempo))
      nextPulse = 0
      firstFreePulse = 0
      cursor = ScorePosition(ticks: -1)
      freeClockRuns = true
      return .acts(origin)
    }
    return .acts(now)
  }

  // MARK: Retiring what other threads own

  /// - Returns: false where too many banks are still in use.
  @_noAllocation @_noLocks
  mutating func retire(bank identifier: Int32) -> Bool {
    guard identifier >= 0 else { return true }
    return retiringBanks.add(identifier)
  }

  @_noAllocation @_noLocks
  @discardableResult
  mutating func retire(score identifier: Int32) -> Bool {
    guard identifier >= 0 else { return true }
    outlet.announce(.retiredScore(identifier))
    return true
  }
}
