internal import MetronomeModel
internal import MusicalTime

extension EngineCore {
  /// Announces every fact whose time to be announced has come when `end` frames are rendered.
  ///
  /// A fact is announced when rendering comes within the horizon of its frame, but not before it
  /// has come within the commit span of the beat before it: until then a change may still land on
  /// that beat.
  @_noAllocation @_noLocks
  mutating func announce(asOf end: FrameIndex) {
    if isRunning { announceScore(asOf: end) }
    // Beyond an end that is announced the free pulses run on.
    if isRunning ? stopIsScheduled && wantsFreeClock : freeClockRuns {
      announceFreePulses(asOf: end)
    }
  }

  @_noAllocation @_noLocks
  private mutating func announceFreePulses(asOf end: FrameIndex) {
    let limit = end + horizon
    while true {
      let tick = ScorePosition(pulses: nextPulse)
      let point = plan.exactFrame(at: tick)
      guard point.nearest <= limit else { return }
      outlet.announce(
        .pulse(PulseEvent(at: point, number: nextPulse, songPulse: nextPulse, flags: .free)))
      cursor = tick
      nextPulse &+= 1
    }
  }

  @_noAllocation @_noLocks
  private mutating func announceScore(asOf end: FrameIndex) {
    let limit = end + horizon
    while !stopIsScheduled {
      let pulseTick = ScorePosition(pulses: nextPulse)
      let clickTick = bar.nextClick
      let layerTick = bar.nextLayerClick
      let syncTick = nextSyncTick
      var tick = pulseTick.ticks < clickTick.ticks ? pulseTick : clickTick
      if layerTick.ticks < tick.ticks { tick = layerTick }
      if syncTick.ticks < tick.ticks { tick = syncTick }

      // The frame is asked for only once the beat before is committed; it cannot move after that.
      // At exactly the commit span before the beat a change can still land on it.
      guard end + commit > lastBeatFrame else { return }
      if let next = plan.successor, tick.ticks >= next.origin.ticks { enterSuccessor(next) }
      let frame = plan.frame(at: tick)
      guard frame <= limit else { return }

      if tick.ticks == bar.end.ticks {
        crossBarLine(at: tick)
        if stopIsScheduled { return }
      } else if bar.nextSub == 0, tick.ticks == clickTick.ticks {
        crossBeat(at: tick)
      }
      if tick.ticks == pulseTick.ticks { crossPulse(at: tick) }
      announcePlace(tick, isClick: tick.ticks == bar.nextClick.ticks)
      cursor = tick
    }
  }

  /// Emits all facts at one place: pulse, beat, click, layer, sync.
  @_noAllocation @_noLocks
  private mutating func announcePlace(_ tick: ScorePosition, isClick: Bool) {
    // A tempo may have landed here, but the place itself keeps its instant.
    let point = plan.exactFrame(at: tick)
    let frame = point.nearest
    if tick.ticks == ScorePosition(pulses: nextPulse).ticks {
      var flags = PulseEvent.Flags(rawValue: 0)
      if bar.isCountIn {
        flags = PulseEvent.Flags(rawValue: PulseEvent.Flags.countIn.rawValue)
      }
      if tick.ticks == bar.start.ticks {
        flags = PulseEvent.Flags(
          rawValue: flags.rawValue | PulseEvent.Flags.barLine.rawValue)
      }
      outlet.announce(
        .pulse(
          PulseEvent(
            at: point, number: nextPulse, songPulse: songPulse(at: tick), flags: flags)))
      nextPulse &+= 1
    }
    let bpm = plan.quarterThousandths(at: tick)
    if isClick {
      announceClick(tick, frame: frame, quarterThousandths: bpm)
      bar.passClick()
    }
    if tick.ticks == bar.nextLayerClick.ticks {
      announceLayerClick(frame: frame, quarterThousandths: bpm)
      bar.nextLayer &+= 1
    }
    if tick.ticks == nextSyncTick.ticks {
      scheduleSound(.sync, frame: frame, gain: 1, levelBit: 0, isSync: true)
      nextSync &+= 1
    }
  }

