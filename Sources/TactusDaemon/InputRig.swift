internal import ALSASequencer
internal import Conductor
internal import MetronomeModel
internal import MusicalTime
internal import OSCService
internal import OSCWire
internal import RealtimeEngine
internal import RealtimeHost
internal import ScoreFormats
internal import ThreadCrossing

/// The daemon's inputs besides OSC: pedals, pads, key devices, and another's MIDI clock.
///
/// - Thread: control
final class InputRig {
  private let handle: SequencerHandle?
  let input: MIDIInput?
  let keys = KeyDevices()
  private var keyControl: MIDIControl
  unowned let control: ControlThread
  /// Whether a leader was heard; from then on only its coming and going is told.
  var hasLeader = false
  /// What following has asked for last.
  var askedTempo = 0.0
  var lastSongPulse: (pulse: Int64, frame: FrameIndex)?
  /// The mapping of the preset in force, below what was learned.
  private var preset = MIDIMapping()
  /// nil where its file cannot be read: it is left as it is.
  private var store: LearnedRulesStore?
  private var learnedRules: [MIDIMapping.Rule] = []
  private var session = LearnSession()
  private var isRestored = false

  /// Opens the input ports where there is a sequencer; key devices work without one.
  init(control: ControlThread, follows source: FollowSource, learned: LearnedRulesStore) {
    self.control = control
    store = learned
    keyControl = MIDIControl(read: CommandText.command)
    var opened: (handle: SequencerHandle, input: MIDIInput)?
    if let midi = control.midi {
      do throws(SequencerError) {
        // A client of its own: reading must not share a handle with the thread that sends.
        let own = try SequencerHandle(name: "Tactus Input")
        let ports = try MIDIInput(
          handle: own, read: CommandText.command,
          ownCounters: {
            midi.output.portNames.compactMap { name in
              midi.output.counters(of: name).map { (name, $0) }
            }
          })
        opened = (own, ports)
      } catch {
        control.say("no MIDI input: \(error)", isWarning: true)
      }
    }
    handle = opened?.handle
    input = opened?.input
    if let input, let own = handle, let midi = control.midi {
      midi.watch(
        input: "Control", at: SequencerAddress(client: own.client, port: input.controlPort))
      midi.watch(input: "Sync", at: SequencerAddress(client: own.client, port: input.syncPort))
    }
    follow(source)
    restore()
  }

  var descriptors: [Int32] { [keys.descriptor] + (input.map { [$0.descriptor] } ?? []) }

  /// Where another's clock arrives.
  var syncAddress: SequencerAddress? {
    guard let handle, let input else { return nil }
    return SequencerAddress(client: handle.client, port: input.syncPort)
  }

  // MARK: Mappings

  /// Takes the mapping of a preset in place of the one in force; what was learned stands above it.
  ///
  /// - Returns: the rules that do nothing, and why; the others act.
  func use(_ mapping: MIDIMapping) -> [MIDIMappingError] {
    preset = mapping
    return arm()
  }

  @discardableResult
  private func arm() -> [MIDIMappingError] {
    let mapping = preset.with(learnedRules)
    _ = input?.control.use(mapping)
    let problems = keyControl.use(mapping)
    keys.want(keyControl.mapping, learning: keyControl.isLearning)
    return problems
  }

  /// What was learned before the last end.
  private func restore() {
    guard let store else { return }
    // The queue is empty yet.
    _ = control.workshop.files.submit {
      do throws(StoreError) {
        let rules = try store.load()
        return .done { $0.inputs?.restored(rules) }
      } catch {
        let reason = error.description
        return .done { $0.inputs?.restored([], problem: reason) }
      }
    }
  }

  private func restored(_ rules: [MIDIMapping.Rule], problem: String? = nil) {
    isRestored = true
    if let problem {
      control.say(
        "\(problem); until that is put right nothing that is learned is kept", isWarning: true)
      store = nil
    }
    // What was learned meanwhile is newer.
    let newer = learnedRules
    learnedRules =
      rules.filter { rule in !newer.contains { $0.trigger == rule.trigger } } + newer
    if !newer.isEmpty { keep() }
    for problem in arm() { control.say("\(problem)", isWarning: true) }
  }

  // MARK: Learning

  /// - Throws: what nobody can learn, or somebody else is learning.
  func ask(_ wanted: LearnRequest, owner: String, now: MonotonicTime) throws(Refusal) {
    switch wanted {
    case .learn(let action, let seconds): try learn(action, owner: owner, seconds: seconds, now)
    case .cancel: stopLearning()
    case .forget(let trigger): try forget(trigger)
    }
  }

