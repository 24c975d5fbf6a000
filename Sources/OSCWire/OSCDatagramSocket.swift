internal import CLinux
internal import Glibc

/// The UDP socket: IPv6 and IPv4 on one port.
///
/// - Thread: control
@safe package final class OSCDatagramSocket {
  package let descriptor: Int32
  package private(set) var received = 0
  package private(set) var tooLong = 0

  // 16 datagrams at a time; pages that no datagram reaches stay untouched.
  private static let batch = 16
  private static let stride = OSCPacketLimits.bytes
  private let buffer: UnsafeMutablePointer<UInt8>

  /// - Throws: errno.
  package init(port: Int) throws(OSCSocketFailure) {
    let result = clinux_udp_open(UInt16(truncatingIfNeeded: port))
    guard result >= 0 else { throw OSCSocketFailure(errorNumber: -result) }
    descriptor = result
    unsafe buffer = .allocate(capacity: OSCDatagramSocket.batch * OSCDatagramSocket.stride)
  }

  deinit {
    close(descriptor)
    unsafe buffer.deallocate()
  }

  package var port: Int { Int(clinux_local_port(descriptor)) }

  /// Takes at most one batch.
  ///
  /// - Returns: whether there may be more.
  package func receive(_ take: (SocketAddress, Span<UInt8>) -> Void) -> Bool {
    receive { source, _, bytes in take(source, bytes) }
  }

  /// How a datagram came in: its source can be forged, this cannot.
  package enum Arrival: UInt8 {
    // As in clinux_receive_batch.
    case ipv6 = 0
    case ipv4 = 1
    case loopback = 2
  }

  /// Takes at most one batch, with how each datagram came in.
  ///
  /// - Returns: whether there may be more.
  package func receive(
    _ take: (SocketAddress, Arrival, Span<UInt8>) -> Void
  ) -> Bool {
    var lengths = [Int32](repeating: 0, count: OSCDatagramSocket.batch)
    var sources = [clinux_endpoint](repeating: clinux_endpoint(), count: OSCDatagramSocket.batch)
    var arrivals = [UInt8](repeating: 0, count: OSCDatagramSocket.batch)
    let count = unsafe clinux_receive_batch(
      descriptor, buffer, OSCDatagramSocket.stride, Int32(OSCDatagramSocket.batch), &lengths,
      &sources, &arrivals)
    guard count > 0 else { return false }
    for index in 0..<Int(count) {
      received += 1
      guard lengths[index] >= 0 else {
        tooLong += 1
        continue
      }
      let bytes = unsafe UnsafeBufferPointer(
        start: buffer + index * OSCDatagramSocket.stride, count: Int(lengths[index]))
      unsafe take(
        SocketAddress(sources[index]), Arrival(rawValue: arrivals[index]) ?? .ipv6, bytes.span)
    }
    return Int(count) == OSCDatagramSocket.batch
  }

  package func send(_ bytes: [UInt8], to targets: [SocketAddress]) {
    guard !targets.isEmpty, !bytes.isEmpty else { return }
    let endpoints = targets.map(\.endpoint)
    unsafe clinux_send_to_all(
      descriptor, bytes, bytes.count, endpoints, Int32(truncatingIfNeeded: endpoints.count))
  }

  /// Sends bytes without waiting, from any thread.
  package static func send(
    _ bytes: UnsafeBufferPointer<UInt8>, to address: SocketAddress, through descriptor: Int32
  ) {
    var endpoint = address.endpoint
    _ = unsafe clinux_send_to_all(descriptor, bytes.baseAddress, bytes.count, &endpoint, 1)
  }
}

/// A socket call that failed.
package struct OSCSocketFailure: Error, Equatable {
  package let errorNumber: Int32

  package init(errorNumber: Int32) { self.errorNumber = errorNumber }

  package var isPortTaken: Bool { errorNumber == EADDRINUSE }
  package var text: String { unsafe String(cString: strerror(errorNumber)) }
}
