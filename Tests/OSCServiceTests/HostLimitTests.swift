import Glibc
import MetronomeModel
import MusicalTime
import Testing

@testable import OSCProtocol
@testable import OSCService
@testable import OSCWire

@Suite struct HostLimitTests {
  /// A client of an attached network; what is sent to it goes to a closed port of this machine.
  func client(port: UInt16, host: UInt64 = 1) -> ClientIdentity {
    ClientIdentity(
      source: SocketAddress(high: 0, low: 0xFFFF_7F00_0000 + host, port: port), isLocal: false)
  }

  func ask(_ bench: Bench, _ intent: OSCIntent, _ client: ClientIdentity, _ path: String) {
    bench.server.serve(intent, of: "/tactus/" + path, client, .play, bench.clock.now)
  }

  @Test func `the ports of one host share its five bundles a second`() throws {
    let bench = try Bench()
    bench.server.publish("/tactus/tempo", [.float(120)])
    for port in UInt16(1_000)..<1_500 { ask(bench, .state, client(port: port), "state") }
    // Five at once, five more within the second; each of the others is told that it is too many.
    let withErrors = bench.server.counters.sent
    #expect(withErrors == 5 + (500 - 10))
    for _ in 0..<60 {
      bench.clock.advance(seconds: 0.02)
      bench.service()
    }
    #expect(bench.server.counters.sent == withErrors + 5)
    // Another host has its own, and this machine's clients do not share.
    ask(bench, .state, client(port: 9, host: 2), "state")
    #expect(bench.server.counters.sent == withErrors + 6)
    for port in UInt16(2_000)..<2_020 {
      ask(bench, .state, ClientIdentity(source: .loopback(port: port)), "state")
    }
    #expect(bench.server.counters.sent == withErrors + 26)
  }

  @Test func `a host has 500 answers a second, whatever it asks and however many ports it has`()
    throws
  {
    let bench = try Bench()
    bench.server.publish("/tactus/tempo", [.float(120)])
    for port in UInt16(1_000)..<3_000 { ask(bench, .ask, client(port: port), "tempo") }
    #expect(bench.server.counters.sent == 500)
    // The rest was not sent and not forgotten either: no pong before it is told.
    bench.server.serve(
      .ping([]), of: "/tactus/ping", client(port: 2_999), .play, bench.clock.now)
    #expect(bench.server.counters.sent == 500)
    bench.clock.advance(seconds: 1)
    bench.server.serve(
      .ping([]), of: "/tactus/ping", client(port: 2_999), .play, bench.clock.now)
    #expect(bench.server.counters.sent == 502)
  }

  @Test func `sixteen subscriptions a host, room for this machine, which can end any`() throws {
    let bench = try Bench()
    func subscribe(_ client: ClientIdentity) -> Bool {
      let before = bench.server.subscriberCount
      ask(bench, .subscribe(port: nil, topics: .beat, seconds: 600), client, "subscribe")
      return bench.server.subscriberCount > before
    }
    for port in UInt16(1)...16 { #expect(subscribe(client(port: port))) }
    #expect(!subscribe(client(port: 17)))
    // Six more hosts fill what is for others: 7 x 16 = 112 of 128.
    for host in UInt64(2)...7 {
      for port in UInt16(1)...16 { #expect(subscribe(client(port: port, host: host))) }
    }
    #expect(!subscribe(client(port: 1, host: 8)))
    let local = ClientIdentity(source: .loopback(port: 99))
    #expect(subscribe(local))
    #expect(bench.server.subscriberList(bench.clock.now).arguments.count == 113)
    // One host may not end another's, the owner may.
    let one = client(port: 1).source.host
    ask(bench, .unsubscribeHost(one), client(port: 1, host: 2), "unsubscribe")
    #expect(bench.server.subscriberCount == 113)
    bench.server.serve(
      .unsubscribeHost(one), of: "/tactus/unsubscribe", local, .admin, bench.clock.now)
    // 127.0.0.1 is this machine's own subscription as well in this test.
    #expect(bench.server.subscriberCount == 96)
  }

  @Test func `one that sends nothing but its subscription gets 20 KB at the most`() throws {
    let bench = try Bench()
    let listener = try OSCDatagramSocket(port: 0)
    let victim = client(port: UInt16(listener.port))
    ask(bench, .subscribe(port: nil, topics: .all, seconds: 600), victim, "subscribe")
    func received() -> Int {
      var bytes = 0
      for _ in 0..<50 {
        while listener.receive({ _, packet in bytes += packet.count }) {}
        poll(nil, 0, 1)
      }
      return bytes
    }
    let beat = [UInt8](repeating: 0, count: 100)
    for _ in 0..<300 { bench.server.send(beat, topic: .beat) }
    let first = received()
    #expect(first <= 20_480 && first > 20_480 - 100)
    #expect(bench.server.counters.withheld > 0)
    // A ping, a sync or a renewal shows that somebody is there.
    bench.server.renewSubscriptions(of: victim, now: bench.clock.now)
    bench.server.send(beat, topic: .beat)
    #expect(received() == 100)
  }

  @Test func `a lease has 1 to 600 seconds`() throws {
    for (seconds, isTaken) in [(0.9, false), (1, true), (600, true), (601, false)] {
      let result = Result { () throws(OSCRefusal) in
        try OSCAddressTable.decode(
          OSCMessage("/tactus/subscribe", .int32(9_000), .string("all"), .double(seconds)))
      }
      #expect(((try? result.get()) != nil) == isTaken, "\(seconds)")
    }
  }
}
