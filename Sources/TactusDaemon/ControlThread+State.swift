internal import Conductor
internal import MetronomeModel
internal import MusicalTime
internal import RealtimeHost
internal import ScoreFormats

/// Keeps what was set, so that it is there after a power cut.
extension ControlThread {
  /// Writes the state where it has changed and its second has passed.
  func keepState(isLast: Bool = false) {
    guard let stateStore, stateKeeper.deadline != nil else { return }
    let now = MonotonicClock.now()
    let conductor = conductor
    let unusedPorts = unusedPorts
    let due = stateKeeper.takeDue(now, isLast: isLast) {
      var last = conductor.lastState
      if !unusedPorts.isEmpty { last.settings.midiPorts = unusedPorts }
      return last
    }
    guard let state = due else { return }
    let isTaken = workshop.files.submit {
      do throws(StoreError) {
        try stateStore.save(state)
        return .done { $0.stateWritten(nil) }
      } catch {
        let reason = error.description
        return .done { $0.stateWritten(reason) }
      }
    }
    if !isTaken { stateWritten("too many files wait already") }
  }

  private func stateWritten(_ reason: String?) {
    if let text = stateKeeper.wrote(reason, now: MonotonicClock.now()) {
      say(text, isWarning: reason != nil)
    }
  }

  /// Whether a change of this value changes what is kept.
  static func isKept(_ key: StateKey) -> Bool {
    switch key {
    case .transport, .section, .push, .pull: false
    default: true
    }
  }
}
