import MetronomeModel
public import MusicalTime

extension Conductor {
  /// The answer to `ConductorOutput.read`.
  ///
  /// - Parameter now: the present instant; the command is judged by the state that it finds.
  public mutating func libraryAnswered(
    _ answer: LibraryAnswer, ticket: UInt32, now: ControlInstant
  ) -> [ConductorOutput] {
    // One that took too long has been refused.
    guard var errand = errands.take(ticket), let wanted = errand.wanted else { return [] }
    errand.answers.append((wanted, answer))
    return attempt(errand, now: now) + goOn(now)
  }

  /// When `service` has something to do although nothing happens; nil where nothing waits.
  public var nextDeadline: MonotonicTime? { errands.nextDeadline }

  /// Refuses what could not be read in time, and lets go on what has waited long enough.
  public mutating func service(now: ControlInstant) -> [ConductorOutput] {
    var outputs: [ConductorOutput] = []
    for errand in errands.takeOverdue(now.time) {
      let thing = errand.wanted?.description ?? "a file"
      let verb = if case .save = errand.demand { "written" } else { "read" }
      let seconds = Errands.longest / 1_000_000_000
      outputs.append(
        .refused(
          request: errand.request,
          Refusal(
            .storage,
            "\(thing) could not be \(verb) within \(seconds) s: its disk or network does not answer"
          )))
    }
    return outputs + goOn(now)
  }

  /// Takes a command, or lets it wait behind a file that is being read.
  mutating func admit(
    _ command: ControlCommand, request: UInt32, bundle: UInt32, now: ControlInstant,
    notBefore: FrameIndex
  ) -> [ConductorOutput] {
    // Whoever has waited long enough comes first.
    let earlier = errands.held.isEmpty ? [] : goOn(now)
    if errands.holds(command, bundle: bundle, arrived: now.time, now: now.time) {
      let item = Errands.Held(
        command: command, request: request, bundle: bundle, notBefore: notBefore, arrived: now)
      guard errands.hold(item) else {
        return earlier + [
          .refused(
            request: request,
            Refusal(.state, "\(Errands.mostHeld) commands wait for a file: try again"))
        ]
      }
      return earlier
    }
    return earlier + overtake(command)
      + carryOut(command, request: request, bundle: bundle, now: now, notBefore: notBefore)
  }

  private mutating func carryOut(
    _ command: ControlCommand, request: UInt32, bundle: UInt32, now: ControlInstant,
    notBefore: FrameIndex
  ) -> [ConductorOutput] {
    var demand = Errands.Demand.command(command)
    if case .savePreset(let name) = command { demand = .save(presetToSave(as: name), as: name) }
    return attempt(
      Errands.Errand(
        demand: demand, request: request, bundle: bundle, notBefore: notBefore,
        askedAt: now.time), now: now)
  }

  /// What waits and would undo a command that passes it is answered and gone.
  private mutating func overtake(_ command: ControlCommand) -> [ConductorOutput] {
    guard command.passesAll else { return [] }
    return errands.takeVoid(by: command).filter { $0.request != 0 }.map { item in
      switch item.command {
      case .stop, .mute: .accepted(request: item.request)
      default:
        .refused(
          request: item.request,
          Refusal(.state, "it waited for a file, and what came after it was done first"))
      }
    }
  }

  /// Judges what was asked for with what has been read; where that is not enough, asks for more.
  mutating func attempt(_ errand: Errands.Errand, now: ControlInstant) -> [ConductorOutput] {
    let isFirst = errand.wanted == nil
    errands.answers = errand.answers
    errands.passedBy = errand.passedBy
    errands.missing = nil
    let before = self
    var turn = Turn(
      request: errand.request, group: pending.nextIdentifier(), now: now,
      notBefore: errand.notBefore)
    do throws(Refusal) {
      try decide(errand.demand, &turn)
      try requireRoom(turn)
    } catch {
      let missing = errands.missing
      // The tap itself was heard, whatever its tempo: the next interval begins there.
      let heard = taps
      self = before
      taps = heard
      errands.answers = []
      errands.passedBy = []
      guard let missing else { return [.refused(request: errand.request, error)] }
      return read(missing, for: errand, isFirst: isFirst)
    }
    errands.answers = []
    errands.passedBy = []
    if case .command(let command) = errand.demand { errands.pass(command) }
    planAnnouncing(&turn)
    // While nothing runs no beat comes to tell it.
    if !state.isRunning, state.tempo != before.state.tempo {
      state.quarterThousandths = state.tempo.quarterThousandths
    }
    if errand.request != 0, !turn.isAnsweredLater {
      turn.outputs.append(.accepted(request: errand.request))
    }
    noteChanges(since: before.state, &turn)
    return turn.outputs
  }

