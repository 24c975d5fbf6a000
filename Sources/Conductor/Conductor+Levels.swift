import MetronomeModel
import MusicalTime
public import RealtimeEngine

extension Conductor {
  mutating func setVolume(decibels: Double, _ turn: inout Turn) throws(Refusal) {
    try Check.decibels(decibels, "volume")
    state.volumeDecibels = decibels
    send(.masterGain(Gain.linear(decibels: decibels)), &turn)
  }

  /// Levels of the accents are gains of the engine; those of other sounds belong to their bank.
  mutating func setLevel(
    _ target: ControlCommand.SoundTarget, decibels: Double, _ turn: inout Turn
  ) throws(Refusal) {
    try Check.decibels(decibels, "level/\(target.rawValue)")
    state.sounds[target].decibels = decibels
    if let accent = target.accent {
      sounds.inForce[target].decibels = decibels
      send(.levelGain(accent, Gain.linear(decibels: decibels)), &turn)
    } else {
      prepareSounds(&turn)
    }
  }

  mutating func setSound(
    _ target: ControlCommand.SoundTarget, name: String, _ turn: inout Turn
  ) throws(Refusal) {
    do throws(SafeNameError) {
      state.sounds[target].name = try SafeName(name).text
    } catch {
      throw Refusal(.name, "sound/\(target.rawValue): \(error)")
    }
    prepareSounds(&turn)
  }

  mutating func setBeatSounds(_ names: [String], _ turn: inout Turn) throws(Refusal) {
    guard names.count <= Limits.beatSounds.upperBound else {
      throw Refusal(
        .value,
        "sound/beats has \(names.count) names, allowed are \(Limits.beatSounds.lowerBound) to "
          + "\(Limits.beatSounds.upperBound)")
    }
    var sounds: [String?] = []
    for name in names {
      if name.isEmpty || name == "-" {
        sounds.append(nil)
        continue
      }
      do throws(SafeNameError) { sounds.append(try SafeName(name).text) } catch {
        throw Refusal(.name, "sound/beats: \(error)")
      }
    }
    while sounds.last == .some(nil) { sounds.removeLast() }
    state.sounds.beatNames = sounds
    prepareSounds(&turn)
  }

  mutating func setPitch(
    _ target: ControlCommand.SoundTarget, semitones: Double, _ turn: inout Turn
  ) throws(Refusal) {
    try Check.range(
      semitones, Limits.semitones, "pitch/\(target.rawValue)", "semitones")
    state.sounds[target].semitones = semitones
    prepareSounds(&turn)
  }

  mutating func setRoute(
    _ target: ControlCommand.SoundTarget, channels: [Int], _ turn: inout Turn
  ) throws(Refusal) {
    for channel in channels {
      try Check.range(channel, Limits.outputChannels, "route/\(target.rawValue) channel")
    }
    guard !channels.isEmpty else {
      throw Refusal(
        .value, "route/\(target.rawValue) names no channel: give 1 to 64, or mute the level")
    }
    state.sounds[target].channels = Array(Set(channels)).sorted()
    prepareSounds(&turn)
  }

  mutating func setAnalogSync(
    perQuarter: Int, channel: Int?, _ turn: inout Turn
  ) throws(Refusal) {
    guard Limits.analogSyncPerQuarter.contains(perQuarter) else {
      throw Refusal(
        .value, "sync \(perQuarter) is not a pulse rate: allowed are 0 (off), 1, 2, 4, 24 and 48")
    }
    if let channel { try Check.range(channel, Limits.outputChannels, "sync channel") }
    state.sounds.syncPerQuarter = perQuarter
    sounds.inForce.syncPerQuarter = perQuarter
    send(.sync(perQuarter: UInt8(perQuarter)), &turn)
    guard let channel, state.sounds[.sync].channels != [channel] else { return }
    state.sounds[.sync].channels = [channel]
    prepareSounds(&turn)
  }

  // MARK: banks

  /// Asks the edge for a bank; the request waits for it.
  mutating func prepareSounds(_ turn: inout Turn) {
    let ticket = pending.expect(.sounds, group: turn.group, request: turn.request)
    sounds.asked[ticket] = state.sounds
    turn.isAnsweredLater = true
    turn.outputs.append(.prepareSounds(state.sounds.forBank, ticket: ticket))
  }

  /// The bank that was asked for is ready.
  public mutating func soundsPrepared(
    _ bank: SoundBankReference, ticket: UInt32
  ) -> [ConductorOutput] {
    guard let settings = sounds.asked.removeValue(forKey: ticket) else {
      return [.releaseSounds(bank.identifier)]
    }
    var turn = Turn.silent(group: 0)
    sounds.given[bank.identifier] = SoundRequests.Given(ticket: ticket, settings: settings)
    // The ticket is the command's identifier: its answer answers the request.
    dispatch(
      .sounds(bank), about: .sounds, identifier: ticket, notBefore: .distantPast,
      at: sounds.atBar.remove(ticket) == nil ? .frame : .bar, &turn)
    return turn.outputs
  }

  /// The bank could not be made: the sounds stay what they were.
  public mutating func soundsFailed(
    reason: String, ticket: UInt32
  ) -> [ConductorOutput] {
    let before = state
    var turn = Turn.silent(group: pending.nextIdentifier())
    sounds.asked[ticket] = nil
    sounds.atBar.remove(ticket)
    turn.notice(reason)
    refuse(ticket, Refusal(.storage, reason), &turn)
    noteChanges(since: before, &turn)
    return turn.outputs
  }
}

/// Which sounds play, and which are being made.
///
/// - Thread: control
struct SoundRequests: Sendable {
  struct Given: Sendable {
    let ticket: UInt32
    let settings: SoundSettings
  }

  /// What the engine plays: where a request that fails goes back to.
  var inForce = SoundSettings()
  /// Banks that were sent to the engine and may still be read, by their identifiers.
  var given: [Int32: Given] = [:]
  /// By ticket.
  var asked: [UInt32: SoundSettings] = [:]
  /// Those of a preset, which act at the bar line.
  var atBar: Set<UInt32> = []

  /// The engine has taken the bank of this ticket.
  mutating func took(ticket: UInt32) {
    if let bank = given.values.first(where: { $0.ticket == ticket }) { take(bank.settings) }
  }

  /// The accents' levels and the sync rate are the engine's own, beside the bank.
  mutating func take(_ settings: SoundSettings) {
    var taken = settings
    for target in ControlCommand.SoundTarget.allCases where target.accent != nil {
      taken[target].decibels = inForce[target].decibels
    }
    taken.syncPerQuarter = inForce.syncPerQuarter
    inForce = taken
  }
}
