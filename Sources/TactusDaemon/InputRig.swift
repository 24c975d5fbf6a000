internal import ALSASequencer
internal import Conductor
internal import MetronomeModel
internal import MusicalTime
internal import BeatOutputs
internal import OSCProtocol
internal import OSCService
internal import OSCWire
internal import RealtimeEngine
internal import ScoreFormats
internal import ThreadCrossing

/// The daemon's inputs besides OSC: pedals, pads, key devices, and another's MIDI clock.
///
/// - Thread: control
final class InputRig {
  private let handle: SequencerHandle?
  private let input: MIDIInput?
  private let keys = KeyDevices()
  private var keyControl: MIDIControl
  private unowned let control: ControlThread
  /// Whether a leader was heard; from then on only its coming and going is told.
  private var hasLeader = false
  private var lastSongPulse: (pulse: Int64, frame: FrameIndex)?
  /// nil where its file cannot be read: it is left as it is.
  private var store: LearnedRulesStore?
  private var learnedRules: [MIDIMapping.Rule] = []

  /// Opens the input ports where there is a sequencer; key devices work without one.
  init(control: ControlThread, follows: Bool, learned: LearnedRulesStore) {
    self.control = control
    store = learned
    keyControl = MIDIControl(read: CommandText.command)
    guard let midi = control.midi else {
      handle = nil
      input = nil
      restore()
      return
    }
    var opened: (handle: SequencerHandle, input: MIDIInput)?
    do throws(SequencerError) {
      // A client of its own: reading must not share a handle with the thread that sends.
      let own = try SequencerHandle(name: "Tactus Input")
      let ports = try MIDIInput(
        handle: own, stamped: follows, read: CommandText.command,
        ownCounters: {
          midi.output.portNames.compactMap { name in
            midi.output.counters(of: name).map { (name, $0) }
          }
        })
      ports.follow(follows)
      opened = (own, ports)
    } catch {
      control.say("no MIDI input: \(error)", isWarning: true)
    }
    handle = opened?.handle
    input = opened?.input
    if let input, let own = handle {
      midi.watch(
        input: "Control", at: SequencerAddress(client: own.client, port: input.controlPort))
      midi.watch(input: "Sync", at: SequencerAddress(client: own.client, port: input.syncPort))
    }
    restore()
  }

  /// What was learned before the last end.
  private func restore() {
    do throws(StoreError) {
      learnedRules = try store?.load() ?? []
    } catch {
      control.say("\(error); what is learned is not kept until that is mended", isWarning: true)
      store = nil
    }
    if !learnedRules.isEmpty { use(MIDIMapping()) }
  }

  private func keep(_ rule: MIDIMapping.Rule) {
    learnedRules.removeAll { $0.trigger == rule.trigger }
    // The oldest gives way where there are as many as a table may have.
    if learnedRules.count >= MIDIMapping.mostRules { learnedRules.removeFirst() }
    learnedRules.append(rule)
    do throws(StoreError) { try store?.save(learnedRules) } catch {
      control.say("what was learned is not kept: \(error)", isWarning: true)
    }
  }

  var isFollowing: Bool { input?.isFollowing ?? false }

  var descriptors: [Int32] { [keys.descriptor] + (input.map { [$0.descriptor] } ?? []) }

  /// Takes the mapping of a preset in place of the one in force; what was learned stands above it.
  func use(_ preset: MIDIMapping) {
    let mapping = preset.with(learnedRules)
    do throws(MIDIMappingError) {
      try input?.control.use(mapping)
      try keyControl.use(mapping)
      keys.want(mapping)
    } catch {
      control.say("mapping: \(error)", isWarning: true)
    }
  }

  /// Binds the next gesture to a command.
  func learn(_ action: MIDIAction) throws(MIDIMappingError) {
    try input?.control.learn(action)
    try keyControl.learn(action)
    keys.want(keyControl.mapping, learning: true)
  }

  func service(now: MonotonicTime) {
    if let input {
      for report in input.service(now: now) { take(report, now) }
    }
    for stroke in keys.service() {
      let outcomes =
        keyControl.take(stroke.gesture, at: stroke.time, series: stroke.series)
        + keyControl.endTurn()
      for outcome in outcomes {
        switch outcome {
        case .command(let command): control.submit(command, heardAt: stroke.time)
        case .learned(let rule): learned(rule)
        }
      }
    }
  }

  private func learned(_ rule: MIDIMapping.Rule) {
    input?.control.cancelLearning()
    keyControl.cancelLearning()
    keys.want(keyControl.mapping)
    keep(rule)
    control.say("learned: '\(rule.trigger.text)' is now '\(rule.action.text)'")
    control.gateway?.server.announce(
      OSCMessage("/tactus/midi/learned", .string(rule.trigger.text), .string(rule.action.text)))
  }

  private func take(_ report: MIDIInput.Report, _ now: MonotonicTime) {
    switch report {
    case .command(let command): control.submit(command, heardAt: now)
    case .learned(let rule): learned(rule)
    case .follow(let report): follow(report)
    case .echo, .storm, .overrun:
      if let text = report.text { control.say(text, isWarning: true) }
    }
  }

  // MARK: Following

  private func follow(_ report: ClockFollower.Report) {
    switch report {
    case .tempo(let tempo):
      if !hasLeader {
        hasLeader = true
        self.follow(.found(tempo))
      }
      control.submit(.tempo(tempo, unit: .quarter, when: .now))
    case .found(let tempo):
      control.say("following a MIDI clock of \(ThousandthsText.text(Int64(tempo * 1000)))")
    case .lost(let tempo):
      control.say(
        "the MIDI clock has ceased: holding \(ThousandthsText.text(Int64(tempo * 1000)))",
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

  private func locate(_ songPulse: Int64) {
    let meter = control.conductor.state.meter
    let beats = ScorePosition(pulses: songPulse).ticks / meter.beatLength.ticks
    let perBar = Int64(meter.beatCount)
    control.submit(
      .locate(bar: Int(clamping: beats / perBar + 1), beat: Int(beats % perBar + 1)))
  }

  /// Our own pulses and beats, to be compared with the leader's.
  func compare(_ event: EngineEvent) {
    guard let input, input.isFollowing else { return }
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

  func stop() { handle?.close() }
}
