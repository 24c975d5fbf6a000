import Glibc
import MetronomeModel
import MusicalTime
import Testing

@testable import OSCProtocol
@testable import OSCService
@testable import OSCWire

@Suite struct AnswerTests {
  /// A bench whose sink refuses the preset 'nosuch' when it judges it.
  func bench() throws -> Bench {
    let bench = try Bench()
    bench.sink.onRequest = { [unowned bench] request in
      guard request.command == .preset(.name("nosuch")) else { return }
      bench.server.refuse(
        request.client, request.address, OSCRefusal(.unknown, "preset 'nosuch' is unknown"))
    }
    return bench
  }

  /// Everything up to the pong; the clock goes on by 20 ms whenever nothing has come.
  func untilPong(_ bench: Bench, _ peer: Peer) throws -> (messages: [OSCMessage], waited: Int) {
    var seen: [OSCMessage] = []
    for turn in 0..<500 {
      for _ in 0..<5 {
        bench.service()
        poll(nil, 0, 1)
        peer.collect()
      }
      seen += peer.inbox
      peer.inbox = []
      if seen.last?.address == "/tactus/pong" { return (seen, turn) }
      bench.clock.advance(seconds: 0.02)
    }
    throw Listener.Missing(seen: seen)
  }

  func bundle(_ messages: [OSCMessage]) -> OSCPacket {
    .bundle(.immediately, messages.map { .message($0) })
  }

  @Test func `a pong never precedes the answer to what a rate limit has put off`() throws {
    let bench = try bench()
    let peer = try bench.peer()
    // Twelve pitches use up the burst of sounds and presets: the preset waits for its turn.
    let pitches = (1...12).map { OSCMessage("/tactus/pitch/strong", .int32($0)) }
    peer.send(
      bundle(
        pitches + [
          OSCMessage("/tactus/preset", .string("nosuch")), OSCMessage("/tactus/ping", .int32(7)),
        ]))
    let (messages, waited) = try untilPong(bench, peer)
    #expect(messages.map(\.address) == ["/tactus/error", "/tactus/pong"])
    #expect(messages.first?.arguments.prefix(2) == [.string("/tactus/preset"), .int32(404)])
    #expect(waited > 0)
  }

  @Test func `forty requests in a row have forty true answers`() throws {
    let bench = try bench()
    let peer = try bench.peer()
    for count in 1...40 {
      peer.send(
        bundle([
          OSCMessage("/tactus/preset", .string("nosuch")),
          OSCMessage("/tactus/ping", .int32(Int32(count))),
        ]))
      let (messages, _) = try untilPong(bench, peer)
      #expect(messages.count { $0.address == "/tactus/error" } == 1, "\(count)")
    }
  }

  @Test func `a question deletes nothing that waits, and tells the newest`() throws {
    let bench = try Bench()
    bench.sink.onRequest = { [unowned bench] request in
      if case .pitch(_, let semitones) = request.command {
        bench.server.publish("/tactus/pitch/strong", [.float(Float(semitones))])
      }
    }
    let peer = try bench.peer()
    for step in 1...14 { peer.send("/tactus/pitch/strong", .float(Float(step))) }
    peer.send("/tactus/pitch/strong")
    peer.send("/tactus/ping", .int32(1))
    let (messages, _) = try untilPong(bench, peer)
    #expect(
      messages == [
        OSCMessage("/tactus/pitch/strong", .float(14)), OSCMessage("/tactus/pong", .int32(1)),
      ])
    #expect(bench.sink.commands.last == .pitch(.strong, semitones: 14))
  }

  @Test func `what is refused over the rate is reported before a pong, each of it counted`() throws
  {
    let bench = try Bench()
    let client = ClientIdentity(source: .loopback(port: 9))
    let start = OSCPacketWriter.bytes(OSCMessage("/tactus/start"))
    for _ in 0..<1_100 { bench.server.receive(start.span, from: client, now: bench.clock.now) }
    // 1000 are done; ten errors are sent, 90 wait to be told together.
    #expect(bench.sink.requests.count == 1_000)
    #expect(bench.server.counters.refused == 10)
    #expect(bench.server.clients[client]?.unreported?.count == 90)
    bench.server.serve(.ping([]), of: "/tactus/ping", client, .play, bench.clock.now)
    #expect(bench.server.counters.refused == 11)
    #expect(bench.server.clients[client]?.unreported == nil)
  }

  @Test func `a put-off list comes before the pong`() throws {
    let bench = try Bench()
    let peer = try bench.peer()
    for _ in 0..<2 { peer.send("/tactus/info") }
    peer.send("/tactus/ping", .int32(1))
    let (messages, waited) = try untilPong(bench, peer)
    #expect(messages.map(\.address) == ["/tactus/info", "/tactus/info", "/tactus/pong"])
    // Five a second: the second came 200 ms after the first.
    #expect(waited >= 9)
  }

  @Test func `a pong waits for the sink, says so, and gives up after ten seconds`() throws {
    let bench = try Bench()
    bench.sink.isBusy = true
    let peer = try bench.peer()
    peer.send("/tactus/preset", .string("big"))
    peer.send("/tactus/ping", .int32(1))
    for _ in 0..<2_000 where bench.server.questions.isEmpty {
      bench.service()
      poll(nil, 0, 1)
    }
    #expect(bench.server.nextDeadline == bench.clock.now.advanced(byNanoseconds: 500_000_000))
    bench.clock.advance(seconds: 0.5)
    #expect(
      try peer.wait(for: "/tactus/notice").arguments.first == .string("/tactus/ping"))
    bench.sink.isBusy = false
    bench.service()
    #expect(try peer.wait(for: "/tactus/pong").arguments == [.int32(1)])

    bench.sink.isBusy = true
    peer.send("/tactus/ping", .int32(2))
    for _ in 0..<2_000 where bench.server.questions.isEmpty {
      bench.service()
      poll(nil, 0, 1)
    }
    bench.clock.advance(seconds: 10)
    let seen = try peer.wait { $0.address == "/tactus/pong" }
    #expect(seen.map(\.address) == ["/tactus/error", "/tactus/pong"])
    #expect(seen.first?.arguments.dropFirst().first == .int32(503))
  }

  @Test func `a port is one port however its name is written`() throws {
    let bench = try Bench()
    let peer = try bench.peer()
    bench.server.publish("/tactus/midi/Clock/offset", [.float(5)])
    peer.send("/tactus/midi/clock/offset")
    #expect(try peer.wait(for: "/tactus/midi/Clock/offset").arguments == [.float(5)])
    peer.send("/tactus/subscribe")
    _ = try peer.everything()
    // Its own fader does not fight back.
    bench.sink.onRequest = { [unowned bench] _ in
      bench.server.publish("/tactus/midi/Clock/offset", [.float(7)])
    }
    bench.clock.advance(seconds: 1)
    peer.send("/tactus/midi/clock/offset", .float(7))
    #expect(try peer.everything().isEmpty)
    bench.clock.advance(seconds: 1)
    #expect(try peer.everything().isEmpty)
  }
}
