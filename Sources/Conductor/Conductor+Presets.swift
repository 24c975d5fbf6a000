import MetronomeModel
import MusicalTime
import RealtimeEngine

extension Conductor {
  mutating func loadPreset(_ wanted: NameOrNumber, _ turn: inout Turn) throws(Refusal) {
    // With a setlist, a number counts in it.
    if let setlist, let entry = setlist.index(of: wanted) {
      return try load(entry: entry, &turn)
    }
    let wanted = try resolved(wanted)
    if let setlist, case .number(let number) = wanted {
      if let entry = setlist.index(of: wanted) { return try load(entry: entry, &turn) }
      throw Refusal(
        .name, "there is no preset \(number): the setlist has 1 to \(setlist.entries.count)")
    }
    let found = try readPreset(wanted)
    try apply(found.preset, named: found.name, &turn)
  }

  /// In the setlist, whose ends are ends; without one among all presets, round the end. What
  /// cannot be loaded is skipped and reported: whoever only has a pedal must get past it.
  mutating func stepPreset(by step: Int, _ turn: inout Turn) throws(Refusal) {
    guard let setlist else {
      let names = try readPresetNames()
      let present = state.preset.flatMap { names.firstIndex(of: $0) } ?? (step > 0 ? -1 : 0)
      guard !names.isEmpty else { throw Refusal(.name, "there is no preset at all") }
      let order = (1...names.count).map { distance in
        let moved = (present + distance * step) % names.count
        return moved < 0 ? moved + names.count : moved
      }
      return try loadFirst(of: order, called: { "preset '\(names[$0])'" }, &turn) {
        (conductor, index, turn) throws(Refusal) in
        let found = try conductor.readPreset(.name(names[index]))
        try conductor.apply(found.preset, named: found.name, &turn)
      }
    }
    let entries = setlist.entries.indices
    let next = state.setlistEntry.map { $0 + step } ?? (step > 0 ? 0 : -1)
    guard entries.contains(next) else {
      throw Refusal(
        .state,
        step > 0
          ? "the setlist has no entry after its last: go on with preset 1"
          : "the setlist has no entry before its first")
    }
    let order = step > 0 ? Array(next..<entries.upperBound) : (0...next).reversed()
    try loadFirst(of: order, called: { "entry \($0 + 1) of the setlist" }, &turn) {
      (conductor, index, turn) throws(Refusal) in try conductor.load(entry: index, &turn)
    }
  }

  /// - Throws: why the first could not be loaded, where none could.
  private mutating func loadFirst(
    of order: [Int], called name: (Int) -> String, _ turn: inout Turn,
    _ load: (inout Conductor, Int, inout Turn) throws(Refusal) -> Void
  ) throws(Refusal) {
    let (before, untouched) = (self, turn)
    var failures: [(name: String, refusal: Refusal)] = []
    for index in order {
      do throws(Refusal) {
        try load(&self, index, &turn)
        for failure in failures {
          turn.notice("\(failure.name) was skipped: \(failure.refusal.reason)")
        }
        return
      } catch {
        // Not a failure yet: it has to be read first.
        if errands.missing != nil { throw error }
        self = before
        turn = untouched
        failures.append((name(index), error))
      }
    }
    if let first = failures.first { throw first.refusal }
  }

  /// Loads a setlist and its first entry.
  mutating func loadSetlist(_ wanted: NameOrNumber, _ turn: inout Turn) throws(Refusal) {
    try take(try readSetlist(wanted))
    try load(entry: 0, &turn)
  }

  private mutating func take(_ found: NamedSetlist) throws(Refusal) {
    guard !found.setlist.entries.isEmpty else {
      throw Refusal(.value, "setlist '\(found.name)' has no entries")
    }
    setlist = found.setlist
    state.setlist = found.name
    state.setlistEntry = nil
  }

  private mutating func load(entry index: Int, _ turn: inout Turn) throws(Refusal) {
    guard let entry = setlist?.entries[index] else { return }
    if let name = entry.preset {
      let found = try readPreset(.name(name))
      try apply(found.preset, named: found.name, &turn)
    }
    if let name = entry.map { try loadMap(named: name, &turn) }
    state.setlistEntry = index
  }

