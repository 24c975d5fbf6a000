/// What arrives at one of our ports.
///
/// - Thread: control
public struct SequencerEvent: Equatable, Sendable {
  public enum Kind: Equatable, Sendable {
    /// A note on of velocity 0 is a note off.
    case noteOn(channel: UInt8, note: UInt8, velocity: UInt8)
    case noteOff(channel: UInt8, note: UInt8)
    case controller(channel: UInt8, number: UInt8, value: UInt8)
    case program(channel: UInt8, number: UInt8)
    case clock
    case start
    case resume
    case stop
    case songPosition(UInt16)
    /// A port came or changed, went; a connection was made or ended.
    case portAppeared(SequencerAddress)
    case portVanished(SequencerAddress)
    case clientVanished(client: UInt8)
    case connected(SequencerConnection)
    case disconnected(SequencerConnection)
    /// Anything that nobody here has a use for.
    case other
  }

  public var kind: Kind
  public var source: SequencerAddress
  /// Our port.
  public var port: UInt8
  /// Nanoseconds of the queue that stamps the port; 0 where none does.
  public var queueNanoseconds: Int64

  public init(
    kind: Kind, source: SequencerAddress, port: UInt8, queueNanoseconds: Int64 = 0
  ) {
    self.kind = kind
    self.source = source
    self.port = port
    self.queueNanoseconds = queueNanoseconds
  }
}
