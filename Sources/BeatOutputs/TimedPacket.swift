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
  var endsFlash: Bool {
    @_noAllocation @_noLocks get { frame.value == FrameIndex.distantPast.value }
  }

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
@safe struct TimedPackets {
  /// More than 64 lamps with two messages a beat at 999 beats a minute have within a second.
  static let capacity = 2_048

  // Those that wait lie from `begin` on, in a row.
  private let packets: UnsafeMutablePointer<TimedPacket>
  private var begin = 0
  private(set) var count = 0
  /// Packets that found no room.
  private(set) var overflowed = 0

  init() {
    unsafe packets = UnsafeMutablePointer<TimedPacket>.allocate(capacity: TimedPackets.capacity)
  }

  /// The owner calls it once, last.
  func free() { unsafe packets.deallocate() }

  var nextDeadline: MonotonicTime? {
    @_noAllocation @_noLocks get { count > 0 ? unsafe packets[begin].at : nil }
  }

  @_noAllocation @_noLocks
  mutating func add(_ packet: TimedPacket) {
    // TimedPackets.capacity by its number: a static is looked up under a lock.
    guard count < 2_048 else {
      overflowed &+= 1
      return
    }
    if begin &+ count == 2_048 { moveDown() }
    // Mostly the newest is the last: look from the end.
    var index = begin &+ count
    while index > begin,
      unsafe packets[index &- 1].at.nanoseconds > packet.at.nanoseconds
    {
      unsafe packets[index] = packets[index &- 1]
      index &-= 1
    }
    unsafe packets[index] = packet
    count &+= 1
  }

  /// Takes out what a stop from this frame on makes void.
  @_noAllocation @_noLocks
  mutating func cancel(from frame: FrameIndex) {
    var kept = begin
    var index = begin
    let end = begin &+ count
    while index < end {
      // Packets that end a flash have a frame of their own, before all others.
      let own = unsafe packets[index].frame.value
      let isVoid = own != Int64.min / 2 && own >= frame.value
      if !isVoid {
        if kept != index { unsafe packets[kept] = packets[index] }
        kept &+= 1
      }
      index &+= 1
    }
    count = kept &- begin
  }

  /// The first packet, where it is due.
  @_noAllocation @_noLocks
  mutating func takeDue(_ now: MonotonicTime) -> TimedPacket? {
    guard count > 0, unsafe packets[begin].at.nanoseconds <= now.nanoseconds else { return nil }
    let packet = unsafe packets[begin]
    begin &+= 1
    count &-= 1
    if count == 0 { begin = 0 }
    return packet
  }

  @_noAllocation @_noLocks
  private mutating func moveDown() {
    var index = 0
    while index < count {
      unsafe packets[index] = packets[begin &+ index]
      index &+= 1
    }
    begin = 0
  }
}
