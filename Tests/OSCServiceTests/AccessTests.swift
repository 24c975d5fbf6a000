import Glibc
import MetronomeModel
import Testing

@testable import OSCProtocol
@testable import OSCService
@testable import OSCWire

@Suite struct AccessTests {
  func address(_ text: String) throws -> SocketAddress {
    try #require(SocketAddress(resolving: text, defaultPort: 1))
  }

  @Test(arguments: [
    ("192.168.1.0/24", "192.168.1.77", true), ("192.168.1.0/24", "192.168.2.77", false),
    ("10.0.0.0/8", "10.200.3.4", true), ("10.1.2.3", "10.1.2.3", true),
    ("10.1.2.3", "10.1.2.4", false), ("0.0.0.0/0", "8.8.8.8", true),
    ("0.0.0.0/0", "2001:db8::1", false), ("fe80::/10", "fe80::1234", true),
    ("2001:db8::/33", "2001:db8:8000::1", false), ("::/0", "2001:db8::1", true),
  ])
  func `a network holds its addresses`(network: String, host: String, holds: Bool) throws {
    let network = try #require(AddressNetwork(network))
    #expect(network.contains(try address(host.contains(":") ? "[\(host)]" : host)) == holds)
  }

  @Test(arguments: ["", "x", "10.0.0.0/33", "10.0.0.0/-1", "fe80::/129", "10.0.0/8", "1.2.3.4/8/9"])
  func `what is no network is refused`(text: String) {
    #expect(AddressNetwork(text) == nil)
  }

  @Test func `where a message comes from decides what it may do`() throws {
    var access = NetworkAccess(
      allow: [
        try #require(AddressNetwork("172.16.0.0/12")),
        try #require(AddressNetwork("192.168.7.131")),
      ],
      observe: [try #require(AddressNetwork("192.168.7.128/25"))],
      admin: [try #require(AddressNetwork("192.168.7.200"))])
    access.setInterfaces([
      (try address("192.168.7.2"), 96 + 24), (try address("10.9.9.9"), 96),
    ])
    #expect(access.permission(of: try address("127.0.0.1")) == .admin)
    #expect(access.permission(of: try address("192.168.7.2")) == .admin)
    #expect(access.permission(of: try address("192.168.7.9")) == .play)
    #expect(access.permission(of: try address("192.168.7.130")) == .observe)
    #expect(access.permission(of: try address("192.168.7.131")) == .play)
    #expect(access.permission(of: try address("192.168.7.200")) == .admin)
    #expect(access.permission(of: try address("172.20.1.1")) == .play)
    #expect(access.permission(of: try address("8.8.8.8")) == nil)
  }

  @Test func `this machine is what came in on the loopback interface, whatever the source says`()
    throws
  {
    var access = NetworkAccess(admin: [try #require(AddressNetwork("192.168.7.200"))])
    access.setInterfaces([(try address("192.168.7.2"), 96 + 24), (try address("[fe80::2]"), 64)])
    // A loopback address that comes over the wire is forged, mapped or not; another own address is
    // anybody of its network.
    for (source, elsewhere) in [
      ("127.0.0.1", nil), ("[::1]", nil), ("[::ffff:127.0.0.1]", nil), ("192.168.7.2", .play),
      ("[fe80::2]", .play),
    ] as [(String, OSCAddressRow.Permission?)] {
      #expect(access.permission(of: try address(source), isLocal: true) == .admin)
      #expect(access.permission(of: try address(source), isLocal: false) == elsewhere)
    }
    #expect(access.permission(of: try address("192.168.7.9"), isLocal: false) == .play)
    #expect(access.permission(of: try address("192.168.7.200"), isLocal: false) == .admin)
    #expect(access.permission(of: try address("[fe80::9]"), isLocal: false) == .play)
  }

  @Test func `a datagram tells on which interface it came in`() throws {
    let here = try OSCDatagramSocket(port: 0)
    let there = try OSCDatagramSocket(port: 0)
    for target in ["127.0.0.1", "[::1]"] {
      let address = try #require(SocketAddress(resolving: "\(target):\(here.port)"))
      there.send([1, 2, 3, 4], to: [address])
      var arrival: OSCDatagramSocket.Arrival?
      for _ in 0..<2_000 where arrival == nil {
        _ = here.receive { _, came, _ in arrival = came }
        poll(nil, 0, 2)
      }
      #expect(arrival == .loopback, "\(target)")
    }
  }

  @Test func `what only the owner may do is refused to players, and reading is open to observers`()
    throws
  {
    let bench = try Bench()
    // Rows, judged as if from elsewhere: loopback itself is this machine.
    let elsewhere = ClientIdentity(source: try address("192.168.7.9:5000"))
    func judge(_ path: String, _ permission: OSCAddressRow.Permission, _ arguments: OSCValue...)
      -> OSCIntent?
    {
      bench.server.judge(
        OSCMessage("/tactus/" + path, arguments), elsewhere, permission, bench.clock.now)
    }
    for path in ["quit", "lock"] {
      #expect(judge(path, .play) == nil)
      #expect(judge(path, .admin) != nil)
    }
    for path in ["preset/save", "midi/Clock/connect"] {
      #expect(judge(path, .play, .string("x")) == nil)
      #expect(judge(path, .admin, .string("x")) != nil)
    }
    for path in ["start", "tap", "tempo/nudge"] {
      #expect(judge(path, .observe) == nil)
      #expect(judge(path, .play) != nil)
    }
    for path in ["state", "info", "ping", "stats", "subscribe", "tempo"] {
      #expect(judge(path, .observe) != nil)
    }
    #expect(bench.server.counters.forbidden == 7)
    // Each host and address is told of once.
    #expect(bench.notices.count == 7)
    _ = judge("quit", .play)
    #expect(bench.notices.count == 7)
  }

  @Test func `a lock needs its PIN, and five wrong ones close the door for a minute`() throws {
    let bench = try Bench()
    let elsewhere = ClientIdentity(source: try address("192.168.7.9:5000"))
    let server = bench.server
    func tryPIN(_ pin: String) {
      server.serve(
        .unlock(pin: pin), of: "/tactus/unlock", elsewhere, .play, bench.clock.now)
    }
    server.serve(.lock(pin: "4711"), of: "/tactus/lock", elsewhere, .admin, bench.clock.now)
    #expect(server.isLocked)
    #expect(server.published("/tactus/locked") == [.int32(1)])
    #expect(server.judge(OSCMessage("/tactus/start"), elsewhere, .play, bench.clock.now) == nil)
    #expect(server.judge(OSCMessage("/tactus/state"), elsewhere, .play, bench.clock.now) == .state)
    #expect(
      server.judge(OSCMessage("/tactus/start"), elsewhere, .admin, bench.clock.now)
        == .command(.start))
    for _ in 0..<5 { tryPIN("0000") }
    tryPIN("4711")
    #expect(server.isLocked)
    bench.clock.advance(seconds: 61)
    tryPIN("4711")
    #expect(!server.isLocked)
    // Without a PIN only this machine unlocks.
    server.serve(.lock(pin: nil), of: "/tactus/lock", elsewhere, .admin, bench.clock.now)
    server.serve(.unlock(pin: nil), of: "/tactus/unlock", elsewhere, .play, bench.clock.now)
    #expect(server.isLocked)
    server.serve(.unlock(pin: nil), of: "/tactus/unlock", elsewhere, .admin, bench.clock.now)
    #expect(!server.isLocked)
  }
}
