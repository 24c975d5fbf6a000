/// One argument of a command as a preset or a mapping holds it.
///
/// - Thread: any
public enum CommandArgument: Equatable, Sendable {
  case number(Double)
  case text(String)
}
