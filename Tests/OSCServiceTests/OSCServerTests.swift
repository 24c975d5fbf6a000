import Glibc
import MetronomeModel
import MusicalTime
import Synchronization
import Testing

@testable import OSCProtocol
@testable import OSCService
@testable import OSCWire

/// Bytes from text in which `_` is a zero byte.
private func wire(_ text: String) -> [UInt8] {
  text.utf8.map { $0 == UInt8(ascii: "_") ? 0 : $0 }
}

@Suite struct OSCServerTests {
  @Test func `a command goes to the sink and a ping comes back after it`() throws {
    let bench = try Bench()
    let peer = try bench.peer()
    peer.send(
      .bundle(
        .immediately,
        [
          .message(OSCMessage("/tactus/tempo", .float(132))),
          .message(OSCMessage("/tactus/ping", .int32(7))),
        ]))
    #expect(try peer.wait(for: "/tactus/pong").arguments == [.int32(7)])
    #expect(bench.sink.commands == [.tempo(132, unit: nil, when: .beat)])
    #expect(bench.sink.requests.first?.receivedAt == bench.clock.now)
  }

  @Test func `a refusal comes before the pong and names the address`() throws {
    let bench = try Bench()
    let peer = try bench.peer()
    peer.send("/tactus/tempo", .double(1e9))
    let before = try peer.everything()
    #expect(before.count == 1)
    #expect(before.first?.address == "/tactus/error")
    #expect(before.first?.arguments.prefix(2) == [.string("/tactus/tempo"), .int32(416)])
    #expect(bench.sink.commands.isEmpty)
  }

  @Test func `addresses of other programs are ignored quietly, unknown ones of ours are not`()
    throws
  {
    let bench = try Bench()
    let peer = try bench.peer()
    for address in ["/1", "/ping", "/accxyz", "/1/fader1", "/tactusx"] {
      peer.send(address, .float(1))
    }
    #expect(try peer.everything().isEmpty)
    #expect(bench.server.counters.ignored == 5)
    peer.send("/tactus/temop", .float(1))
    let errors = try peer.everything()
    #expect(errors.first?.arguments.prefix(2) == [.string("/tactus/temop"), .int32(404)])
  }

  @Test func `malformed packets are counted and nothing else happens`() throws {
    let bench = try Bench()
    let peer = try bench.peer()
    // Neither '/' nor '#bundle', not a multiple of 4, an argument without its bytes, a blob
    // longer than the packet, an element of 8 bytes of which none came.
    let malformed = [
      "abc_", "/a_", "/a__,i__", "/a__,b__\u{7F}\u{7F}\u{7F}\u{7F}", "#bundle________\u{1}___\u{8}",
    ].map(wire)
    for bytes in malformed { peer.send(bytes: bytes) }
    peer.send(
      bytes: wire("/a__,b__") + [0, 0, 0xFD, 0xE0] + [UInt8](repeating: 1, count: 64_992))
    #expect(try peer.everything().isEmpty)
    // The 64 KB blob is well-formed and ignored.
    #expect(bench.server.counters.malformed == malformed.count)
    #expect(bench.server.counters.ignored == 1)
    #expect(bench.notices.count == 1)
  }

  @Test(arguments: [OSCStreamFraming.Kind.sizePrefix, .slip])
  func `both framings work over TCP`(kind: OSCStreamFraming.Kind) throws {
    let bench = try Bench()
    let peer = try bench.stream(kind)
    peer.send("/tactus/mute", .true)
    #expect(try peer.everything().isEmpty)
    #expect(bench.sink.commands == [.mute(true)])
    #expect(bench.sink.requests.first?.client.connection == 1)
  }

  @Test func `a TCP frame over 64 KB ends the connection`() throws {
    let bench = try Bench()
    let peer = try bench.stream(.sizePrefix)
    peer.send(bytes: [0, 2, 0, 0])
    #expect(peer.hasEnded())
  }

