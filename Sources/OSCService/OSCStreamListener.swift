internal import OSCWire
internal import CLinux
internal import Glibc
internal import MusicalTime

/// TCP connections with OSC in either framing; bounded in number, frame size and idle time.
///
/// - Thread: control
final class OSCStreamListener {
  static let maximumConnections = 32
  static let idleNanoseconds: Int64 = 120_000_000_000
  /// Bytes that may wait for a slow reader before it is let go.
  static let maximumBacklog = 4 * OSCPacketLimits.bytes
  /// Bytes taken from one connection at a time.
  private static let readSize = 16_384

  final class Connection {
    let identifier: UInt32
    let descriptor: Int32
    let peer: SocketAddress
    var framing = OSCStreamFraming()
    var lastActivity: Int64
    var backlog: [UInt8] = []

    init(identifier: UInt32, descriptor: Int32, peer: SocketAddress, now: MonotonicTime) {
      self.identifier = identifier
      self.descriptor = descriptor
      self.peer = peer
      lastActivity = now.nanoseconds
    }

    deinit { close(descriptor) }
  }

  let descriptor: Int32
  private(set) var connections: [Connection] = []
  private(set) var refusedConnections = 0
  private var nextIdentifier: UInt32 = 1
  private var readBuffer = [UInt8](repeating: 0, count: OSCStreamListener.readSize)

  init(port: Int) throws(OSCSocketFailure) {
    let result = clinux_tcp_listen(UInt16(truncatingIfNeeded: port))
    guard result >= 0 else { throw OSCSocketFailure(errorNumber: -result) }
    descriptor = result
  }

  deinit { close(descriptor) }

  /// Accepts who may be heard; more than the most are closed at once.
  func accept(_ now: MonotonicTime, isHeard: (SocketAddress) -> Bool) {
    for _ in 0..<8 {
      var endpoint = clinux_endpoint()
      let client = unsafe clinux_tcp_accept(descriptor, &endpoint)
      guard client >= 0 else { return }
      let peer = SocketAddress(endpoint)
      guard connections.count < OSCStreamListener.maximumConnections, isHeard(peer) else {
        refusedConnections += 1
        close(client)
        continue
      }
      connections.append(
        Connection(identifier: nextIdentifier, descriptor: client, peer: peer, now: now))
      nextIdentifier = nextIdentifier == .max ? 1 : nextIdentifier + 1
    }
  }

  /// Reads what there is, at most one buffer from each connection.
  ///
  /// - Returns: connections that ended.
  func receive(
    _ now: MonotonicTime, _ take: (Connection, [UInt8]) -> Void
  ) -> [UInt32] {
    var ended: [UInt32] = []
    for connection in connections {
      let size = readBuffer.count
      let got = unsafe readBuffer.withUnsafeMutableBufferPointer {
        unsafe clinux_stream_read(connection.descriptor, $0.baseAddress, size)
      }
      if got == -Int(EAGAIN) || got == -Int(EINTR) {
        if now.nanoseconds - connection.lastActivity > OSCStreamListener.idleNanoseconds {
          ended.append(connection.identifier)
        }
        continue
      }
      guard got > 0 else {
        ended.append(connection.identifier)
        continue
      }
      connection.lastActivity = now.nanoseconds
      do {
        for packet in try connection.framing.take(readBuffer.prefix(got)) {
          take(connection, packet)
        }
      } catch {
        ended.append(connection.identifier)
      }
    }
    for identifier in ended { end(identifier) }
    return ended
  }

  func connection(_ identifier: UInt32) -> Connection? {
    connections.first { $0.identifier == identifier }
  }

  func end(_ identifier: UInt32) {
    connections.removeAll { $0.identifier == identifier }
  }

  /// - Returns: false where the reader is too slow and was let go.
  func send(_ packet: [UInt8], to connection: Connection) -> Bool {
    connection.backlog += connection.framing.frame(packet)
    return flush(connection)
  }

  @discardableResult
  func flush(_ connection: Connection) -> Bool {
    while !connection.backlog.isEmpty {
      let sent = unsafe clinux_stream_write(
        connection.descriptor, connection.backlog, connection.backlog.count)
      if sent > 0 {
        connection.backlog.removeFirst(Int(sent))
      } else if sent == -Int(EAGAIN) || sent == -Int(EINTR) {
        break
      } else {
        return false
      }
    }
    return connection.backlog.count <= OSCStreamListener.maximumBacklog
  }
}
