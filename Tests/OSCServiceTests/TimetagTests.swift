import MetronomeModel
import MusicalTime
import Testing

@testable import OSCProtocol
@testable import OSCService
@testable import OSCWire

@Suite struct TaggedCommandTests {
  func bundle(_ tag: OSCTimetag, _ address: String, _ arguments: OSCValue...) -> OSCPacket {
    .bundle(tag, [.message(OSCMessage(address, arguments))])
  }

  @Test(arguments: [0.0, -5.0, -9.9])
  func `the past by up to ten seconds is now`(seconds: Double) throws {
    let bench = try Bench()
    let peer = try bench.peer()
    peer.send(bundle(bench.clock.tag(inSeconds: seconds), "/tactus/tempo", .int32(90)))
    #expect(try peer.everything().isEmpty)
    #expect(bench.sink.commands == [.tempo(90, unit: nil, when: .beat)])
  }

  @Test(arguments: [3_600.0, -60.0, 10.1, -10.1])
  func `a clock that is further away is reported the difference`(seconds: Double) throws {
    let bench = try Bench()
    let peer = try bench.peer()
    peer.send(bundle(bench.clock.tag(inSeconds: seconds), "/tactus/tempo", .int32(90)))
    let errors = try peer.everything()
    #expect(errors.first?.arguments.prefix(2) == [.string("/tactus/tempo"), .int32(412)])
    #expect(errors.first?.description.contains(NumberText.text(seconds)) == true)
    #expect(bench.sink.commands.isEmpty)
  }

  @Test func `a command of the future waits for its instant`() throws {
    let bench = try Bench()
    let peer = try bench.peer()
    peer.send(bundle(bench.clock.tag(inSeconds: 0.5), "/tactus/tempo", .int32(90)))
    peer.send(bundle(bench.clock.tag(inSeconds: 0.25), "/tactus/mute", .int32(1)))
    #expect(try peer.everything().isEmpty)
    #expect(bench.sink.commands.isEmpty)
    // The deadline is the earlier one; half a nanosecond of the tag's 2^-32 s is lost at most.
    let deadline = try #require(bench.server.nextDeadline)
    #expect(abs(deadline.nanoseconds - bench.clock.nanoseconds - 250_000_000) <= 1)
    bench.clock.advance(seconds: 0.250001)
    bench.service()
    #expect(bench.sink.commands == [.mute(true)])
    bench.clock.advance(seconds: 0.25)
    bench.service()
    #expect(bench.sink.commands == [.mute(true), .tempo(90, unit: nil, when: .beat)])
  }

  @Test func `a tagged start is handed on ahead with its instant`() throws {
    let bench = try Bench()
    let peer = try bench.peer()
    let due = bench.clock.nanoseconds + 3_000_000_000
    peer.send(bundle(bench.clock.tag(inSeconds: 3), "/tactus/start"))
    #expect(try peer.everything().isEmpty)
    #expect(bench.sink.requests.isEmpty)
    bench.clock.advance(seconds: 2.000001)
    bench.service()
    #expect(bench.sink.commands == [.start])
    let asked = try #require(bench.sink.requests.first?.due)
    #expect(abs(asked.nanoseconds - due) <= 1)
    // Nearer than the lead: at once, and the instant goes with it.
    peer.send(bundle(bench.clock.tag(inSeconds: 0.5), "/tactus/start"))
    #expect(try peer.everything().isEmpty)
    #expect(bench.sink.requests.count == 2)
    #expect(bench.sink.requests.last?.due != nil)
  }

  @Test func `one client has 256 messages waiting at the most`() throws {
    let bench = try Bench()
    let peer = try bench.peer()
    let tag = bench.clock.tag(inSeconds: 5)
    for _ in 0..<256 { peer.send(bundle(tag, "/tactus/tempo", .int32(90))) }
    #expect(try peer.everything().isEmpty)
    peer.send(bundle(tag, "/tactus/tempo", .int32(91)))
    #expect(try peer.everything().first?.arguments.dropFirst().first == .int32(429))
    // Another client has room of its own.
    let other = try bench.peer()
    other.send(bundle(tag, "/tactus/tempo", .int32(92)))
    #expect(try other.everything().isEmpty)
    bench.clock.advance(seconds: 5.1)
    bench.service()
    #expect(bench.sink.requests.count == 257)
    #expect(bench.sink.commands.last == .tempo(92, unit: nil, when: .beat))
  }

  @Test func `a tap is when its near time tag says, else when it came, and never waits`() throws {
    let bench = try Bench()
    let peer = try bench.peer()
    for seconds in [-0.4, 0.4, -3.0, 5.0, 3_600.0] {
      peer.send(bundle(bench.clock.tag(inSeconds: seconds), "/tactus/tap"))
      #expect(try peer.everything().isEmpty)
    }
    let instants = bench.sink.commands.map { command -> Int64 in
      guard case .tap(let at, _) = command else { return .min }
      return at.nanoseconds - bench.clock.nanoseconds
    }
    #expect(instants.count == 5)
    for (found, wanted) in zip(instants, [-400_000_000, 400_000_000, 0, 0, 0]) {
      #expect(abs(found - Int64(wanted)) <= 1)
    }
  }

  @Test func `each client has a series of taps of its own`() throws {
    let bench = try Bench()
    let peers = [try bench.peer(), try bench.peer()]
    for peer in peers + peers {
      peer.send("/tactus/tap", .float(1))
      peer.send("/tactus/tap", .float(0))
      _ = try peer.everything()
    }
    let series = bench.sink.commands.map { command -> UInt64 in
      guard case .tap(_, let series) = command else { return 0 }
      return series
    }
    #expect(series.count == 4)
    #expect(series[0] == series[2])
    #expect(series[1] == series[3])
    #expect(series[0] != series[1])
  }
}