  private func learn(
    _ action: MIDIAction, owner: String, seconds: Int, _ now: MonotonicTime
  ) throws(Refusal) {
    let isNew = session.action != action
    do throws(LearnSession.Busy) {
      try session.begin(action, owner: owner, seconds: seconds, now: now)
    } catch { throw Refusal(.state, "\(error)") }
    do throws(MIDIMappingError) {
      try input?.control.learn(action)
      try keyControl.learn(action)
    } catch {
      stopLearning()
      throw Refusal(.value, "\(error)")
    }
    keys.want(keyControl.mapping, learning: true)
    if isNew {
      control.say("play the note, controller, program or key that is to do '\(action.text)'")
    }
  }

  private func endLearning() {
    session.finish()
    input?.control.cancelLearning()
    keyControl.cancelLearning()
  }

  /// Ends learning with nothing learned: devices without a key of the mapping are let go.
  private func stopLearning() {
    endLearning()
    keys.want(keyControl.mapping)
  }

  private func learned(_ rule: MIDIMapping.Rule) {
    // The key devices are told once, with the new rule: the one just played stays open.
    endLearning()
    learnedRules.removeAll { $0.trigger == rule.trigger }
    // The oldest gives way where there are as many as a table may have.
    if learnedRules.count >= MIDIMapping.mostRules { learnedRules.removeFirst() }
    learnedRules.append(rule)
    keep()
    control.say("learned: '\(rule.trigger.text)' is now '\(rule.action.text)'")
    control.gateway?.server.announce(
      OSCMessage("/tactus/midi/learned", .string(rule.trigger.text), .string(rule.action.text)))
  }

  private func forget(_ trigger: MIDITrigger?) throws(Refusal) {
    if let trigger, !learnedRules.contains(where: { $0.trigger == trigger }) {
      let known = learnedRules.map { "'\($0.trigger.text)'" }.joined(separator: ", ")
      throw Refusal(
        .name,
        "nothing was learned for '\(trigger.text)': "
          + (known.isEmpty ? "nothing was learned at all" : "there is \(known)"))
    }
    learnedRules.removeAll { trigger == nil || $0.trigger == trigger }
    keep()
  }

  private func keep() {
    arm()
    // Before the old ones are read nothing is written over them: `restored` keeps both.
    guard isRestored, let store else { return }
    let rules = learnedRules
    let isTaken = control.workshop.files.submit {
      do throws(StoreError) {
        try store.save(rules)
        return .done { _ in }
      } catch {
        let reason = error.description
        return .done { $0.say("what was learned is not kept: \(reason)", isWarning: true) }
      }
    }
    if !isTaken {
      control.say("what was learned is not kept: too many files wait already", isWarning: true)
    }
  }

  /// Trigger and action in turn, as they are written.
  var learnedTexts: [String] { learnedRules.flatMap { [$0.trigger.text, $0.action.text] } }

  // MARK: What arrives

  func service(now: MonotonicTime) {
    if let action = session.expire(now: now) {
      stopLearning()
      control.say("nothing was played for '\(action.text)': nothing is bound")
    }
    if let input {
      for report in input.service(now: now) { take(report, now) }
    }
    let strokes = keys.service()
    if let search = keys.takeSearch() { look(search) }
    for stroke in strokes {
      let outcomes =
        keyControl.take(stroke.gesture, at: stroke.time, hand: stroke.series)
        + keyControl.endTurn()
      for outcome in outcomes {
        switch outcome {
        case .command(let command, let hand):
          control.submit(command, heardAt: stroke.time, hand: hand)
        case .learned(let rule): learned(rule)
        }
      }
    }
  }

  private func look(_ search: KeySearch) {
    let isTaken = control.workshop.files.submit {
      let found = search.run()
      return .done { $0.inputs?.keys.take(found) }
    }
    if !isTaken { keys.searchFailed(search) }
  }

  private func take(_ report: MIDIInput.Report, _ now: MonotonicTime) {
    switch report {
    case .command(let command, let hand, let time):
      control.submit(command, heardAt: time, hand: hand)
    case .learned(let rule): learned(rule)
    case .follow(let report): follow(report)
    case .echo, .storm, .overrun, .clockAtControl:
      if let text = report.text { control.say(text, isWarning: true) }
    }
  }

  func stop() { handle?.close() }
}
