internal import MusicalTime
internal import RealtimeEngine

/// What a port sends at Start, Continue, Stop and jumps, and to a receiver that has lost its place.
extension MIDIClockStream {
  mutating func begin(_ start: StartEvent) {
    isRolling = true
    lastFrame = nil
    if !settings.whileStopped { rowOfPulses = 0 }
    armed = .nothing
    guard settings.transport else { return }
    armed = .start(number: settings.startAtCountIn ? start.firstPulse : 0)
  }

  mutating func begin(
    _ resumption: ContinueEvent, _ clock: FrameClock, _ now: MonotonicTime
  ) {
    isRolling = true
    lastFrame = nil
    if !settings.whileStopped { rowOfPulses = 0 }
    armed = .nothing
    guard settings.transport else { return }
    if settings.continueAsStart {
      armed = .startAtBar(.subscribers)
    } else if resumption.firstPulse < 0 && !settings.startAtCountIn {
      // Stopped within the count-in, before FA: the song still has to start.
      armed = .start(number: 0)
    } else if settings.songPosition && resumption.songPulse >= 0 {
      armResume(
        from: resumption.songPulse, at: resumption.frame, .subscribers, clock, now)
    } else {
      armed = .resume(songPulse: resumption.songPulse, .subscribers)
    }
  }

  mutating func end(_ stop: StopEvent) {
    armed = .nothing
    isRolling = false
    if stop.isPanic {
      queue.removeAll()
      notes.silence()
    } else {
      queue.removeAll { $0.frame >= stop.frame }
      notes.void(from: stop.frame)
    }
    if !settings.whileStopped { rowOfPulses = 0 }
    guard settings.transport || receiversRoll else { return }
    put(
      .stop, anchor: stop.isPanic ? .immediate : .frame, frame: stop.frame, shift: shift)
  }

  /// F2 now and FB at the next MIDI beat that leaves the receiver its time to find the place.
  mutating func armResume(
    from songPulse: Int64, at frame: FrameIndex, _ destination: MIDIDestination,
    _ clock: FrameClock, _ now: MonotonicTime
  ) {
    // Six clock pulses are one MIDI beat.
    var beat = (max(songPulse, 0) + 5) / 6
    let queued = queue.last?.due(clock) ?? now
    let ready = max(now, queued).advanced(byNanoseconds: settings.songPositionWait)
    let interval = span(pulseFrames, clock)
    let first = clock.time(of: frame).advanced(byNanoseconds: shift &- settings.startLead)
    while interval > 0, beat <= MIDIMessage.lastSongPosition,
      first.advanced(byNanoseconds: (beat * 6 - songPulse) * interval) < ready
    {
      beat += 1
    }
    guard beat <= MIDIMessage.lastSongPosition else {
      tally.songPositionsOmitted += 1
      armed = .resume(songPulse: songPulse, destination)
      return
    }
    put(
      .songPosition(UInt16(beat)), to: destination, anchor: .immediate, frame: frame, shift: 0)
    armed = .resume(songPulse: beat * 6, destination)
  }

  /// Tells a receiver that has lost its place where the music is.
  mutating func inform(
    _ destination: MIDIDestination, _ clock: FrameClock, _ now: MonotonicTime
  ) {
    switch settings.reconnect {
    case .clockOnly: break
    case .songPosition where settings.songPosition:
      let next = (lastFrame ?? clock.frame(at: now)) + FrameCount(pulseFrames)
      armResume(from: lastSongPulse + 1, at: next, destination, clock, now)
    case .songPosition, .startAtBar: armed = .startAtBar(destination)
    }
  }

  mutating func reposition(
    _ jump: JumpEvent, _ clock: FrameClock, _ now: MonotonicTime
  ) {
    if case .resume(_, let destination) = armed {
      // The place that F2 named will not be passed: name the one after the jump.
      if settings.songPosition {
        armResume(from: jump.songPulse, at: jump.frame, destination, clock, now)
      } else {
        armed = .resume(songPulse: jump.songPulse, destination)
      }
      return
    }
    guard settings.repositionOnJump, settings.transport, settings.songPosition,
      case .nothing = armed, let lastFrame
    else { return }
    let beat = (max(jump.songPulse, 0) + 5) / 6
    guard beat <= MIDIMessage.lastSongPosition else {
      tally.songPositionsOmitted += 1
      return
    }
    // All within the last interval: FC after an eighth of it, F2 after a quarter, FB at its end.
    let interval = span((jump.frame - lastFrame).value, clock)
    put(.stop, frame: jump.frame, shift: shift &- interval / 8 * 7)
    put(
      .songPosition(UInt16(beat)), frame: jump.frame, shift: shift &- interval / 4 * 3)
    armed = .resume(songPulse: beat * 6, .subscribers)
  }

  mutating func learnInterval(_ tempo: TempoEvent, _ clock: FrameClock) {
    guard tempo.quarterThousandths > 0 else { return }
    // 60 s x 1000 thousandths / 24 pulses = 2500.
    pulseFrames = clock.framesPerSecond &* 2_500 / Int64(tempo.quarterThousandths)
  }
}
