import Glibc
import MetronomeModel
import MusicalTime
import Testing

@testable import OSCProtocol
@testable import OSCService
@testable import OSCWire

@Suite struct SubscriptionTests {
  @Test func `a subscriber gets everything first and every change after`() throws {
    let bench = try Bench()
    let peer = try bench.peer()
    bench.server.publish("/tactus/tempo", [.float(120)])
    peer.send("/tactus/subscribe")
    #expect(try peer.wait(for: "/tactus/tempo").arguments == [.float(120)])
    bench.clock.advance(seconds: 0.1)
    bench.server.publish("/tactus/tempo", [.float(121)])
    #expect(try peer.wait(for: "/tactus/tempo").arguments == [.float(121)])
    bench.server.publish("/tactus/tempo", [.float(121)])
    bench.clock.advance(seconds: 1)
    bench.service()
    #expect(try peer.everything().isEmpty)
  }

  @Test func `names that a subscriber invents take no memory`() throws {
    let bench = try Bench()
    let client = ClientIdentity(source: .loopback(port: 9))
    bench.server.publish("/tactus/tempo", [.float(120)])
    let subscribe = OSCPacketWriter.bytes(OSCMessage("/tactus/subscribe"))
    bench.server.receive(subscribe.span, from: client, now: bench.clock.now)
    let slots = bench.server.board.slots.count
    for index in 0..<500 {
      let bytes = OSCPacketWriter.bytes(
        OSCMessage("/tactus/midi/none\(index)/offset", .float(1)))
      bench.server.receive(bytes.span, from: client, now: bench.clock.now)
    }
    #expect(bench.sink.requests.count == 500)
    #expect(bench.server.board.slots.count == slots)
  }

  @Test func `who asks for beats alone is reported nothing else`() throws {
    let bench = try Bench()
    let peer = try bench.peer()
    bench.server.publish("/tactus/tempo", [.float(120)])
    peer.send("/tactus/subscribe", .int32(0), .string("beat"))
    #expect(try peer.everything().isEmpty)
    #expect(bench.server.subscriberCount == 1)
    bench.clock.advance(seconds: 0.1)
    bench.server.publish("/tactus/tempo", [.float(121)])
    #expect(try peer.everything().isEmpty)
  }

  @Test func `a lease ends 60 seconds after the last message`() throws {
    let bench = try Bench()
    let peer = try bench.peer()
    peer.send("/tactus/subscribe")
    _ = try peer.everything()
    bench.clock.advance(seconds: 59)
    #expect(try peer.everything().isEmpty)
    bench.clock.advance(seconds: 59)
    bench.service()
    #expect(bench.server.subscriberCount == 1)
    bench.clock.advance(seconds: 1.1)
    #expect(bench.server.nextDeadline.map { $0.nanoseconds <= bench.clock.nanoseconds } == true)
    bench.service()
    #expect(bench.server.subscriberCount == 0)
    #expect(bench.server.counters.expiredSubscribers == 1)
  }

  @Test func `answers go to the port that the client named`() throws {
    let bench = try Bench()
    let sender = try bench.peer()
    let listener = try bench.peer()
    sender.send("/tactus/ping", .int32(1))
    #expect(try sender.wait(for: "/tactus/pong").arguments == [.int32(1)])
    sender.send("/tactus/subscribe", .int32(Int32(listener.socket.port)))
    #expect(try listener.wait(for: "/tactus/locked").arguments == [.int32(0)])
    sender.send("/tactus/ping", .int32(2))
    #expect(try listener.wait(for: "/tactus/pong").arguments == [.int32(2)])
    bench.server.publish("/tactus/tempo", [.float(90)])
    #expect(try listener.wait(for: "/tactus/tempo").arguments == [.float(90)])
    sender.send("/tactus/unsubscribe")
    #expect(try sender.everything().isEmpty)
    #expect(bench.server.subscriberCount == 0)
  }

  @Test func `several clients of one host are several clients`() throws {
    let bench = try Bench()
    let peers = try (0..<3).map { _ in try bench.peer() }
    for peer in peers {
      peer.send("/tactus/subscribe")
      _ = try peer.everything()
    }
    #expect(bench.server.subscriberCount == 3)
    bench.server.publish("/tactus/tempo", [.float(90)])
    for peer in peers { _ = try peer.wait(for: "/tactus/tempo") }
  }

