import MetronomeModel
public import MusicalTime
import RealtimeEngine

extension Conductor {
  mutating func setAudioOffset(_ milliseconds: Double, _ turn: inout Turn) throws(Refusal) {
    try Check.range(
      milliseconds, Limits.audioOffsetMilliseconds, "offset/audio", "milliseconds")
    state.audioOffsetMilliseconds = milliseconds
    send(.audioOffset(audioOffsetFrames), &turn)
  }

  /// By how much the clicks are later than their frames.
  public var audioOffset: FrameCount { audioOffsetFrames }

  /// Rounded half up.
  var audioOffsetFrames: FrameCount {
    FrameCount(Int64((state.audioOffsetMilliseconds * Double(rate) / 1000).rounded()))
  }

  mutating func setBeatOffset(_ milliseconds: Double, _ turn: inout Turn) throws(Refusal) {
    try Check.range(
      milliseconds, Limits.eventOffsetMilliseconds, "offset/beats", "milliseconds")
    state.beatOffsetMilliseconds = milliseconds
    turn.outputs.append(.beatOffset(milliseconds: milliseconds))
  }

  mutating func setMIDI(
    port name: String, _ setting: ControlCommand.MIDIPortSetting, _ turn: inout Turn
  ) throws(Refusal) {
    let index = try portIndex(named: name)
    switch setting {
    case .offset(let milliseconds):
      try Check.range(
        milliseconds, Limits.eventOffsetMilliseconds, "midi/\(name)/offset", "milliseconds")
      state.midiPorts[index].offsetMilliseconds = milliseconds
    case .clock(let mode): state.midiPorts[index].clock = mode
    case .connect(let pattern):
      guard !pattern.isEmpty, pattern.utf8.count <= 128 else {
        throw Refusal(.name, "midi/\(name)/connect needs the name of a port, 1 to 128 bytes")
      }
      if !state.midiPorts[index].connections.contains(pattern) {
        guard state.midiPorts[index].connections.count < Conductor.connectionsPerPort else {
          throw Refusal(
            .value,
            "midi/\(name)/connect has \(Conductor.connectionsPerPort) connections already: "
              + "disconnect one")
        }
        state.midiPorts[index].connections.append(pattern)
      }
    case .disconnect(let pattern):
      state.midiPorts[index].connections.removeAll { $0 == pattern }
    case .transport(let isOn): state.midiPorts[index].transport = isOn
    case .songPosition(let isOn): state.midiPorts[index].songPosition = isOn
    case .beatNotes(let isOn): state.midiPorts[index].beatNotes.isOn = isOn
    }
    turn.outputs.append(.midi(port: state.midiPorts[index].name, setting))
  }

  func learn(_ text: String, seconds: Int, _ turn: inout Turn) throws(Refusal) {
    try Check.range(seconds, Limits.learnSeconds, "midi/learn")
    do throws(MIDIMappingError) {
      ask(.learn(try MIDIAction(text), seconds: seconds), &turn)
    } catch { throw Refusal(.value, error.description) }
  }

  func forget(_ text: String, _ turn: inout Turn) throws(Refusal) {
    do throws(MIDIMappingError) {
      ask(.forget(text == "all" ? nil : try MIDITrigger(text)), &turn)
    } catch { throw Refusal(.value, error.description) }
  }

  /// The edge, which knows the inputs, does it and answers.
  func ask(_ wanted: LearnRequest, _ turn: inout Turn) {
    turn.isAnsweredLater = true
    turn.outputs.append(.learning(wanted, request: turn.request))
  }

  /// Patterns a port may be asked to connect to.
  static let connectionsPerPort = 32

  private func portIndex(named name: String) throws(Refusal) -> Int {
    let ports = state.midiPorts
    if let index = ports.firstIndex(where: { $0.name == name }) { return index }
    // Controllers write addresses in lower case.
    if let index = ports.firstIndex(where: { $0.name.lowercased() == name.lowercased() }) {
      return index
    }
    let known = ports.map { "'\($0.name)'" }.joined(separator: ", ")
    throw Refusal(
      .name,
      "there is no MIDI port '\(name)': "
        + (ports.isEmpty ? "MIDI is off" : "there is \(known)"))
  }

  /// Tells the engine what the outputs need, where that has changed.
  mutating func planAnnouncing(_ turn: inout Turn) {
    let plan = AnnouncePlan(
      state: state,
      requestedLeadMilliseconds: max(requestedLeadMilliseconds, presetLeadMilliseconds),
      wakeMilliseconds: wakeMilliseconds, rate: rate)
    if plan != announcePlan {
      if plan.horizon != announcePlan?.horizon || plan.commit != announcePlan?.commit {
        tell(.announce(horizon: plan.horizon, commit: plan.commit), &turn)
      }
      if plan.leadIn != announcePlan?.leadIn { tell(.leadIn(plan.leadIn), &turn) }
      announcePlan = plan
    }
    let wantsFreeClock = state.midiPorts.contains { $0.clock == .always }
    if wantsFreeClock != freeClock {
      freeClock = wantsFreeClock
      tell(.freeClock(wantsFreeClock), &turn)
    }
  }

  /// Brings a new engine to this state.
  mutating func sendEverything(_ turn: inout Turn) {
    announcePlan = nil
    freeClock = false
    planAnnouncing(&turn)
    tell(.meter(state.meter, state.pattern), &turn)
    tell(.tempo(state.tempo, .beat), &turn)
    tell(.subdivision(state.subdivision), &turn)
    tell(.layer(count: UInt8(clamping: state.layer), accent: .normal), &turn)
    tell(.barMuting(state.barMuting), &turn)
    tell(.countInMuted(state.isCountInMuted), &turn)
    tell(.mute(state.isMuted), &turn)
    tell(.audibleLevels(audibleLevels), &turn)
    tell(.masterGain(Gain.linear(decibels: state.volumeDecibels)), &turn)
    for target in ControlCommand.SoundTarget.allCases {
      guard let accent = target.accent else { continue }
      let decibels = state.sounds[target].decibels
      tell(.levelGain(accent, Gain.linear(decibels: decibels)), &turn)
    }
    tell(.sync(perQuarter: UInt8(clamping: state.sounds.syncPerQuarter)), &turn)
    tell(.timer(milliseconds: timerMilliseconds, stops: state.timerStops), &turn)
    switch state.ramp {
    case .trainer(let trainer): tell(.trainer(trainer), &turn)
    case .glide(let glide): tell(.glide(glide, .beat), &turn)
    case nil: break
    }
    tell(.audioOffset(audioOffsetFrames), &turn)
    turn.outputs.append(.beatOffset(milliseconds: state.beatOffsetMilliseconds))
    sounds.inForce = state.sounds
    prepareSounds(&turn)
  }
}
