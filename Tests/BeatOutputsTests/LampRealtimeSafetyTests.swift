import CLinux
import Glibc
import MusicalTime
import RealtimeHost
import Testing
import ThreadCrossing

@testable import BeatOutputs
@testable import OSCWire

/// The sanitizer ends the process with status 43 at the first call that may wait or allocate.
@Suite(
  .enabled(if: getenv("TACTUS_RTSAN") != nil, "only a build with TACTUS_RTSAN=1 can judge this"))
struct LampRealtimeSafetyTests {
  @Test func `the thread of the lamps neither allocates nor locks between two waits`() async {
    await #expect(processExitsWith: .success) {
      // The first time outside the context: a debug build sets up generic types on first use.
      _ = try playLamps(watched: false)
      _ = try playLamps(watched: true)
    }
  }
}

private func packet(at nanoseconds: Int64, frame: Int64?) throws -> TimedPacket {
  try #require(
    TimedPacket(
      SendQueue.Item(
        at: MonotonicTime(nanoseconds: nanoseconds), bytes: [47, 97, 0, 0],
        recipient: .address(.loopback(port: 9)), frame: frame.map { FrameIndex($0) }),
      to: .loopback(port: 9)))
}

/// Everything that the thread of the lamps does between two waits, but for the sending itself.
func playLamps(watched: Bool) throws -> Int {
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
