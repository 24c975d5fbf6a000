internal import CLinux
internal import MusicalTime
internal import OSCWire
internal import RealtimeHost

/// The companion's end of the conversation with one daemon: datagrams with their instants.
///
/// - Thread: companion
@safe final class CompanionSocket {
  let descriptor: Int32
  /// Nil until it is known where the daemon is.
  private var daemon: clinux_endpoint?
  private let buffer: UnsafeMutablePointer<UInt8>
  private static let stride = 2_048
  private static let batch = 16

  /// - Throws: where no socket can be had.
  init() throws(ActuatorError) {
    let opened = clinux_udp_open(0)
    guard opened >= 0 else {
      throw ActuatorError(name: "UDP socket", code: -opened, help: "close other programs")
    }
    descriptor = opened
    unsafe buffer = .allocate(capacity: CompanionSocket.stride * CompanionSocket.batch)
  }

  deinit {
    clinux_close(descriptor)
    unsafe buffer.deallocate()
  }

  /// Speaks to the daemon there from now on.
  ///
  /// - Throws: where the host cannot be found; the one before is kept.
  func aim(host: String, port: UInt16) throws(ActuatorError) {
    var endpoint = clinux_endpoint()
    let found = unsafe clinux_resolve(host, port, &endpoint)
    guard found == 0 else {
      throw ActuatorError(
        name: "host '\(host)'", code: -found, help: "give the daemon's name or address")
    }
    daemon = endpoint
  }

  func send(_ message: OSCMessage) {
    guard var daemon else { return }
    let bytes = OSCPacketWriter.bytes(message)
    _ = unsafe clinux_send_to_all(descriptor, bytes, bytes.count, &daemon, 1)
  }

  /// Every message that waits, from the daemon's host only.
  func receive() -> [OSCMessage] {
    var messages: [OSCMessage] = []
    var lengths = [Int32](repeating: 0, count: CompanionSocket.batch)
    var sources = [clinux_endpoint](
      repeating: clinux_endpoint(), count: CompanionSocket.batch)
    while true {
      let count = unsafe clinux_receive_batch(
        descriptor, buffer, CompanionSocket.stride, Int32(CompanionSocket.batch), &lengths,
        &sources, nil)
      guard count > 0 else { return messages }
      for index in 0..<Int(count) where lengths[index] > 0 {
        guard isDaemon(sources[index]) else { continue }
        let bytes = unsafe Array(
          UnsafeBufferPointer(
            start: buffer + index * CompanionSocket.stride, count: Int(lengths[index])))
        guard let packet = try? OSCPacketReader.packet(bytes) else { continue }
        messages += packet.messages.map(\.message)
      }
      guard count == Int32(CompanionSocket.batch) else { return messages }
    }
  }

  private func isDaemon(_ source: clinux_endpoint) -> Bool {
    guard var daemon else { return false }
    var source = source
    return unsafe withUnsafeBytes(of: &source.address) { left in
      unsafe withUnsafeBytes(of: &daemon.address) { right in
        unsafe left.elementsEqual(right)
      }
    }
  }
}