  private mutating func read(
    _ missing: LibraryRequest, for errand: Errands.Errand, isFirst: Bool
  ) -> [ConductorOutput] {
    guard !errands.isFull || !isFirst else {
      return [
        .refused(
          request: errand.request,
          Refusal(.storage, "\(Errands.most) files are being read: try again in a moment"))
      ]
    }
    var errand = errand
    errand.wanted = missing
    let ticket = errands.wait(errand)
    return [.read(missing, ticket: ticket)]
  }

  /// Those behind a file that has been read, in the order in which they came.
  private mutating func goOn(_ now: ControlInstant) -> [ConductorOutput] {
    var outputs: [ConductorOutput] = []
    while let item = errands.takeHeld(now.time) {
      // A tap has its own instant; a Start is as late as its wait was.
      outputs += carryOut(
        item.command, request: item.request, bundle: item.bundle, now: now,
        notBefore: item.notBefore)
    }
    return outputs
  }

  private mutating func decide(
    _ demand: Errands.Demand, _ turn: inout Turn
  ) throws(Refusal) {
    switch demand {
    case .command(let command): try carryOut(command, &turn)
    case .preset(let preset, let name): try apply(preset, named: name, &turn)
    case .presetBeneath(let wanted, let typed):
      let found = try readPreset(try resolved(wanted))
      try apply(found.preset.overlaid(by: typed), named: found.name, &turn)
    case .restore(let last): try bringBack(last, &turn)
    case .save(let preset, let name): try save(preset, as: name, &turn)
    }
  }

  // MARK: what the library said

  /// - Throws: the library's refusal; or, where it has not been asked, what makes `attempt` ask it.
  private mutating func look(_ request: LibraryRequest) throws(Refusal) -> LibraryAnswer {
    if let known = errands.answers.first(where: { $0.request == request })?.answer {
      if case .refused(let refusal) = known { throw refusal }
      return known
    }
    errands.missing = errands.missing ?? request
    throw Refusal(.storage, "\(request) is still being read")
  }

  private func mismatch(_ request: LibraryRequest) -> Refusal {
    Refusal(.storage, "\(request): the library answered something else")
  }

  mutating func readPreset(_ wanted: NameOrNumber) throws(Refusal) -> NamedPreset {
    let request = LibraryRequest.preset(wanted)
    guard case .preset(let found) = try look(request) else { throw mismatch(request) }
    return found
  }

  mutating func readSetlist(_ wanted: NameOrNumber) throws(Refusal) -> NamedSetlist {
    let request = LibraryRequest.setlist(wanted)
    guard case .setlist(let found) = try look(request) else { throw mismatch(request) }
    return found
  }

  mutating func readMap(named name: String) throws(Refusal) -> NamedMap {
    let request = LibraryRequest.map(named: name)
    guard case .map(let found) = try look(request) else { throw mismatch(request) }
    return found
  }

  /// Which names there are is asked only where a text could be a number as well: every file is
  /// looked at for that.
  mutating func resolved(_ wanted: NameOrNumber) throws(Refusal) -> NameOrNumber {
    guard wanted.isDigits else { return wanted }
    let names = try readPresetNames()
    return wanted.resolved(among: names)
  }

  mutating func readPresetNames() throws(Refusal) -> [String] {
    guard case .names(let names) = try look(.presetNames) else { throw mismatch(.presetNames) }
    return names
  }

  private func presetToSave(as name: String) -> Preset {
    var preset = Preset(of: state)
    preset.midiPorts = state.midiPorts.isEmpty ? nil : state.midiPorts
    // A setlist holds presets and not the other way round: a preset that ended it, or brought
    // another one along, would break the evening in which it is played.
    preset.setlist = nil
    preset.title = name == state.preset ? edge.title : nil
    preset.mappings = edge.mappings
    preset.feedback = edge.feedback
    preset.beatTargets = edge.beatTargets
    preset.horizonMilliseconds = edge.horizonMilliseconds
    return preset
  }

  private mutating func save(
    _ preset: Preset, as name: String, _ turn: inout Turn
  ) throws(Refusal) {
    _ = try look(.save(preset, as: name))
    // Another may have been loaded meanwhile.
    if !errands.passedBy.contains(where: Preset.isReplaced) { state.preset = name }
  }
}
