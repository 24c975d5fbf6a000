/// One row of the table from MIDI and key devices to commands.
///
/// - Thread: any
public struct ControlMapping: Equatable, Sendable {
  /// What a person does.
  public enum Source: Equatable, Sendable {
    /// 0 to 127; its velocity is the value. Without a channel, on any.
    case note(Int, channel: Int?)
    case controller(Int, channel: Int?)
    /// nil is any program; its number is the value.
    case program(Int?, channel: Int?)
    case transport(Transport)
    /// A key of an input device, by the names of both; the device may hold `*`.
    case key(String, device: String?)
  }

  public enum Transport: String, Equatable, Sendable, CaseIterable {
    /// FA, FB, FC
    case start, `continue`, stop
  }

  public enum Argument: Equatable, Sendable {
    case number(Double)
    case text(String)
  }

  public var source: Source
  /// An address below `/tactus/`, such as `tap` or `preset/next`.
  public var command: String
  public var arguments: [Argument]
  /// Where it is there, the source's value (0 to 127) is laid onto it and sent as the first
  /// argument.
  public var range: Range?

  public struct Range: Equatable, Sendable {
    /// What 0 becomes.
    public var from: Double
    /// What 127 becomes.
    public var to: Double

    public init(from: Double, to: Double) {
      self.from = from
      self.to = to
    }

    /// The argument for a value of 0 to 127.
    public func argument(for value: Int) -> Double { from + (to - from) * Double(value) / 127 }
  }

  public init(
    source: Source, command: String, arguments: [Argument] = [], range: Range? = nil
  ) {
    self.source = source
    self.command = command
    self.arguments = arguments
    self.range = range
  }
}
