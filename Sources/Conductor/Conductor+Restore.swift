public import MetronomeModel
import MusicalTime

extension Conductor {
  /// What is to survive a power cut.
  public var lastState: LastState {
    var last = LastState(of: state)
    last.settings.title = edge.title
    last.settings.mappings = edge.mappings
    last.settings.feedback = edge.feedback
    last.settings.beatTargets = edge.beatTargets
    last.settings.horizonMilliseconds = edge.horizonMilliseconds
    return last
  }

  /// Brings back what was kept; nothing plays yet.
  ///
  /// A song or setlist that is gone does not keep the rest out: it is left out, and reported.
  ///
  /// - Parameter bundle: commands of the same bundle that come later wait for it.
  public mutating func restore(
    _ last: LastState, bundle: UInt32 = 0, now: ControlInstant
  ) -> [ConductorOutput] {
    attempt(
      Errands.Errand(
        demand: .restore(last), request: 0, bundle: bundle, notBefore: .distantPast,
        askedAt: now.time), now: now)
  }

  mutating func bringBack(_ last: LastState, _ turn: inout Turn) throws(Refusal) {
    let (before, untouched) = (self, turn)
    do throws(Refusal) {
      try apply(last.settings, named: nil, &turn)
    } catch {
      if errands.missing != nil { throw error }
      self = before
      turn = untouched
      try bringBackInPart(last.settings, because: error.reason, &turn)
    }
    state.preset = last.preset
    if let entry = last.setlistEntry, setlist?.entries.indices.contains(entry) == true {
      state.setlistEntry = entry
    }
    state.previousTempo = last.previousTempo
    state.trainerEnd = last.trainerEnd
    state.patterns = last.patterns
  }

  private mutating func bringBackInPart(
    _ settings: Preset, because reason: String, _ turn: inout Turn
  ) throws(Refusal) {
    var settings = settings
    settings.map = nil
    settings.setlist = nil
    do throws(Refusal) {
      try apply(settings, named: nil, &turn)
    } catch {
      throw Refusal(error.code, "the last state could not be brought back: \(error.reason)")
    }
    turn.notice("the last state came back in part: \(reason)")
  }
}
