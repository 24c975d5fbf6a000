import MusicalTime
import OSCProtocol
import OSCWire
import Testing

@testable import OSCService

/// A program of this machine that speaks for a browser.
@Suite struct BehalfTests {
  private func packet(for host: String, _ messages: OSCMessage...) -> OSCPacket {
    .bundle(
      .immediately,
      [.message(OSCMessage("/tactus/from", .string(host)))] + messages.map { .message($0) })
  }

  @Test func `who speaks for another has no more rights than that one`() throws {
    let allowed = try #require(AddressNetwork("203.0.113.0/24"))
    let observed = try #require(AddressNetwork("198.51.100.0/24"))
    let bench = try Bench { $0.access = NetworkAccess(allow: [allowed], observe: [observed]) }
    let peer = try bench.peer()
    let lock = OSCMessage("/tactus/lock", .string("4711"))
    let start = OSCMessage("/tactus/start")
    // An attached or allowed network plays and no more.
    peer.send(packet(for: "203.0.113.9", lock, OSCMessage("/tactus/ping", .int32(1))))
    var seen = try peer.wait { $0.address == "/tactus/pong" }
    #expect(seen.first?.arguments.first == .string("/tactus/lock"))
    #expect(!bench.server.isLocked)
    peer.send(packet(for: "203.0.113.9", start, OSCMessage("/tactus/ping", .int32(2))))
    seen = try peer.wait { $0.address == "/tactus/pong" }
    #expect(seen.count == 1)
    // An observed one looks on.
    peer.send(packet(for: "198.51.100.9", start, OSCMessage("/tactus/ping", .int32(3))))
    seen = try peer.wait { $0.address == "/tactus/pong" }
    #expect(seen.first?.address == "/tactus/error")
    // Somebody whose network is not heard, or is no address at all, is not answered.
    for host in ["233.252.0.1", "localhost", ""] {
      peer.send(packet(for: host, OSCMessage("/tactus/ping", .int32(4))))
    }
    #expect(try peer.everything().isEmpty)
    // This machine's own browser is this machine.
    peer.send(packet(for: "127.0.0.1", lock))
    _ = try peer.everything()
    #expect(bench.server.isLocked)
    // And a lock holds against a browser elsewhere, without the PIN.
    peer.send(packet(for: "203.0.113.9", OSCMessage("/tactus/unlock"), start))
    _ = try peer.everything()
    #expect(bench.server.isLocked)
  }

  @Test func `the daemon tells its clock with the time tag of the same instant`() throws {
    let bench = try Bench()
    let peer = try bench.peer()
    peer.send("/tactus/clock")
    let answer = try peer.wait(for: "/tactus/clock")
    guard case .int64(let nanoseconds) = answer.arguments.first,
      case .timetag(let tag) = answer.arguments.last
    else {
      Issue.record("\(answer)")
      return
    }
    #expect(nanoseconds == bench.clock.now.nanoseconds)
    #expect(tag == bench.server.clock.timetag(bench.clock.now))
  }
}
