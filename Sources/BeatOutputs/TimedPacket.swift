internal import OSCWire
internal import MusicalTime

/// A datagram that waits for its instant, as it crosses to the thread that sends it.
///
/// - Thread: any
struct TimedPacket: BitwiseCopyable, Sendable {
  /// Makes 256 bytes of the whole: 8 + 8 + 24 + 4 stand before.
  static let mostBytes = 212

  let at: MonotonicTime
  /// What a stop from this frame on takes back; `distantPast` is never taken back.
  let frame: FrameIndex
  let address: SocketAddress
  let count: Int32
  private var storage = InlineArray<212, UInt8>(repeating: 0)

  /// - Returns: nil where there are no bytes, or more than `mostBytes`.
  init?(_ item: SendQueue.Item, to address: SocketAddress) {
    guard (1...TimedPacket.mostBytes).contains(item.bytes.count) else { return nil }
    at = item.at
    frame = item.frame ?? .distantPast
    self.address = address
    count = Int32(item.bytes.count)
    for index in item.bytes.indices { storage[index] = item.bytes[index] }
  }

  /// Sent even where it is late, and never taken back: what ends a flash.
  var endsFlash: Bool { frame == .distantPast }

  /// Calls back with the bytes as they lie in the packet.
  func withBytes(_ body: (UnsafeBufferPointer<UInt8>) -> Void) {
    unsafe storage.span.extracting(0..<Int(count)).withUnsafeBufferPointer { bytes in
      unsafe body(bytes)
    }
  }
}

/// What the control thread tells the sending thread.
enum TimedOrder: BitwiseCopyable, Sendable {
  case send(TimedPacket)
  /// A stop: everything from this frame on is void.
  case cancel(FrameIndex)
  /// Send what ends a flash, and end.
  case end
}

/// The packets that wait, in the order of their instants; no memory is asked for after the start.
///
/// - Thread: lamps
struct TimedPackets {
  /// More than 64 lamps with two messages a beat at 999 beats a minute have within a second.
  static let capacity = 2_048

  private var packets: [TimedPacket] = []
  /// Packets that found no room.
  private(set) var overflowed = 0

  init() { packets.reserveCapacity(TimedPackets.capacity) }

  var nextDeadline: MonotonicTime? { packets.first?.at }
  var count: Int { packets.count }

  mutating func add(_ packet: TimedPacket) {
    guard packets.count < TimedPackets.capacity else {
      overflowed += 1
      return
    }
    // Mostly the newest is the last: look from the end.
    var index = packets.count
    while index > 0, packets[index - 1].at > packet.at { index -= 1 }
    packets.insert(packet, at: index)
  }

  mutating func cancel(from frame: FrameIndex) {
    packets.removeAll { !$0.endsFlash && $0.frame >= frame }
  }

  /// Hands on what is due, in order.
  mutating func sendDue(_ now: MonotonicTime, _ send: (TimedPacket) -> Void) {
    var count = 0
    while count < packets.count, packets[count].at <= now {
      send(packets[count])
      count += 1
    }
    if count > 0 { packets.removeFirst(count) }
  }
}
