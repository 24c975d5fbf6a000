internal import MetronomeModel
internal import MusicalTime

/// Settings that wait for the next bar line, the latest of each kind.
///
/// - Thread: audio; free of allocation and locks.
struct WaitingSettings {
  static var kinds: Int {
    @_noAllocation @_noLocks get { 12 }
  }

  private var commands = InlineArray<12, EngineCommand>(repeating: EngineCommand(.stop))
  /// Bit n where kind n waits.
  private var waiting: UInt16 = 0

  var isEmpty: Bool {
    @_noAllocation @_noLocks get { waiting == 0 }
  }

  @_noAllocation @_noLocks
  mutating func put(_ command: EngineCommand, kind: Int) {
    commands[kind] = command
    waiting |= 1 << UInt16(kind)
  }

  /// The one of a kind, if it waits.
  @_noAllocation @_noLocks
  func command(kind: Int) -> EngineCommand? {
    waiting & (1 << UInt16(kind)) != 0 ? commands[kind] : nil
  }

  @_noAllocation @_noLocks
  mutating func remove(kind: Int) { waiting &= ~(1 << UInt16(kind)) }
}

extension EngineCore {
  private static var soundsKind: Int {
    @_noAllocation @_noLocks get { 7 }
  }
  private static var timerKind: Int {
    @_noAllocation @_noLocks get { 10 }
  }
  /// Marks what the engine itself holds until its bar line is heard.
  static var landedOrdinal: Int64 {
    @_noAllocation @_noLocks get { -1 }
  }

  /// A setting for the next bar line.
  @_noAllocation @_noLocks
  mutating func wait(_ command: EngineCommand, kind: Int) -> Answer {
    dropWaiting(kind: kind)
    var waiting = command
    waiting.notBefore = .distantPast
    self.waiting.put(waiting, kind: kind)
    return actsAtBarLine()
  }

  /// A newer setting of its kind takes the place of one that waits for its bar line.
  @_noAllocation @_noLocks
  mutating func dropWaiting(kind: Int) {
    held.removeLanded(kind: kind)
    guard let old = waiting.command(kind: kind) else { return }
    if case .sounds(let bank) = old.action {
      // Nothing has used it.
      outlet.announce(.retiredSounds(bank.identifier))
    }
    waiting.remove(kind: kind)
  }

  /// The bar line at `exact` has come: what waits for it acts, on the output when it is heard.
  @_noAllocation @_noLocks
  mutating func landWaiting(at exact: ExactFrame) {
    guard !waiting.isEmpty else { return }
    var kind = 0
    while kind < WaitingSettings.kinds {
      if let command = waiting.command(kind: kind) {
        waiting.remove(kind: kind)
        land(command, at: exact)
      }
      kind &+= 1
    }
  }

  @_noAllocation @_noLocks
  private mutating func land(_ command: EngineCommand, at exact: ExactFrame) {
    let frame = exact.nearest
    if command.action.actsOnOutput, frame > now {
      if case .mute(let muted) = command.action { isMuted = muted }
      let later = EngineCommand(
        command.action, notBefore: frame, ordinal: EngineCore.landedOrdinal)
      if held.hold(later, isUrgent: true) { return }
    }
    if case .refused(let reason) = perform(command.action, command: command),
      command.identifier != 0
    {
      refuse(command.identifier, reason)
    }
    if case .timer = command.action, isRunning, !bar.isCountIn { timerOrigin = exact }
  }

  /// What is true of the settings that wait.
  @_noAllocation @_noLocks
  func fillWaiting(_ status: inout EngineStatus) {
    status.waitingSounds = -1
    if let command = waiting.command(kind: EngineCore.soundsKind),
      case .sounds(let bank) = command.action
    {
      status.waitingSounds = bank.identifier
    }
    if let command = waiting.command(kind: EngineCore.timerKind),
      case .timer(let milliseconds, _) = command.action
    {
      status.hasTimer = milliseconds > 0
    }
  }
}