  // MARK: Songs

  mutating func loadMap(named name: String, _ turn: inout Turn) throws(Refusal) {
    let found = try readMap(named: name)
    let walk: TempoMapWalk
    do throws(TempoMapError) { walk = try TempoMapWalk(found.map) } catch {
      throw Refusal(.value, "map '\(found.name)': \(error)")
    }
    let identifier = songs.nextIdentifier()
    let score = try PreparedScore(found.map, walk: walk, identifier: identifier)
    for note in found.notes { turn.notice("map '\(found.name)': \(note)") }
    songs.prepared[identifier] = score
    songs.song = SongShelf.Song(
      identifier: identifier, name: found.name, map: found.map, walk: walk)
    state.map = found.name
    state.section = nil
    send(.score(score.reference), about: .song, &turn)
  }

  mutating func endSetlist() {
    setlist = nil
    state.setlist = nil
    state.setlistEntry = nil
  }

  mutating func clearMap(_ turn: inout Turn) {
    guard state.map != nil else { return }
    songs.song = nil
    state.map = nil
    state.section = nil
    send(.clearScore, about: .song, &turn)
  }

  mutating func jump(to wanted: NameOrNumber, _ turn: inout Turn) throws(Refusal) {
    guard let song = songs.song else {
      throw Refusal(.state, "section needs a song: load one with map/load")
    }
    let step = try song.step(of: wanted)
    if !state.isRunning, let section = song.section(ofStep: step) {
      state.section = section
      state.bar = song.firstBar(ofSection: section)
      state.beat = 1
      send(.jump(section: step), about: .transport, &turn)
    } else {
      send(.jump(section: step), &turn)
    }
  }

  /// Whether a song plays that neither loops nor has a last section without end.
  public var songCanEnd: Bool {
    guard let song = songs.song else { return false }
    return song.walk.steps.contains { $0.next == nil && song.map.sections[$0.section].bars > 0 }
  }

  /// The sections of the song by label, or by number where they have none.
  public var sectionNames: [String] {
    songs.song?.map.sections.enumerated().map { $0.element.label ?? "\($0.offset + 1)" } ?? []
  }

  /// What the setlist in force holds, in its order; empty where there is none.
  public var setlistEntryNames: [String] { setlist?.entries.map(\.name) ?? [] }

  // MARK: Applying

  /// Everything that a preset names, as one change: at the next bar line while the music runs,
  /// else at once. What cannot be applied as a whole is refused as a whole.
  mutating func apply(_ preset: Preset, named name: String?, _ turn: inout Turn) throws(Refusal) {
    let preset = try remainder(of: preset)
    try PresetCheck.check(preset)
    let title = name.map { "preset '\($0)' was loaded" } ?? "a preset was loaded"
    endRamp(for: preset, because: title, &turn)
    try applyScore(of: preset, &turn)
    try applyClicks(of: preset, &turn)
    applyRamp(of: preset, &turn)
    applySettings(of: preset)
    applySettingsAtBar(of: preset, &turn)
    applyPorts(of: preset, &turn)
    state.preset = name ?? state.preset
    remember(edgeOf: preset)
    turn.outputs.append(.presetApplied(preset, request: turn.request))
  }

  /// What was set by hand while the preset was being read stays.
  private func remainder(of preset: Preset) throws(Refusal) -> Preset {
    guard !errands.passedBy.contains(where: Preset.isReplaced) else {
      throw Refusal(.state, "another preset was asked for while this one was being read")
    }
    return errands.passedBy.reduce(preset) { $0.without($1) }
  }

  private mutating func remember(edgeOf preset: Preset) {
    edge.title = preset.title
    if let mappings = preset.mappings { edge.mappings = mappings }
    if let feedback = preset.feedback { edge.feedback = feedback }
    if let targets = preset.beatTargets { edge.beatTargets = targets }
    if let horizon = preset.horizonMilliseconds { edge.horizonMilliseconds = horizon }
  }