  @Test func `TCP has 32 connections, and ends idle ones after 120 seconds`() throws {
    let bench = try Bench()
    let peers = try (0..<32).map { _ in try bench.stream(.sizePrefix) }
    for peer in peers { #expect(try peer.everything().isEmpty) }
    let late = try bench.stream(.sizePrefix)
    #expect(late.hasEnded())
    bench.clock.advance(seconds: 119)
    #expect(try peers[0].everything().isEmpty)
    bench.clock.advance(seconds: 2)
    #expect(peers[1].hasEnded())
    #expect(try peers[0].everything().isEmpty)
  }

  @Test func `IPv6 clients are served on the same port`() throws {
    let bench = try Bench()
    let peer = try bench.peer()
    let bytes = OSCPacketWriter.bytes(OSCMessage("/tactus/ping", .int32(6)))
    let here = try #require(SocketAddress(resolving: "[::1]:\(bench.server.port)"))
    peer.socket.send(bytes, to: [here])
    #expect(try peer.wait(for: "/tactus/pong").arguments == [.int32(6)])
  }

  @Test func `a second server on the port says who has it`() throws {
    let bench = try Bench()
    // Somebody must answer the question: this thread serves while the other one asks.
    let port = bench.server.port
    let answer = Answer()
    var thread = pthread_t()
    let box = Unmanaged.passRetained(Attempt(port: port, answer: answer))
    pthread_create(
      &thread, nil,
      { raw in
        let attempt = Unmanaged<Attempt>.fromOpaque(raw!).takeRetainedValue()
        do { _ = try OSCServer(OSCServerConfiguration(port: attempt.port)) } catch {
          attempt.answer.error = error as? OSCServerError
        }
        attempt.answer.isDone.store(true, ordering: .releasing)
        return nil
      }, box.toOpaque())
    while !answer.isDone.load(ordering: .acquiring) {
      bench.service()
      poll(nil, 0, 1)
    }
    pthread_join(thread, nil)
    #expect(answer.error == .portTaken(port, isTactus: true))
    #expect(answer.error?.description.contains("\(port)") == true)
    #expect(answer.error?.description.contains("another tactusd") == true)
  }

  @Test func `a wildcard address reaches every match`() throws {
    let bench = try Bench()
    let peer = try bench.peer()
    peer.send("/tactus/mute/{strong,soft}", .int32(1))
    #expect(try peer.everything().isEmpty)
    #expect(bench.sink.commands == [.muteLevel(.strong, true), .muteLevel(.soft, true)])
  }

  @Test func `a bundle has sixteen wildcard addresses at the most`() throws {
    let bench = try Bench()
    let peer = try bench.peer()
    let toggle = OSCPacket.message(OSCMessage("/tactus/mut?", .int32(1)))
    peer.send(.bundle(.immediately, [OSCPacket](repeating: toggle, count: 40)))
    let errors = try peer.everything()
    #expect(bench.sink.commands == [ControlCommand](repeating: .mute(true), count: 16))
    #expect(errors.count == 1)
    #expect(errors.first?.arguments.dropFirst().first == .int32(429))
  }

  @Test func `meter and pattern of one bundle are one command`() throws {
    let bench = try Bench()
    let peer = try bench.peer()
    peer.send(
      .bundle(
        .immediately,
        [
          .message(OSCMessage("/tactus/pattern", .string("X-x"))),
          .bundle(.immediately, [.message(OSCMessage("/tactus/meter", .string("3/4")))]),
        ]))
    #expect(try peer.everything().isEmpty)
    #expect(bench.sink.commands == [.meterAndPattern(try Meter(3, 4), "X-x")])
  }

  @Test func `a value is reported to who asks, and unknown values say so`() throws {
    let bench = try Bench()
    let peer = try bench.peer()
    bench.server.publish("/tactus/tempo", [.float(99.95)])
    peer.send("/tactus/tempo")
    #expect(try peer.wait(for: "/tactus/tempo").arguments == [.float(99.95)])
    peer.send("/tactus/swing")
    #expect(try peer.wait(for: "/tactus/error").arguments.first == .string("/tactus/swing"))
  }

  @Test func `state is one bundle with everything, five times a second at the most`() throws {
    let bench = try Bench()
    let peer = try bench.peer()
    bench.server.publish("/tactus/tempo", [.float(120)])
    bench.server.publish("/tactus/meter", [.string("4/4")])
    for _ in 0..<20 { peer.send("/tactus/state") }
    // Its last value; a ping would wait for the bundle that waits.
    _ = try peer.wait(for: "/tactus/meter")
    // 200 ms after the first the one that waited follows, once for all.
    bench.clock.advance(seconds: 0.2)
    bench.service()
    let second = try peer.everything()
    #expect(second.map(\.address).sorted() == ["/tactus/locked", "/tactus/meter", "/tactus/tempo"])
    bench.clock.advance(seconds: 1)
    bench.service()
    #expect(try peer.everything().isEmpty)
  }

  @Test func `sync answers the three instants on the monotonic clock`() throws {
    let bench = try Bench()
    let peer = try bench.peer()
    peer.send("/tactus/sync", .int32(5), .int64(123))
    let now = bench.clock.nanoseconds
    #expect(
      try peer.wait(for: "/tactus/sync").arguments
        == [.int32(5), .int64(123), .int64(now), .int64(now)])
  }

