/// Why something was not done: what `/tactus/error` carries.
///
/// The codes are those of HTTP where it has a fitting one, because people know them.
///
/// - Thread: any
public struct OSCRefusal: Error, Equatable, Sendable {
  public enum Code: Int32, Equatable, Sendable {
    /// An argument is missing or cannot be read.
    case malformed = 400
    /// This client may not do that.
    case forbidden = 403
    /// No such address, preset, port or section.
    case unknown = 404
    /// Not in the present state, such as a tap during a ramp.
    case conflict = 409
    /// A bundle's time tag is too far away.
    case timetag = 412
    /// A value outside its range.
    case range = 416
    case locked = 423
    /// More messages, subscribers or held bundles than are taken.
    case tooMany = 429
    /// The program cannot do it now: a queue is full, a file cannot be written.
    case unavailable = 503
  }

  public var code: Code
  /// Names the argument, its value, the allowed range and the way out.
  public var reason: String

  public init(_ code: Code, _ reason: String) {
    self.code = code
    self.reason = reason
  }
}
