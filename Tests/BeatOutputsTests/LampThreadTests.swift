import CLinux
import Glibc
import MusicalTime
import RealtimeHost
import Testing
import ThreadCrossing

@testable import BeatOutputs
@testable import OSCWire

private func packet(at nanoseconds: Int64, frame: Int64?) throws -> TimedPacket {
  try #require(
    TimedPacket(
      SendQueue.Item(
        at: MonotonicTime(nanoseconds: nanoseconds), bytes: [47, 97, 0, 0],
        recipient: .address(.loopback(port: 9)), frame: frame.map { FrameIndex($0) }),
      to: .loopback(port: 9)))
}

/// Everything that the thread of the lamps does between two waits, but for the sending itself.
private func playEverything(watched: Bool) throws -> Int {
  let queue = SPSCQueue<TimedOrder>(capacity: 4_096)
  let loop = TimedSenderLoop(orders: queue)
  var packets: [TimedPacket] = []
  for index in Int64(0)..<3_000 {
    // In and out of their order; more than there is room for.
    let instant: Int64 = index * 7_919 % 3_000 * 1_000
    packets.append(try packet(at: instant, frame: index % 3 == 0 ? nil : index))
  }
  var sent = 0
  for round in 0..<3 {
    for packet in packets { queue.push(.send(packet)) }
    queue.push(.cancel(FrameIndex(1_500)))
    if round == 2 { queue.push(.end) }
    if watched { clinux_rtsan_enter() }
    loop.takeOrders()
    var now: Int64 = 0
    while now < 3_500_000 {
      while loop.next(MonotonicTime(nanoseconds: now)) != nil { sent += 1 }
      now += 500_000
    }
    if watched { clinux_rtsan_exit() }
  }
  return sent
}

/// The sanitizer ends the process with status 43 at the first call that may wait or allocate.
@Suite(
  .enabled(if: getenv("TACTUS_RTSAN") != nil, "only a build with TACTUS_RTSAN=1 can judge this"))
struct LampRealtimeSafetyTests {
  @Test func `the thread of the lamps neither allocates nor locks between two waits`() async {
    await #expect(processExitsWith: .success) {
      // The first time outside the context: a debug build sets up generic types on first use.
      _ = try playEverything(watched: false)
      _ = try playEverything(watched: true)
    }
  }
}

@Suite struct LampThreadTests {
  @Test func `what ends a flash is sent, what a stop voids is not, whatever else waits`() throws {
    // Each round 2048 of 3000 find room, of these the voided two thirds over frame 1500 go.
    #expect(try playEverything(watched: false) > 0)
  }

  /// Under ThreadSanitizer a race between the control thread and the lamps' ends this test.
  @Test func `orders, status and the end cross between two threads without a race`() throws {
    let socket = try OSCDatagramSocket(port: 0)
    let sender = try TimedSender(socket: socket, priority: nil)
    let now = MonotonicClock.now().nanoseconds
    for index in Int64(0)..<500 {
      _ = sender.take(
        SendQueue.Item(
          at: MonotonicTime(nanoseconds: now + index * 1_000), bytes: [47, 97, 0, 0],
          recipient: .address(.loopback(port: 9)), frame: FrameIndex(index)),
        to: .loopback(port: 9))
      if index % 50 == 0 { sender.cancel(from: FrameIndex(index)) }
      sender.wake()
      _ = sender.status
    }
    sender.end()
    #expect(sender.status.overflowed == 0)
  }
}
