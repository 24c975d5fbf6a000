import MusicalTime
import OSCProtocol
import OSCWire
import Testing

@testable import TactusCommands

@Suite struct BeatListenerTests {
  private func beat(_ sequence: Int32, run: Int32 = 7, at milliseconds: Int64) -> OSCMessage {
    BeatMessage(
      run: run, sequence: sequence, bar: 1, beat: 1, quarterTempo: 120, count: 4, accent: 2,
      flags: 0, due: MonotonicTime(nanoseconds: milliseconds * 1_000_000)
    ).message(BeatMessage.beatAddress)
  }

  private func listener() throws -> BeatListener {
    let peer = try #require(SocketAddress(resolving: "127.0.0.1", defaultPort: 9))
    return BeatListener(try OSCClient(peer: peer))
  }

  @Test func `beats count once each and in order, and not where a stop took them back`() throws {
    var listener = try listener()
    // The second comes twice and late; the stop voids 3 and what follows, of this run alone.
    for message in [
      beat(1, at: 500), beat(3, at: 1500), beat(2, at: 1000), beat(2, at: 1000), beat(4, at: 2000),
      BeatCancel(run: 7, first: 3, last: 4).message(BeatCancel.beatAddress),
      beat(3, run: 8, at: 9000), OSCMessage("/tactus/beat", .string("nonsense")),
      OSCMessage("/tactus/tempo", .float(120)),
    ] { listener.take(message) }
    #expect(listener.instants.map { $0.nanoseconds / 1_000_000 } == [500, 1000, 9000])
  }

  @Test func `another machine's beats are refused with the reason, for its clock is another`()
    throws
  {
    let peer = try #require(SocketAddress(resolving: "192.0.2.1", defaultPort: 9700))
    var listener = BeatListener(try OSCClient(peer: peer))
    let answer = listener.begin()
    let reason = try #require(answer)
    #expect(reason.contains("192.0.2.1") && reason.contains("another machine"))
  }
}
