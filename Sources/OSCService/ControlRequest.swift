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
  /// Whether it came in on the loopback interface.
  public let isLocal: Bool
  /// Whose rights it has where a program of this machine speaks for somebody: a browser's address.
  public let behalf: SocketAddress?

  /// - Parameter isLocal: nil where the source can be believed: for a connection.
  public init(
    source: SocketAddress, connection: UInt32 = 0, isLocal: Bool? = nil,
    onBehalfOf behalf: SocketAddress? = nil
  ) {
    self.source = source
    self.connection = connection
    self.isLocal = isLocal ?? source.isLoopback
    self.behalf = behalf
  }

  /// The address that decides what it may do.
  var rights: SocketAddress { behalf ?? source }
  /// Its host, whatever the port: what limits count.
  var host: SocketAddress { rights.with(port: 0) }

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

  public var description: String {
    if let behalf { return "\(behalf.host) (browser)" }
    return connection == 0 ? "\(source)" : "\(source) (TCP)"
  }
}

/// A command from outside with what is needed to answer it.
///
/// - Thread: control
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
/// - Thread: control
public protocol CommandSink: AnyObject {
  /// The commands of one message or of one bundle, in order. Refusals are answered by
  /// `OSCServer.refuse`, starts and changes by `OSCServer.answerEffective`.
  func perform(_ requests: [ControlRequest])
  /// What `info`, `stats` and the lists answer.
  func answer(_ query: InformationQuery) -> [OSCMessage]
  /// Whether the answer has to be read first: it then comes by `OSCServer.answer`.
  func reads(_ query: InformationQuery, for client: ClientIdentity) -> Bool
  /// Whether something that this client asked for is not answered yet; when it is, the sink calls
  /// `OSCServer.answersGiven`.
  func isWaiting(_ client: ClientIdentity) -> Bool
}

extension CommandSink {
  public func reads(_ query: InformationQuery, for client: ClientIdentity) -> Bool { false }
  public func isWaiting(_ client: ClientIdentity) -> Bool { false }
}

/// Where an answer goes.
public enum OSCDestination: Hashable, Sendable {
  case datagram(SocketAddress)
  case stream(connection: UInt32)
}
