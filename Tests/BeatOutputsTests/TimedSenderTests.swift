import CLinux
import MusicalTime
import RealtimeEngine
import RealtimeHost
import Testing
import ThreadCrossing

@testable import BeatOutputs
@testable import OSCProtocol
@testable import OSCService
@testable import OSCWire

@Suite struct TimedSenderTests {
  func at(_ milliseconds: Double) -> MonotonicTime {
    MonotonicTime(nanoseconds: Int64(milliseconds * 1e6))
  }

  func packet(_ name: UInt8, at milliseconds: Double, frame: Int64? = nil) throws -> TimedPacket {
    try #require(
      TimedPacket(
        SendQueue.Item(
          at: at(milliseconds), bytes: [name, 0, 0, 0],
          recipient: .address(.loopback(port: 7_700)), frame: frame.map { FrameIndex($0) }),
        to: .loopback(port: 7_700)))
  }

  /// What one turn of the thread sends.
  func turn(_ loop: TimedSenderLoop, at milliseconds: Double) -> [UInt8] {
    var sent: [UInt8] = []
    loop.turn(now: { at(milliseconds) }) { packet in
      packet.withBytes { sent.append($0[0]) }
    }
    return sent
  }

  @Test func `packets go at their instants, in their order, never ahead`() throws {
    let queue = SPSCQueue<TimedOrder>(capacity: 8)
    let loop = TimedSenderLoop(orders: queue)
    for (name, instant) in [(UInt8(1), 500.0), (2, 480), (3, 560), (4, 480)] {
      queue.push(.send(try packet(name, at: instant, frame: 1)))
    }
    #expect(turn(loop, at: 479.999) == [])
    #expect(loop.nextDeadline == at(480))
    #expect(turn(loop, at: 480) == [2, 4])
    #expect(turn(loop, at: 530) == [1])
    #expect(turn(loop, at: 560) == [3])
    #expect(loop.nextDeadline == nil)
    // The one of 500 ms went at 530.
    #expect(loop.status.sent == 4 && loop.status.worstLateness == 30_000_000)
  }

  @Test func `a stop that arrives with the instant is obeyed by it`() throws {
    let queue = SPSCQueue<TimedOrder>(capacity: 8)
    let loop = TimedSenderLoop(orders: queue)
    queue.push(.send(try packet(1, at: 500, frame: 24_000)))
    queue.push(.send(try packet(2, at: 500, frame: 24_001)))
    // The end of a flash has no frame: a lamp that is lit goes dark.
    queue.push(.send(try packet(3, at: 560)))
    _ = turn(loop, at: 400)
    queue.push(.cancel(FrameIndex(24_001)))
    // The next start's are behind the stop, although their frames are higher.
    queue.push(.send(try packet(4, at: 500, frame: 30_000)))
    #expect(turn(loop, at: 500) == [1, 4])
    #expect(turn(loop, at: 600) == [3])
  }

  @Test func `a flash later than 50 ms is dropped and counted, its end is sent`() throws {
    let queue = SPSCQueue<TimedOrder>(capacity: 8)
    let loop = TimedSenderLoop(orders: queue)
    queue.push(.send(try packet(1, at: 500, frame: 1)))
    queue.push(.send(try packet(2, at: 500)))
    queue.push(.send(try packet(3, at: 501, frame: 1)))
    #expect(turn(loop, at: 551) == [2, 3])
    #expect(loop.status.dropped == 1)
  }

  @Test func `at the end every lamp goes dark at once`() throws {
    let queue = SPSCQueue<TimedOrder>(capacity: 8)
    let loop = TimedSenderLoop(orders: queue)
    queue.push(.send(try packet(1, at: 500, frame: 1)))
    queue.push(.send(try packet(2, at: 560)))
    queue.push(.send(try packet(3, at: 9_000)))
    queue.push(.end)
    #expect(turn(loop, at: 400) == [2, 3])
    #expect(loop.isEnded)
  }

  @Test func `what finds no room is counted, and nothing that waits is lost for it`() throws {
    var packets = TimedPackets()
    defer { packets.free() }
    let flash = try packet(1, at: 500, frame: 1)
    for _ in 0..<TimedPackets.capacity { packets.add(flash) }
    packets.add(try packet(2, at: 400, frame: 1))
    #expect(packets.overflowed == 1)
    var sent = 0
    while packets.takeDue(at(500)) != nil { sent += 1 }
    #expect(sent == TimedPackets.capacity)
  }

  @Test func `a stop that finds the queue full is neither lost nor overtaken`() throws {
    let queue = SPSCQueue<TimedOrder>(capacity: 2)
    var orders = TimedOrders(queue: queue)
    let loop = TimedSenderLoop(orders: queue)
    #expect(orders.send(try packet(1, at: 500, frame: 100)))
    #expect(orders.send(try packet(2, at: 500, frame: 300)))
    orders.cancel(from: FrameIndex(300))
    orders.cancel(from: FrameIndex(200))
    #expect(!orders.send(try packet(3, at: 500, frame: 400)))
    #expect(turn(loop, at: 400) == [])
    #expect(orders.send(try packet(4, at: 500, frame: 500)))
    // The earlier of the two stops, then what came after both.
    #expect(turn(loop, at: 500) == [1, 4])
  }

  @Test func `a packet is 256 bytes, and one that does not fit is left to the control thread`() {
    #expect(MemoryLayout<TimedPacket>.stride == 256)
    for (count, fits) in [(0, false), (1, true), (212, true), (213, false)] {
      let item = SendQueue.Item(
        at: at(0), bytes: [UInt8](repeating: 7, count: count),
        recipient: .address(.loopback(port: 1)), frame: nil)
      var read: [UInt8]?
      TimedPacket(item, to: .loopback(port: 1))?.withBytes { read = Array($0) }
      #expect(read == (fits ? item.bytes : nil))
    }
  }

  @Test func `the thread sends through the server's own socket`() throws {
    let socket = try OSCDatagramSocket(port: 0)
    let lamp = try OSCDatagramSocket(port: 0)
    let sender = try TimedSender(socket: socket, priority: nil)
    // Already due: nothing here depends on how soon the thread runs. The flash itself would be
    // dropped where the machine is slow, so both are ends of flashes.
    let instant = MonotonicClock.now()
    let address = SocketAddress.loopback(port: UInt16(lamp.port))
    for message in [OSCMessage("/lamp", .float(1)), OSCMessage("/lamp", .float(0))] {
      let item = SendQueue.Item(
        at: instant, bytes: OSCPacketWriter.bytes(message), recipient: .address(address),
        frame: nil)
      #expect(sender.take(item, to: address))
    }
    sender.wake()
    var messages: [OSCMessage] = []
    var ports: Set<UInt16> = []
    while messages.count < 2 {
      var poll = clinux_poll(descriptor: lamp.descriptor, wanted: 1, came: 0)
      #expect(clinux_wait(&poll, 1, 10_000_000_000) > 0)
      guard poll.came != 0 else { return }
      _ = lamp.receive { source, bytes in
        ports.insert(source.port)
        messages += ((try? OSCPacketReader.packet(bytes))?.messages ?? []).map(\.message)
      }
    }
    #expect(messages == [OSCMessage("/lamp", .float(1)), OSCMessage("/lamp", .float(0))])
    #expect(ports == [UInt16(socket.port)])
    sender.end()
    #expect(sender.status.sent == 2)
  }
}