  @_noAllocation @_noLocks
  private mutating func announceClick(
    _ tick: ScorePosition, frame: FrameIndex, quarterThousandths: Int32
  ) {
    let isBeat = bar.nextSub == 0
    var flags = BeatFlags(rawValue: 0)
    if bar.isMuted { flags = BeatFlags(rawValue: flags.rawValue | BeatFlags.mutedBar.rawValue) }
    if isMuted { flags = BeatFlags(rawValue: flags.rawValue | BeatFlags.mute.rawValue) }
    if bar.isCountIn { flags = BeatFlags(rawValue: flags.rawValue | BeatFlags.countIn.rawValue) }
    let accent = isBeat ? accentOfBeat : bar.subdivision.level
    let barNumber = Int32(truncatingIfNeeded: bar.songBar)
    let beat = UInt8(truncatingIfNeeded: bar.nextBeat)
    if isBeat {
      lastBeat = tick
      lastBeatFrame = frame
      placeBar = barNumber
      placeBeat = beat
      self.quarterThousandths = quarterThousandths
      outlet.announce(
        .beat(
          BeatEvent(
            frame: frame, bar: barNumber, beat: beat, beatCount: bar.meter.beatCount,
            accent: accent, flags: flags, quarterThousandths: quarterThousandths)))
    }
    outlet.announce(
      .click(
        ClickEvent(
          frame: frame, place: tick, bar: barNumber, beat: beat,
          sub: UInt8(truncatingIfNeeded: bar.nextSub), source: isBeat ? .beat : .subdivision,
          accent: accent, flags: flags, quarterThousandths: quarterThousandths)))
    guard !bar.isMuted, !(bar.isCountIn && isCountInMuted) else { return }
    let slot: SoundSlot
    if bar.isCountIn {
      slot = bar.nextBeat == 0 ? .countInAccent : .countIn
    } else if !isBeat {
      slot = .subdivision
    } else {
      switch accent {
      case .strong: slot = .strong
      case .normal: slot = .normal
      case .soft, .silent: slot = .soft
      }
    }
    guard accent.rawValue != 0 else { return }
    scheduleSound(
      slot, frame: frame, gain: gain(of: accent) * bar.gain, levelBit: 1 << accent.rawValue,
      isSync: false)
  }

  /// A count-in counts every beat of the bar: strong on one, silent ones as normal.
  private var accentOfBeat: Accent {
    @_noAllocation @_noLocks get {
      let written = bar.pattern.accent(at: bar.nextBeat)
      guard bar.isCountIn else { return written }
      if bar.nextBeat == 0 { return .strong }
      return written.rawValue == 0 ? .normal : written
    }
  }

  @_noAllocation @_noLocks
  private mutating func announceLayerClick(frame: FrameIndex, quarterThousandths: Int32) {
    var flags = BeatFlags(rawValue: 0)
    if bar.isMuted { flags = BeatFlags(rawValue: flags.rawValue | BeatFlags.mutedBar.rawValue) }
    if isMuted { flags = BeatFlags(rawValue: flags.rawValue | BeatFlags.mute.rawValue) }
    outlet.announce(
      .click(
        ClickEvent(
          frame: frame, place: bar.nextLayerClick, bar: Int32(truncatingIfNeeded: bar.songBar),
          beat: 0, sub: UInt8(truncatingIfNeeded: bar.nextLayer), source: .layer,
          accent: bar.layerAccent,
          flags: flags, quarterThousandths: quarterThousandths)))
    guard !bar.isMuted, bar.layerAccent.rawValue != 0 else { return }
    scheduleSound(
      .layer, frame: frame, gain: gain(of: bar.layerAccent) * bar.gain,
      levelBit: 1 << bar.layerAccent.rawValue, isSync: false)
  }

  @_noAllocation @_noLocks
  mutating func scheduleSound(
    _ slot: SoundSlot, frame: FrameIndex, gain: Float, levelBit: UInt8, isSync: Bool
  ) {
    guard let slots = unsafe sounds.slots else { return }
    var sound = unsafe slots[slot.index]
    // A beat's own sound (a spoken count) takes the place of its level's.
    let isBeatSound = slot.index <= SoundSlot.soft.index
    if isBeatSound, let beats = unsafe sounds.beats, bar.nextBeat < Int(sounds.beatCount),
      bar.nextSub == 0
    {
      let own = unsafe beats[bar.nextBeat]
      if unsafe own.samples != nil { sound = own }
    }
    voices.schedule(
      ScheduledClick(
        frame: frame + audioOffset, due: frame, sound: sound, gain: gain, levelBit: levelBit,
        isSync: isSync, bank: sounds.identifier))
  }

  @_noAllocation @_noLocks
  private func gain(of accent: Accent) -> Float {
    switch accent {
    case .silent: levelGains.silent
    case .soft: levelGains.soft
    case .normal: levelGains.normal
    case .strong: levelGains.strong
    }
  }

  /// The song's pulse at a place of the run inside the current bar.
  @_noAllocation @_noLocks
  func songPulse(at tick: ScorePosition) -> Int64 {
    (bar.songStart.ticks &+ tick.ticks &- bar.start.ticks) / ScorePosition.ticksPerPulse
  }

  private var nextSyncTick: ScorePosition {
    @_noAllocation @_noLocks get {
      guard syncPerQuarter > 0, nextSync >= 0 else {
        return ScorePosition(ticks: Int64.max)
      }
      return ScorePosition(
        ticks: nextSync &* (ScorePosition.ticksPerQuarter / Int64(syncPerQuarter)))
    }
  }
}
