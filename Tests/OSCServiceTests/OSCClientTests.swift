import MetronomeModel
import MusicalTime
import Testing

@testable import OSCProtocol
@testable import OSCService
@testable import OSCWire

@Suite struct OSCClientTests {
  /// The server's thread, so that a client may wait.
  final class Serving: @unchecked Sendable {
    let bench: Bench
    let stops = Answer()
    init(_ bench: Bench) { self.bench = bench }
  }

  @Test func `a request is done, or refused with the reason, or finds nobody`() throws {
    let bench = try Bench()
    let port = UInt16(bench.server.port)
    let serving = Serving(bench)
    try withServing(serving) {
      let client = try OSCClient(peer: .loopback(port: port))
      let done = try client.request(
        [OSCMessage("/tactus/tempo", .int32(90))], timeoutMilliseconds: 10_000)
      #expect(done.isDone)
      let refused = try client.request(
        [OSCMessage("/tactus/tempo", .int32(0))], timeoutMilliseconds: 10_000)
      #expect(refused.refusals.map(\.address) == ["/tactus/tempo"])
      #expect(refused.refusals.map(\.code) == [416])
    }
    #expect(bench.sink.commands == [.tempo(90, unit: nil, when: .beat)])
    let free = try OSCDatagramSocket(port: 0)
    // A socket that hears and never answers.
    let silent = try OSCClient(peer: .loopback(port: UInt16(free.port)))
    #expect(throws: OSCClient.Failure.noAnswer("127.0.0.1:\(free.port)", milliseconds: 20)) {
      try silent.request([], timeoutMilliseconds: 20)
    }
  }

  @Test func `a port on which nothing listens is reported at once`() throws {
    var free: OSCDatagramSocket? = try OSCDatagramSocket(port: 0)
    let port = try #require(free?.port)
    free = nil
    let client = try OSCClient(peer: .loopback(port: UInt16(port)))
    #expect(throws: OSCClient.Failure.refused("127.0.0.1:\(port)")) {
      try client.request([], timeoutMilliseconds: 10_000)
    }
  }
}