  @Test func `the fader that one client moves does not fight back, the other one follows`() throws {
    let bench = try Bench()
    let mover = try bench.peer()
    let watcher = try bench.peer()
    bench.sink.onRequest = { [unowned bench] request in
      if case .tempo(let value, _, _) = request.command {
        bench.server.publish("/tactus/tempo", [.float(Float(value))])
      }
    }
    for peer in [mover, watcher] {
      peer.send("/tactus/subscribe")
      _ = try peer.everything()
    }
    // 100..140 at 60 a second for two seconds: 121 messages, 1/60 s apart.
    var seen: [Float] = []
    var echoes = 0
    for step in 0...120 {
      mover.send("/tactus/tempo", .float(100 + Float(step) / 3))
      echoes += try mover.everything().count { $0.address == "/tactus/tempo" }
      for message in try watcher.everything() where message.address == "/tactus/tempo" {
        if case .float(let value) = message.arguments[0] { seen.append(value) }
      }
      bench.clock.advance(seconds: 1.0 / 60)
    }
    bench.clock.advance(seconds: 0.034)
    for message in try watcher.everything() {
      if case .float(let value) = message.arguments[0] { seen.append(value) }
    }
    #expect(echoes == 0)
    // Two seconds and one more interval: at most 61 at 30 a second.
    #expect(seen.count <= 61)
    #expect(seen.count >= 30)
    #expect(seen.last == 140)
    // It sent the final value itself: it is not told.
    bench.clock.advance(seconds: 0.6)
    bench.service()
    #expect(try mover.everything().isEmpty)
  }

  @Test func `the mover is reported the final value where it is another than it sent`() throws {
    let bench = try Bench()
    let mover = try bench.peer()
    bench.sink.onRequest = { [unowned bench] request in
      if case .tempo(let value, _, _) = request.command {
        // Whole beats a minute only.
        bench.server.publish("/tactus/tempo", [.float(Float(value.rounded()))])
      }
    }
    mover.send("/tactus/subscribe")
    _ = try mover.everything()
    mover.send("/tactus/tempo", .float(120.4))
    #expect(try mover.everything().isEmpty)
    bench.clock.advance(seconds: 0.499)
    #expect(try mover.everything().isEmpty)
    bench.clock.advance(seconds: 0.002)
    #expect(try mover.wait(for: "/tactus/tempo").arguments == [.float(120)])
    // A refused value is answered by the one in force as well, though nothing changed.
    mover.send("/tactus/tempo", .float(5_000_000))
    _ = try mover.wait(for: "/tactus/error")
    bench.clock.advance(seconds: 0.501)
    #expect(try mover.wait(for: "/tactus/tempo").arguments == [.float(120)])
  }

  @Test func `a client that went away stalls nobody`() throws {
    let bench = try Bench()
    let alive = try bench.peer()
    do {
      let dead = try bench.peer()
      dead.send("/tactus/subscribe")
      _ = try dead.everything()
    }
    alive.send("/tactus/subscribe")
    _ = try alive.everything()
    for step in 0..<20 {
      bench.clock.advance(seconds: 0.05)
      bench.server.publish("/tactus/tempo", [.float(100 + Float(step))])
      #expect(try alive.wait(for: "/tactus/tempo").arguments == [.float(100 + Float(step))])
    }
  }

  @Test func `fixed targets are reported without asking and never expire`() throws {
    let target = try OSCDatagramSocket(port: 0)
    let address = SocketAddress.loopback(port: UInt16(target.port))
    let bench = try Bench { $0.fixedTargets = [(address, .state)] }
    bench.clock.advance(seconds: 100_000)
    bench.server.publish("/tactus/tempo", [.float(90)])
    var messages: [OSCMessage] = []
    for _ in 0..<2_000 where messages.count < 2 {
      bench.service()
      _ = target.receive { _, bytes in
        if case .message(let message) = try? OSCPacketReader.packet(bytes) {
          messages.append(message)
        }
      }
      poll(nil, 0, 2)
    }
    #expect(
      messages == [
        OSCMessage("/tactus/locked", .int32(0)), OSCMessage("/tactus/tempo", .float(90)),
      ])
    #expect(bench.server.subscriberCount == 1)
  }

  @Test func `a TCP subscriber is reported on its connection and forgotten with it`() throws {
    let bench = try Bench()
    do {
      let peer = try bench.stream(.slip)
      peer.send("/tactus/subscribe", .string("state"))
      _ = try peer.everything()
      bench.server.publish("/tactus/tempo", [.float(90)])
      #expect(try peer.wait(for: "/tactus/tempo").arguments == [.float(90)])
    }
    for _ in 0..<1_000 where bench.server.subscriberCount > 0 {
      bench.service()
      poll(nil, 0, 2)
    }
    #expect(bench.server.subscriberCount == 0)
  }

  @Test func `what a client sent is compared as far as it went`() {
    #expect(Subscriber.says([.int32(120)], [.float(120), .string("1/4")]))
    #expect(Subscriber.says([.string("120")], [.float(120)]))
    #expect(Subscriber.says([.double(0.5)], [.float(0.50000006)]))
    #expect(!Subscriber.says([.float(120.0004)], [.float(120)]))
    #expect(!Subscriber.says([.string("toggle")], [.int32(1)]))
    #expect(!Subscriber.says([], [.int32(1)]))
  }
}
