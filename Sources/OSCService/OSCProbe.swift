internal import OSCWire
internal import CLinux
internal import Glibc

/// Asks whether a tactusd answers on a port of this machine.
///
/// - Thread: any; waits up to 300 ms, so at start-up only.
enum OSCProbe {
  static func answers(port: Int) -> Bool {
    guard let port = UInt16(exactly: port), port > 0,
      let socket = try? OSCDatagramSocket(port: 0)
    else { return false }
    socket.send(
      OSCPacketWriter.bytes(OSCMessage("/tactus/ping", .string("probe"))),
      to: [.loopback(port: port)])
    var wait = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
    guard unsafe poll(&wait, 1, 300) > 0 else { return false }
    var isTactus = false
    _ = socket.receive { _, bytes in
      if let packet = try? OSCPacketReader.packet(bytes) {
        isTactus =
          isTactus || packet.messages.contains { $0.message.address == "/tactus/pong" }
      }
    }
    return isTactus
  }
}
