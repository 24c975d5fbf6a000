/// One thing that was looked at: what was found, whether it is well, and what mends it where it is not.
///
/// - Thread: any
public struct Finding: Equatable, Sendable {
  public enum Verdict: String, Sendable, CaseIterable {
    /// As it should be.
    case good
    /// It plays, but something may go wrong on stage.
    case warning
    /// Something will not work.
    case bad
    /// The system did not say.
    case unknown
  }

  /// A short name that stays the same, for scripts: `realtime-priority`.
  public var name: String
  /// What was found, with its value.
  public var fact: String
  public var verdict: Verdict
  /// A command or a setting; nil where nothing is to be done.
  public var fix: String?

  public init(_ name: String, _ verdict: Verdict, _ fact: String, fix: String? = nil) {
    self.name = name
    self.verdict = verdict
    self.fact = fact
    self.fix = fix
  }

  /// One line, and the fix below it.
  public var text: String {
    let mark =
      switch verdict {
      case .good: "ok  "
      case .warning: "warn"
      case .bad: "BAD "
      case .unknown: "?   "
      }
    return "\(mark)  \(name): \(fact)" + (fix.map { "\n      fix: \($0)" } ?? "")
  }
}
