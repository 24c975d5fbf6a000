import MusicalTime
import RealtimeHost
import Testing

@testable import BeatOutputs
@testable import OSCWire

@Suite struct LampThreadTests {
  @Test func `what ends a flash is sent, what a stop voids is not, whatever else waits`() throws {
    // Each round 2048 of 3000 find room, of these the voided two thirds over frame 1500 go.
    #expect(try playLamps(watched: false) > 0)
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
