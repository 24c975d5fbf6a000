public import MetronomeModel
public import MusicalTime

/// Who is learning what, and until when: a learn ends with its time, with who asked for it, and
/// with what is played.
///
/// - Thread: control
public struct LearnSession: Sendable {
  /// Somebody else is learning.
  public struct Busy: Error, Equatable, Sendable, CustomStringConvertible {
    public var action: MIDIAction
    public var owner: String
    public var secondsLeft: Int64

    public var description: String {
      "'\(action.text)' is being learned for \(owner) for \(secondsLeft) s more: play it, wait, or "
        + "end it with midi/learn/cancel"
    }
  }

  public private(set) var action: MIDIAction?
  private var owner = ""
  private var end = MonotonicTime.distantPast

  public init() {}

  /// Begins, or goes on where the same owner asks again.
  ///
  /// - Throws: where another owner is learning.
  public mutating func begin(
    _ wanted: MIDIAction, owner name: String, seconds: Int, now: MonotonicTime
  ) throws(Busy) {
    if let action, owner != name, now < end {
      throw Busy(
        action: action, owner: owner,
        secondsLeft: (end.nanoseconds(since: now) + 999_999_999) / 1_000_000_000)
    }
    action = wanted
    owner = name
    end = now.advanced(byNanoseconds: Int64(seconds) * 1_000_000_000)
  }

  /// Something was played, or who asked has ended it.
  public mutating func finish() { action = nil }

  /// - Returns: the action whose time has passed, once.
  public mutating func expire(now: MonotonicTime) -> MIDIAction? {
    guard let expired = action, now >= end else { return nil }
    action = nil
    return expired
  }
}
