/// Why a command was not carried out; nothing has changed.
///
/// - Thread: control
public struct Refusal: Error, Equatable, Sendable, CustomStringConvertible {
  /// The number that goes out with an error reply.
  public enum Code: Int32, Sendable, CaseIterable {
    /// A value outside its range, or of the wrong length.
    case value = 1
    /// Not in this state: while rolling, during a ramp, at the end of a setlist.
    case state = 2
    /// Nothing of that name or number.
    case name = 3
    /// A file could not be read or written.
    case storage = 4
    /// The engine did not take it.
    case engine = 5
  }

  public let code: Code
  /// Names the thing, the value, the allowed range and the way out.
  public let reason: String

  public init(_ code: Code, _ reason: String) {
    self.code = code
    self.reason = reason
  }

  public var description: String { reason }
}