  @Test func `what a flood leaves is the newest value, and stop passes`() throws {
    let bench = try Bench()
    let peer = try bench.peer()
    // 1500 messages within no time: 1000 pass, then the newest value waits and the rest is refused.
    for index in 0..<1_500 {
      peer.send("/tactus/volume", .float(Float(index) / 1_500))
      if index % 50 == 49 { bench.service() }
    }
    for _ in 0..<100 { bench.service() }
    #expect(bench.sink.requests.count == 1_000)
    // A value only waits; a start is refused, with the time after which to try again.
    peer.send("/tactus/start")
    peer.send("/tactus/stop")
    let error = try peer.wait(for: "/tactus/error")
    #expect(error.arguments.prefix(2) == [.string("/tactus/start"), .int32(429)])
    #expect(error.arguments.last?.text?.contains("try again in 1 ms") == true)
    for _ in 0..<200 where bench.sink.commands.last != .stop {
      bench.service()
      poll(nil, 0, 2)
    }
    #expect(bench.sink.requests.count == 1_001)
    #expect(bench.sink.commands.last == .stop)
    // 20 ms later the newest of the 500 that came over the rate follows.
    #expect(bench.server.nextDeadline != nil)
    bench.clock.advance(seconds: 0.02)
    bench.service()
    #expect(bench.sink.requests.count == 1_002)
    #expect(
      bench.sink.commands.last
        == .volume(decibels: FaderLaw.decibels(fader: Double(Float(1_499) / 1_500))))
  }

  /// Hands in messages as one client over its rate and another within it send them; no time passes.
  static func flooded(_ bench: Bench, _ messages: [(isFlooder: Bool, OSCMessage)]) {
    let flooder = ClientIdentity(source: .loopback(port: 9))
    let other = ClientIdentity(source: .loopback(port: 10))
    let ping = OSCPacketWriter.bytes(OSCMessage("/1/fader"))
    for _ in 0..<1_001 { bench.server.receive(ping.span, from: flooder, now: bench.clock.now) }
    for (isFlooder, message) in messages {
      let bytes = OSCPacketWriter.bytes(message)
      bench.server.receive(
        bytes.span, from: isFlooder ? flooder : other, now: bench.clock.now)
    }
  }

  @Test func `over the rate stop, panic, mute and quit are obeyed, and nothing else`() throws {
    for (address, arguments, isObeyed) in [
      ("stop", [], true), ("panic", [], true), ("quit", [], true), ("mute", [.int32(1)], true),
      ("mute", [.string("toggle")], true), ("start", [], false), ("toggle", [], false),
      ("preset", [.string("a")], false), ("st*p", [], true),
    ] as [(String, [OSCValue], Bool)] {
      let bench = try Bench()
      Self.flooded(bench, [(true, OSCMessage("/tactus/\(address)", arguments))])
      #expect(bench.sink.requests.count == (isObeyed ? 1 : 0), "\(address) \(arguments)")
    }
  }

  @Test func `what makes sounds is done 20 times a second, and the last value in the end`() throws {
    let bench = try Bench()
    let client = ClientIdentity(source: .loopback(port: 9))
    func send(_ path: String, _ value: OSCValue) {
      let bytes = OSCPacketWriter.bytes(OSCMessage("/tactus/\(path)", value))
      bench.server.receive(bytes.span, from: client, now: bench.clock.now)
    }
    for step in 0..<100 { send("pitch/strong", .float(Float(step) / 10)) }
    // A burst of 12, and no more however many clients there are; nothing else waits for it.
    #expect(bench.sink.requests.count == 12)
    send("tempo", .int32(90))
    #expect(bench.sink.commands.last == .tempo(90, unit: nil, when: .beat))
    // A twentieth of a second later there is room for one: the newest.
    bench.clock.advance(seconds: 0.051)
    bench.service()
    #expect(bench.sink.requests.count == 14)
    #expect(bench.sink.commands.last == .pitch(.strong, semitones: Double(Float(9.9))))
    // Two values wait: each gets its turn.
    send("pitch/soft", .float(1))
    send("sound/soft", .string("wood"))
    for _ in 0..<3 {
      bench.clock.advance(seconds: 0.051)
      bench.service()
    }
    #expect(bench.sink.requests.count == 16)
    #expect(bench.sink.commands.contains(.sound(.soft, name: "wood")))
    // A question costs nothing.
    let ask = OSCPacketWriter.bytes(OSCMessage("/tactus/preset"))
    for _ in 0..<100 { bench.server.receive(ask.span, from: client, now: bench.clock.now) }
    #expect(bench.server.counters.overRate == 90)
  }

  @Test func `no stop that something may need is taken for one too many`() throws {
    let stop = OSCMessage("/tactus/stop")
    let start = OSCMessage("/tactus/start")
    let toggle = OSCMessage("/tactus/mute", .string("toggle"))
    let mute = OSCMessage("/tactus/mute", .int32(1))
    // Who sends what, and what is done of it.
    for (sent, done) in [
      ([(true, stop), (false, start), (true, stop)], [.stop, .start, .stop]),
      ([(true, stop), (true, stop), (true, stop)], [.stop]),
      ([(true, stop), (false, stop)], [.stop, .stop]),
      ([(true, toggle), (true, toggle)], [.toggleMute, .toggleMute]),
      ([(true, mute), (true, toggle), (true, mute)], [.mute(true), .toggleMute, .mute(true)]),
    ] as [([(isFlooder: Bool, OSCMessage)], [ControlCommand])] {
      let bench = try Bench()
      Self.flooded(bench, sent)
      #expect(bench.sink.commands == done, "\(sent)")
      // Whatever came between two services, the next one obeys again.
      bench.service()
      let bytes = OSCPacketWriter.bytes(stop)
      bench.server.receive(
        bytes.span, from: ClientIdentity(source: .loopback(port: 9)), now: bench.clock.now)
      #expect(bench.sink.commands == done + [.stop])
    }
  }
}

final class Attempt {
  let port: Int
  let answer: Answer
  init(port: Int, answer: Answer) {
    self.port = port
    self.answer = answer
  }
}
