internal import MetronomeModel
internal import MusicalTime

extension EngineCore {
  /// Everything that may change at a bar line, in the order in which it must: what ends, what the
  /// score says, what a person asked for, and last the tempo.
  @_noAllocation @_noLocks
  mutating func crossBarLine(at tick: ScorePosition) {
    let exact = plan.exactFrame(at: tick)
    let frame = exact.nearest
    if timerIsOver(at: exact) {
      timerFrames = nil
      outlet.announce(.timer(TimerEvent(frame: frame)))
      scheduleSound(.timerEnd, frame: frame, gain: 1, levelBit: 0, isSync: false)
      if timerStops { return scheduleStop(at: tick, frame: frame) }
    }
    if trainerStops(at: exact, bar: bar.runIndex &+ 1) {
      finishTrainer(at: frame)
      return scheduleStop(at: tick, frame: frame)
    }
    guard advanceBar(at: tick, frame: frame) else { return scheduleStop(at: tick, frame: frame) }
    landWaiting(at: exact)
    crossTempoBoundary(at: tick, exact: exact, isBarLine: true)
    history.push(bar)
  }

  /// What may change at a beat inside a bar.
  @_noAllocation @_noLocks
  mutating func crossBeat(at tick: ScorePosition) {
    // The first bar of a run is entered here, since no bar line is crossed into it.
    let isBarLine = tick.ticks == bar.start.ticks
    let exact = plan.exactFrame(at: tick)
    if isBarLine {
      refreshFirstBar(frame: exact.nearest)
      landWaiting(at: exact)
    }
    crossTempoBoundary(at: tick, exact: exact, isBarLine: isBarLine)
  }

  /// The first bar of a run takes in what was asked for since Start or Continue.
  @_noAllocation @_noLocks
  private mutating func refreshFirstBar(frame: FrameIndex) {
    let old = bar
    let hasWaitingScore = pending.clearsScore || pending.hasScore
    takePendingScore()
    var first = bar
    if !first.isCountIn {
      if hasWaitingScore, let song = score, let sections = unsafe song.sections,
        startSection < song.sectionCount
      {
        unsafe apply(sections[Int(startSection)], index: startSection, bar: 0, to: &first)
        outlet.announce(.section(SectionEvent(frame: frame, index: startSection)))
      }
      first.isMuted = muting.mutes(bar: first.songBar)
    }
    takePendingMeter(&first)
    first.subdivision = subdivision
    first.layerCount = layerCount
    first.layerAccent = layerAccent
    bar = first
    announceMeterIfOther(than: old, frame: frame)
    history.push(bar)
  }

  /// What was asked for of the meter and pattern; a count-in keeps its meter, since the place of
  /// bar 1 is known already.
  @_noAllocation @_noLocks
  private mutating func takePendingMeter(_ next: inout BarCursor) {
    next.landedMeter = nil
    next.landedPattern = nil
    if next.isCountIn, pending.hasMeter { return }
    if let newMeter = pending.meter {
      next.meter = newMeter
      next.landedMeter = newMeter
      next.keepsMeter = true
      meter = newMeter
    }
    if let newPattern = pending.pattern {
      next.pattern = newPattern
      next.landedPattern = newPattern
      next.keepsPattern = true
      pattern = newPattern
    }
    pending.meter = nil
    pending.pattern = nil
  }

  @_noAllocation @_noLocks
  private func announceMeterIfOther(than old: BarCursor, frame: FrameIndex) {
    if isSame(bar.meter, old.meter), isSame(bar.pattern, old.pattern) { return }
    outlet.announce(
      .meter(MeterEvent(frame: frame, meter: bar.meter, pattern: bar.pattern)))
  }

  /// Makes `bar` the one that starts at `tick`.
  ///
  /// - Returns: false where the score is over.
  @_noAllocation @_noLocks
  private mutating func advanceBar(at tick: ScorePosition, frame: FrameIndex) -> Bool {
    let old = bar
    var next = old
    next.start = tick
    next.runIndex = old.runIndex &+ 1
    next.songBar = old.songBar &+ 1
    next.songStart = old.songStart + old.meter.barLength
    next.barInSection = old.barInSection &+ 1
    next.landedJump = nil
    if old.songBar == -1 {
      // The count-in is over: bar 1 lies where the song begins.
      next.songStart = .zero
      next.barInSection = 0
      timerOrigin = plan.exactFrame(at: tick)
    }

    takePendingScore()
    if hasScore {
      guard enterSection(&next, from: old, frame: frame) else { return false }
    } else {
      next.section = -1
      next.gain = 1
    }
    takePendingMeter(&next)
    next.subdivision = subdivision
    next.layerCount = layerCount
    next.layerAccent = layerAccent
    next.isMuted = muting.mutes(bar: next.songBar)
    next.nextBeat = 0
    next.nextSub = 0
    next.nextLayer = 0
    bar = next
    announceMeterIfOther(than: old, frame: frame)
    let straight = old.songStart.ticks &+ old.meter.barLength.ticks
    if next.songStart.ticks != straight, old.songBar != -1 {
      outlet.announce(
        .jumped(
          JumpEvent(
            frame: frame, number: tick.pulseFloor,
            songPulse: next.songStart.ticks / ScorePosition.ticksPerPulse)))
    }
    return true
  }

  @_noAllocation @_noLocks
  private func isSame(_ first: Meter, _ second: Meter) -> Bool {
    first.beatCount == second.beatCount && first.denominator == second.denominator
      && first.compound == second.compound && first.groupStarts == second.groupStarts
  }

  @_noAllocation @_noLocks
  private func isSame(_ first: AccentPattern, _ second: AccentPattern) -> Bool {
    first.isSame(as: second)
  }

  @_noAllocation @_noLocks
  private func timerIsOver(at exact: ExactFrame) -> Bool {
    guard let length = timerFrames, !bar.isCountIn else { return false }
    let slack = ExactFrame(raw: Int128(1) << 24)
    return length <= exact - timerOrigin + slack
  }

  /// The transport will stop at a place that lies ahead; nothing after it is announced.
  @_noAllocation @_noLocks
  private mutating func scheduleStop(at tick: ScorePosition, frame: FrameIndex) {
    stopTick = tick
    scheduledStop = frame
    let pulse = tick.pulseFloor
    outlet.announce(
      .stopped(
        StopEvent(
          frame: frame, nextPulse: pulse, songPulse: songPulse(at: tick), isPanic: false,
          isScheduled: true)))
  }

  /// The scheduled stop's frame has been rendered.
  @_noAllocation @_noLocks
  mutating func settleScheduledStop() {
    guard let tick = stopTick else { return }
    scheduledStop = nil
    stopTick = nil
    settle(at: tick.pulseFloor, frame: plan.frame(at: tick), isScheduled: true)
  }
}
