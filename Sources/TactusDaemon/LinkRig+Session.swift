internal import Conductor
internal import LinkSession
internal import MetronomeModel
internal import MusicalTime
internal import RealtimeEngine
internal import RealtimeHost
internal import ThreadCrossing

/// What the session and our own music mean to each other; `LinkPolicy` decides, here it is done.
extension LinkRig {
  func take(_ report: LinkReport, _ now: MonotonicTime) {
    switch report {
    case .session(let view): perform(policy.take(view, own, now: now))
    case .putBack(let other): perform(policy.putBack(other))
    }
  }

  /// A fact of the engine.
  func take(_ event: EngineEvent, now: MonotonicTime) {
    switch event {
    case .meter(let change): meter = change.meter
    case .beat(let beat) where isOn && !isJumping: take(beat, now)
    case .started(let start) where isOn:
      isJumping = false
      perform(policy.playing(true, at: control.heard(start.frame)))
    case .continued(let resumed) where isOn:
      if !isJumping { perform(policy.playing(true, at: control.heard(resumed.frame))) }
      isJumping = false
    case .stopped(let stop) where isOn:
      send(.cancel)
      if !isJumping { perform(policy.playing(false, at: control.heard(stop.frame))) }
    default: break
    }
  }

  private func take(_ beat: BeatEvent, _ now: MonotonicTime) {
    let length = quantum
    let quarters = Double(ScorePosition.ticksPerQuarter)
    let beatLength = Double(meter.beatLength.ticks) / quarters
    let barLength = Double(meter.barLength.ticks) / quarters
    // From bar 1 on; a count-in lies before it.
    let place = Double(beat.bar) * barLength + Double(beat.beat) * beatLength
    var phase = place - (place / length).rounded(.down) * length
    // What differs by less than a millionth of a quarter is the end of one quantum and the next.
    if length - phase < 1e-6 { phase = 0 }
    let announced = OwnBeat(
      due: control.heard(beat.frame), phase: phase, quantum: length,
      quarterThousandths: beat.quarterThousandths,
      isBarLine: beat.beat == 0 && beat.bar >= 0)
    leaveAtBar = Int(beat.bar) + 1
    perform(policy.take(announced, own, drift: drift, now: now))
  }

  /// The share by which the card is fast; none without a card, whose clock is the machine's own.
  private var drift: Double { control.clock.load().driftPPM * 1e-6 }

  /// The tempo in force is another one.
  func tempoChanged() {
    guard isOn else { return }
    perform(policy.tempoChanged(own, now: MonotonicClock.now()))
  }

  private func perform(_ actions: [LinkPolicy.Action]) {
    for action in actions {
      switch action {
      case .order(let order): send(order)
      case .tempo(let tempo): control.submit(.sessionTempo(tempo))
      case .jump(let instant): jump(to: instant)
      case .start:
        if !control.conductor.state.isRunning { control.submit(ControlCommand.start) }
      case .stop:
        if control.conductor.state.isRunning { control.submit(.stop) }
      case .note(let note): control.say(note.description, isWarning: note.isWarning)
      }
    }
  }

  /// The bar that was about to begin begins with the session's: what was announced of it is void.
  private func jump(to instant: MonotonicTime) {
    isJumping = true
    let due = instant.advanced(byNanoseconds: -control.heardLaterNanoseconds)
    control.submit(.stop)
    control.submit(.locate(bar: leaveAtBar, beat: 1))
    control.submit(ControlCommand.continue, heardAt: MonotonicClock.now(), due: due)
  }
}
