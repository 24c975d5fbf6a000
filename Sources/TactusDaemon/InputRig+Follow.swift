internal import ALSASequencer
internal import Conductor
internal import MetronomeModel
internal import MusicalTime
internal import RealtimeEngine
internal import ThreadCrossing

/// Following another's MIDI clock.
extension InputRig {
  var isFollowing: Bool { input?.isFollowing ?? false }

  /// Begins or ends following, and connects the leader that was named.
  func follow(_ source: FollowSource) {
    input?.follow(source != .off)
    hasLeader = false
    if let address = syncAddress { control.midi?.follow(source, into: address) }
  }

  func follow(_ report: ClockFollower.Report) {
    switch report {
    case .tempo(let tempo):
      if !hasLeader {
        hasLeader = true
        self.follow(.found(tempo))
      }
      askedTempo = tempo
      control.submit(.tempo(tempo, unit: .quarter, when: .now))
    case .found(let tempo):
      control.say("following a MIDI clock of \(ThousandthsText.text(Int64(tempo * 1000)))")
    case .lost(let tempo):
      control.say(
        "the MIDI clock has stopped: holding \(ThousandthsText.text(Int64(tempo * 1000)))",
        isWarning: true)
    case .join(let songPulse, let instant):
      // The leader starts anew while we play: leave our own place first.
      if control.conductor.state.isRunning { control.submit(.stop) }
      if songPulse == 0 {
        control.submit(ControlCommand.start, heardAt: instant, due: instant)
      } else {
        locate(songPulse)
        control.submit(ControlCommand.continue, heardAt: instant, due: instant)
      }
    case .stop:
      control.submit(.stop)
    case .locate(let songPulse):
      locate(songPulse)
    }
  }

  /// The tempo in force is another: the leader's doing, or a person's.
  func tempoChanged(to tempo: Tempo) {
    guard isFollowing, tempo != Tempo(askedTempo, unit: .quarter) else { return }
    input?.tempoWasChanged()
  }

  private func locate(_ songPulse: Int64) {
    let meter = control.conductor.state.meter
    let beats = ScorePosition(pulses: songPulse).ticks / meter.beatLength.ticks
    let perBar = Int64(meter.beatCount)
    control.submit(
      .locate(bar: Int(clamping: beats / perBar + 1), beat: Int(beats % perBar + 1)))
  }

  /// Our own pulses and beats, to be compared with the leader's.
  func compare(_ event: EngineEvent) {
    guard isFollowing else { return }
    switch event {
    case .pulse(let pulse) where !pulse.flags.contains(.free):
      lastSongPulse = (pulse.songPulse, pulse.frame)
      compare(pulse.songPulse, at: pulse.frame, isBeat: false)
    case .beat(let beat):
      guard let last = lastSongPulse, last.frame == beat.frame else { return }
      compare(last.pulse, at: beat.frame, isBeat: true)
    default: break
    }
  }

  private func compare(_ songPulse: Int64, at frame: FrameIndex, isBeat: Bool) {
    let due = control.clock.load().time(of: frame)
    for report in input?.compare(songPulse: songPulse, due: due, isBeat: isBeat) ?? [] {
      if case .follow(let follow) = report { self.follow(follow) }
    }
  }
}
