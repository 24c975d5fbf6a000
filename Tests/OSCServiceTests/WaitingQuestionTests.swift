import Testing

@testable import OSCProtocol
@testable import OSCService
@testable import OSCWire

/// A sink in which every command waits until the test says that it is judged.
private final class SlowSink: CommandSink {
  var waiting: [ControlRequest] = []

  func perform(_ requests: [ControlRequest]) { waiting += requests }
  func answer(_ query: InformationQuery) -> [OSCMessage] {
    [OSCMessage("/tactus/info", .string("\(query)"))]
  }
  func isWaiting(_ client: ClientIdentity) -> Bool {
    waiting.contains { $0.client == client }
  }
}

@Suite struct WaitingQuestionTests {
  @Test func `a pong, a value and a list come after the answer to what their client asked before`()
    throws
  {
    let bench = try Bench()
    let sink = SlowSink()
    bench.server.sink = sink
    let peer = try bench.peer()
    let other = try bench.peer()
    peer.send(
      bytes: OSCPacketWriter.bundle(
        .immediately,
        [
          OSCMessage("/tactus/preset", .string("slow")), OSCMessage("/tactus/info"),
          OSCMessage("/tactus/ping", .int32(1)),
        ]))
    peer.send("/tactus/ping", .int32(2))
    // A companion's sync is never late, and nobody else waits.
    peer.send("/tactus/sync", .int32(4), .int64(5))
    #expect(try peer.wait(for: "/tactus/sync").arguments.first == .int32(4))
    #expect(peer.inbox.isEmpty)
    #expect(try other.everything().isEmpty)
    let request = try #require(sink.waiting.first)
    sink.waiting = []
    bench.server.refuse(
      request.client, request.address, OSCRefusal(.unknown, "there is no preset 'slow'"))
    bench.server.answersGiven(to: request.client)
    #expect(
      try peer.wait { $0 == OSCMessage("/tactus/pong", .int32(2)) }.map(\.address)
        == ["/tactus/error", "/tactus/info", "/tactus/pong", "/tactus/pong"])
  }

  @Test func `questions behind a command that waits are bounded`() throws {
    let bench = try Bench()
    let sink = SlowSink()
    bench.server.sink = sink
    let peer = try bench.peer()
    peer.send("/tactus/preset", .string("slow"))
    // One more than may wait: it is refused at once, and the others are answered later.
    for number in Int32(0)...64 { peer.send("/tactus/ping", .int32(number)) }
    #expect(try peer.wait(for: "/tactus/error").arguments.first == .string("/tactus/ping"))
    let client = try #require(sink.waiting.first?.client)
    sink.waiting = []
    bench.server.answersGiven(to: client)
    let pongs = try peer.wait { $0 == OSCMessage("/tactus/pong", .int32(63)) }
    #expect(pongs.count == 64)
  }
}
