import MetronomeModel
import MusicalTime

/// Tells a switch that bounces, or a packet that came twice, from two presses.
///
/// - Thread: control
struct DoublePresses: Sendable {
  /// Nanoseconds in which no foot presses twice.
  static let interval: Int64 = 30_000_000
  /// Hands at once at most; the one that has not pressed for longest is forgotten.
  static let capacity = 64

  var count: Int { latest.count }

  private var latest: [(hand: UInt64, command: ControlCommand, time: MonotonicTime)] = []

  /// Whether a hand's press is the bounce of its press before; a bounce does not count as one.
  mutating func isBounce(_ command: ControlCommand, of hand: UInt64, at time: MonotonicTime) -> Bool
  {
    let index = latest.firstIndex { $0.hand == hand }
    if let index, DoublePresses.isPress(command), latest[index].command == command {
      let passed = time.nanoseconds(since: latest[index].time)
      if passed >= 0, passed < DoublePresses.interval { return true }
    }
    if let index { latest.remove(at: index) }
    latest.append((hand, command, time))
    if latest.count > DoublePresses.capacity { latest.removeFirst() }
    return false
  }

  /// What a second press would do once more, or undo. Values, and what is held, come as often as
  /// they like; taps have a rule of their own.
  private static func isPress(_ command: ControlCommand) -> Bool {
    switch command {
    case .start, .stop, .continue, .toggle, .nextPreset, .previousPreset, .doubleTempo, .halfTempo,
      .toggleMute, .resumeTempo:
      true
    default: false
    }
  }
}
