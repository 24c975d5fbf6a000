public import MetronomeModel
import MusicalTime

extension Conductor {
  /// Brings back what was kept; nothing plays yet.
  ///
  /// A song or setlist that is gone keeps the rest from nothing: it is left out, and said.
  public mutating func restore(_ last: LastState, now: ControlInstant) -> [ConductorOutput] {
    var settings = last.settings
    var outputs = apply(settings, now: now)
    if let reason = Conductor.refusal(in: outputs) {
      settings.map = nil
      settings.setlist = nil
      outputs = apply(settings, now: now)
      outputs.append(.notice(request: 0, "the last state came back in part: \(reason)"))
      if let reason = Conductor.refusal(in: outputs) {
        return [.notice(request: 0, "the last state could not be brought back: \(reason)")]
      }
    }
    let before = state
    state.preset = last.preset
    if let entry = last.setlistEntry, setlist?.entries.indices.contains(entry) == true {
      state.setlistEntry = entry
    }
    state.previousTempo = last.previousTempo
    state.trainerEnd = last.trainerEnd
    state.patterns = last.patterns
    for key in StateKey.changes(from: before, to: state) { outputs.append(.changed(key)) }
    return outputs
  }

  private static func refusal(in outputs: [ConductorOutput]) -> String? {
    for case .refused(_, let refusal) in outputs { return refusal.reason }
    return nil
  }
}
