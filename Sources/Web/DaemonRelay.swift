internal import CLinux
internal import OSCProtocol
internal import OSCWire

/// One web client's own socket to the daemon, so that the daemon sees each of them as a client:
/// with its own subscription, its own faders, its own series of taps.
///
/// Every packet names the address that the client came from; the daemon grants it no more than
/// that address has.
///
/// - Thread: web
final class DaemonRelay {
  let descriptor: Int32
  private let prefix: [UInt8]

  /// - Parameter host: the address of the client's own end.
  /// - Returns: nil where no socket can be had.
  init?(daemonPort: UInt16, host: String) {
    let socket = clinux_udp_open(0)
    guard socket >= 0 else { return nil }
    var daemon = clinux_endpoint()
    let loopback: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 127, 0, 0, 1]
    unsafe withUnsafeMutableBytes(of: &daemon.address) { unsafe $0.copyBytes(from: loopback) }
    daemon.port = daemonPort
    guard unsafe clinux_udp_connect(socket, &daemon) == 0 else {
      clinux_close(socket)
      return nil
    }
    descriptor = socket
    prefix = OSCPacketWriter.bytes(OSCMessage(OSCAddressTable.onBehalfOf, .string(host)))
  }

  deinit { clinux_close(descriptor) }

  /// Hands a packet on.
  ///
  /// - Returns: false where it does not fit into a datagram, or the daemon is gone.
  func send(_ packet: [UInt8]) -> Bool {
    let bytes = OSCPacketWriter.bundle(.immediately, [prefix, packet])
    return unsafe clinux_stream_write(descriptor, bytes, bytes.count) == bytes.count
  }

  /// Takes what the daemon sent, a bounded number of packets.
  ///
  /// - Returns: false where the daemon is gone.
  func receive(_ take: ([UInt8]) -> Void) -> Bool {
    for _ in 0..<64 {
      var count = 0
      let packet = unsafe [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, filled in
        count = unsafe clinux_stream_read(descriptor, buffer.baseAddress, buffer.count)
        filled = max(count, 0)
      }
      // 111 is ECONNREFUSED: nobody listens at the daemon's port any more.
      guard count >= 0 else { return count != -111 }
      if count > 0 { take(Array(packet)) }
    }
    return true
  }

  /// The daemon need not wait for the lease to end.
  func close() { _ = send(OSCPacketWriter.bytes(OSCMessage("/tactus/unsubscribe"))) }
}
