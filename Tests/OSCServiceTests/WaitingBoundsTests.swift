import MusicalTime
import Testing

@testable import OSCProtocol
@testable import OSCService
@testable import OSCWire

/// What waits for its time or its turn takes bounded memory, however large the packets.
@Suite struct WaitingBounds {
  private static func group(_ port: UInt16, _ messages: [OSCMessage]) -> HeldMessages.Group {
    HeldMessages.Group(
      releaseAt: MonotonicTime(nanoseconds: 5), due: MonotonicTime(nanoseconds: 5),
      client: ClientIdentity(source: .loopback(port: port)), permission: .play,
      receivedAt: MonotonicTime(nanoseconds: 0), timetag: .immediately, messages: messages)
  }

  @Test func `commands for a later time wait by their number, large packets by their bytes`() {
    var held = HeldMessages()
    func takes(_ port: UInt16, _ message: OSCMessage) -> Bool {
      held.add(Self.group(port, [message]))
    }
    let small = OSCMessage("/tactus/tempo", .float(120))
    let large = OSCMessage("/tactus/tempo", .blob([UInt8](repeating: 7, count: 30_000)))
    for _ in 0..<256 { #expect(takes(1, small)) }
    #expect(!takes(1, small))
    // 64 KB a client: two of 30 KB, not three.
    #expect(takes(2, large))
    #expect(takes(2, large))
    #expect(!takes(2, large))
    // A MB for all together: at most 17 clients with two each, and the 256 small ones.
    var taken = 0
    for port in 3..<40 {
      for _ in 0..<2 where takes(UInt16(port), large) { taken += 1 }
    }
    #expect((28...33).contains(taken))
    // What has gone makes room again.
    while held.takeDue(MonotonicTime(nanoseconds: 5)) != nil {}
    #expect(held.count == 0)
    #expect(takes(2, large))
  }

  @Test func `of values over the rate only small ones wait, and not of any number of addresses`() {
    var record = ClientRecord(now: MonotonicTime(nanoseconds: 0))
    let large = record.keep(
      OSCMessage("/tactus/volume", .string(String(repeating: "x", count: 2_000))))
    #expect(!large)
    var kept = 0
    for index in 0..<1_000
    where record.keep(OSCMessage("/tactus/midi/\(index)/offset", .int32(1))) {
      kept += 1
    }
    #expect(kept == 256)
    // The newest of an address counts, in the order of the newest.
    let isKept = record.keep(OSCMessage("/tactus/midi/7/offset", .int32(2)))
    #expect(isKept)
    let taken = record.takeValues { _ in true }
    #expect(taken.count == 256)
    #expect(taken.last == OSCMessage("/tactus/midi/7/offset", .int32(2)))
    #expect(!record.hasWaitingValues)
  }
}
