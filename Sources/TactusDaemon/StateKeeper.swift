internal import MetronomeModel
internal import MusicalTime

/// When the last state is written: after a change, at most once a second, and later where it
/// could not be written.
///
/// A value without files or clock; see ControlThread+State.swift for what it drives.
///
/// - Thread: control
struct StateKeeper {
  /// Nanoseconds from one writing to the next at the least: a fader must not wear out a card.
  static let interval: Int64 = 1_000_000_000
  /// Nanoseconds to the next attempt after one that failed: a disk may be full for a whole evening.
  static let patience: Int64 = 60_000_000_000

  /// What the file holds, or will when the writing has ended.
  private var kept: LastState?
  private var isChanged = false
  private var isWriting = false
  private var notBefore = MonotonicTime.distantPast
  /// Why it could not be written, as it was told.
  private var problem: String?
  /// States written, and those that could not be, since the start.
  private(set) var saves = 0
  private(set) var failures = 0

  /// - Parameter kept: what was read at the start.
  init(kept: LastState? = nil) { self.kept = kept }

  /// Something that is kept may differ now.
  mutating func noteChange() { isChanged = true }

  /// When `takeDue` has something to give; nil while there is nothing.
  var deadline: MonotonicTime? { isChanged && !isWriting ? notBefore : nil }

  /// What is to be written now; `wrote` follows.
  ///
  /// - Parameters:
  ///   - isLast: the program ends: what waits for its second is written now.
  ///   - state: asked for only where a writing is due.
  mutating func takeDue(
    _ now: MonotonicTime, isLast: Bool = false, _ state: () -> LastState
  ) -> LastState? {
    guard isChanged, !isWriting, isLast || now >= notBefore else { return nil }
    isChanged = false
    let state = state()
    guard state != kept else { return nil }
    kept = state
    isWriting = true
    notBefore = now.advanced(byNanoseconds: StateKeeper.interval)
    return state
  }

  /// - Parameter reason: why it could not be written; nil where it was.
  /// - Returns: what a person is to know: once for each reason, and when it is mended.
  mutating func wrote(_ reason: String?, now: MonotonicTime) -> String? {
    isWriting = false
    guard let reason else {
      saves += 1
      defer { problem = nil }
      return problem == nil ? nil : "the last state is kept again"
    }
    failures += 1
    kept = nil
    isChanged = true
    notBefore = now.advanced(byNanoseconds: StateKeeper.patience)
    guard reason != problem else { return nil }
    problem = reason
    return "the last state is not kept: \(reason); it is tried again every "
      + "\(StateKeeper.patience / 1_000_000_000) s, everything else goes on"
  }
}
