public import OSCProtocol
public import OSCWire
public import MetronomeModel
public import MusicalTime

/// Who sent a message: a source address and port, or a TCP connection.
///
/// - Thread: any
public struct ClientIdentity: Hashable, Sendable, CustomStringConvertible {
  public let source: SocketAddress
  /// 0 for datagrams.
  public let connection: UInt32

  public init(source: SocketAddress, connection: UInt32 = 0) {
    self.source = source
    self.connection = connection
  }

  /// A number of its own for each client, for its series of taps (FNV-1a).
  public var series: UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for word in [source.high, source.low, UInt64(source.port), UInt64(connection)] {
      for shift in stride(from: UInt64(0), to: 64, by: 8) {
        hash = (hash ^ (word >> shift & 0xFF)) &* 0x0000_0100_0000_01B3
      }
    }
    return hash
  }

  public var description: String { connection == 0 ? "\(source)" : "\(source) (TCP)" }
}

/// A command from outside with what is needed to answer it.
///
/// - Thread: conductor
public struct ControlRequest: Equatable, Sendable {
  public var command: ControlCommand
  public var client: ClientIdentity
  public var receivedAt: MonotonicTime
  /// The bundle's time tag; `.immediately` where there was none.
  public var timetag: OSCTimetag
  /// When a tagged Start or Continue wants to be heard: such a command comes before its instant.
  public var due: MonotonicTime?
  /// For answers and errors.
  public var address: String
}

/// The owner of the state, as the OSC side sees it.
///
/// - Thread: conductor
public protocol CommandSink: AnyObject {
  /// The commands of one message or of one bundle, in order. Refusals are answered by
  /// `OSCServer.refuse`, starts and changes by `OSCServer.answerEffective`.
  func perform(_ requests: [ControlRequest])
  /// What `info`, `stats` and the lists answer.
  func answer(_ query: InformationQuery) -> [OSCMessage]
}

/// Where an answer goes.
public enum OSCDestination: Hashable, Sendable {
  case datagram(SocketAddress)
  case stream(connection: UInt32)
}