/// Takes what it is given, or nothing.
final class RecordingSender: InstantOutlet {
  var takes = true
  var orders: [String] = []

  func take(_ item: SendQueue.Item, to address: SocketAddress) -> Bool {
    guard takes else { return false }
    orders.append("\(item.at.nanoseconds / 1_000_000)")
    return true
  }
  func cancel(from frame: FrameIndex) { orders.append("cancel \(frame.value)") }
  func wake() { orders.append("wake") }
}

extension BeatBroadcasterTests {
  @Test func `what is due at an instant is handed to the sender as soon as it is known`() {
    let (outlet, broadcaster) = make([target(.gate(path: "/lamp", milliseconds: 60))])
    let sender = RecordingSender()
    outlet.topics = []
    broadcaster.punctual = sender
    broadcaster.handle(.beat(beat(1)), heardAt: at(500), now: at(400))
    broadcaster.handle(
      .stopped(
        StopEvent(frame: FrameIndex(25_000), nextPulse: 0, songPulse: 0, isPanic: false)),
      heardAt: at(520), now: at(410))
    #expect(sender.orders == ["500", "560", "wake", "cancel 25000", "wake"])
    run(broadcaster, outlet, to: 400)
    #expect(outlet.sent.filter { $0.topic == nil }.isEmpty)
  }

  @Test func `what the sender cannot take the control thread sends itself`() {
    let (outlet, broadcaster) = make([target(.gate(path: "/lamp", milliseconds: 60))])
    let sender = RecordingSender()
    sender.takes = false
    outlet.topics = []
    broadcaster.punctual = sender
    broadcaster.handle(.beat(beat(1)), heardAt: at(500), now: at(400))
    run(broadcaster, outlet, to: 1_000)
    #expect(outlet.sent.map(\.at) == [at(500), at(560)].map(\.nanoseconds))
    #expect(broadcaster.status.sent == 2)
  }

  @Test func `phases are made 50 ms ahead for the sender, each once`() {
    let (outlet, broadcaster) = make([target(.phase(path: "/phase", rate: 10))])
    let sender = RecordingSender()
    broadcaster.punctual = sender
    for index in 0..<2 {
      broadcaster.handle(
        .beat(beat(Int64(index))), heardAt: at(1_000 + Double(index) * 500), now: at(900))
    }
    #expect(broadcaster.nextDeadline == at(950))
    run(broadcaster, outlet, to: 1_200)
    #expect(sender.orders.filter { Int($0) != nil } == ["1000", "1100", "1200"])
  }
}