  /// A tempo or a ramp ends the ramp in the engine, too; where the preset has neither, it is told.
  private mutating func endRamp(
    for preset: Preset, because reason: String, _ turn: inout Turn
  ) {
    guard state.ramp != nil else { return }
    let now = tempoNow
    endRamp(because: reason, &turn)
    if case .on = preset.ramp { return }
    guard preset.tempo == nil else { return }
    state.tempo = now
    send(.cancelRamp, about: .ramp, &turn)
  }

  private mutating func applyScore(of preset: Preset, _ turn: inout Turn) throws(Refusal) {
    switch preset.setlist {
    case .on(let name) where name != state.setlist:
      try take(try readSetlist(.name(name)))
    case .off:
      setlist = nil
      state.setlist = nil
      state.setlistEntry = nil
    default: break
    }
    switch preset.map {
    case .on(let name): try loadMap(named: name, &turn)
    case .off: clearMap(&turn)
    case nil: break
    }
  }

  private mutating func applyClicks(of preset: Preset, _ turn: inout Turn) throws(Refusal) {
    if let meter = preset.meter {
      let pattern = preset.pattern ?? state.patterns.pattern(for: meter)
      guard pattern.count == meter.beatCount else {
        throw Refusal(
          .value,
          AccentPatternError.length(
            Int(pattern.count), beats: Int(meter.beatCount), meter: meter
          ).description)
      }
      if preset.pattern != nil { state.patterns.remember(pattern, for: meter) }
      setMeter(meter, pattern, &turn)
    }
    if let tempo = preset.tempo { change(to: tempo, .bar, &turn) }
    if let count = preset.layer { try setLayer(count, &turn) }
    if let muting = preset.barMuting { try muteBars(muting, &turn) }
    let old = state.subdivision
    let new = Subdivision(
      unchecked: UInt8(clamping: preset.subdivision ?? Int(old.count)),
      level: preset.subdivisionLevel ?? old.level, swing: preset.swing ?? old.swing)
    guard new != old else { return }
    state.subdivision = new
    send(.subdivision(new), &turn)
  }

  private mutating func applyRamp(of preset: Preset, _ turn: inout Turn) {
    guard case .on(let ramp) = preset.ramp else { return }
    switch ramp {
    case .trainer(let trainer):
      state.trainerEnd = trainer.end
      begin(.trainer(trainer), &turn)
      send(.trainer(trainer), about: .ramp, &turn)
    case .glide(let glide, let when):
      beginGlide(glide, when: state.isRunning ? .bar : when, &turn)
    }
  }

  /// What the engine does not know or asks for at its next Start only.
  private mutating func applySettings(of preset: Preset) {
    if let end = preset.trainerEnd { state.trainerEnd = end }
    if let bars = preset.countIn { state.countInBars = bars }
    if let isOn = preset.movesPhaseByTaps { state.movesPhaseByTaps = isOn }
    if let seconds = preset.tapLimitSeconds {
      state.tapLimitMilliseconds = Int64((seconds * 1000).rounded())
    }
    if let source = preset.follow { state.follow = source }
    if let mode = preset.linkMode { state.linkMode = mode }
    if let isOn = preset.sharesLinkPlaying { state.sharesLinkPlaying = isOn }
    if let quantum = preset.linkQuantum { state.linkQuantum = quantum }
    if let unit = preset.tapUnit { state.tapUnit = unit }
    if let milliseconds = preset.horizonMilliseconds { presetLeadMilliseconds = milliseconds }
  }

  private mutating func applyPorts(of preset: Preset, _ turn: inout Turn) {
    if let milliseconds = preset.beatOffsetMilliseconds {
      state.beatOffsetMilliseconds = milliseconds
      turn.outputs.append(.beatOffset(milliseconds: milliseconds))
    }
    // Who owns the sequencer makes its ports these, by `presetApplied`; without one there are none.
    if let ports = preset.midiPorts, !ports.isEmpty, !state.midiPorts.isEmpty {
      state.midiPorts = ports
    }
  }
}
