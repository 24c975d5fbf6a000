import Testing

@testable import OSCWire

@Suite struct OSCAddressPatternTests {
  static let table: [(pattern: String, address: String, matches: Bool)] = [
    ("/tactus/start", "/tactus/start", true),
    ("/tactus/start", "/tactus/starts", false),
    ("/tactus/sta?t", "/tactus/start", true),
    ("/tactus/star?", "/tactus/star", false),
    ("/tactus/level/*", "/tactus/level/strong", true),
    ("/tactus/*", "/tactus/level/strong", false),
    ("/tactus/*/strong", "/tactus/level/strong", true),
    ("/tactus/*g*o*", "/tactus/strong-o", true),
    ("/tactus/*", "/tactus/", true),
    ("/*", "/a", true),
    ("/t[abc]x", "/tbx", true),
    ("/t[a-c]x", "/tdx", false),
    ("/t[!a-c]x", "/tdx", true),
    ("/t[!a-c]x", "/tax", false),
    ("/t[a-]x", "/t-x", true),
    ("/t[!a]x", "/t/x", false),
    ("/t?x", "/t/x", false),
    ("/{start,stop}", "/stop", true),
    ("/{start,stop}", "/st", false),
    ("/{st,start}x", "/startx", true),
    ("/{,very}fast", "/fast", true),
    ("/{a,b}*{c,d}", "/bxxxd", true),
    ("/{a,b}*{c,d}", "/bxxxe", false),
  ]

  @Test(arguments: table)
  func `a pattern matches as OSC 1.0 says`(pattern: String, address: String, matches: Bool) throws {
    #expect(try #require(OSCAddressPattern(pattern)).matches(address) == matches)
  }

  @Test(arguments: ["/[abc", "/{a,b", "/a]", "/a}", "/[]", "/[!]", "/{a*,b}", "/{a,[b]}"])
  func `unmatched brackets are no pattern`(pattern: String) {
    #expect(OSCAddressPattern(pattern) == nil)
  }

  @Test func `eight wildcards are the most`() {
    #expect(OSCAddressPattern("/" + String(repeating: "*a", count: 8)) != nil)
    #expect(OSCAddressPattern("/" + String(repeating: "*a", count: 9)) == nil)
    #expect(OSCAddressPattern("/" + String(repeating: "a", count: 256)) == nil)
  }

  @Test func `the pattern that holds up a backtracking matcher does not match`() throws {
    // Eight stars against 250 letters: about 250^8 / 8! tries for a matcher that backtracks.
    let pattern = try #require(OSCAddressPattern("/" + String(repeating: "*a", count: 8)))
    #expect(!pattern.matches("/" + String(repeating: "a", count: 250) + "b"))
    #expect(pattern.matches("/" + String(repeating: "a", count: 250)))
  }
}

@Suite struct OSCStreamFramingTests {
  // RFC 1055: END is C0, ESC is DB; within a packet C0 goes as DB DC, DB as DB DD.
  @Test func `SLIP sends the bytes C0 and DB escaped, between two ends`() {
    let packet: [UInt8] = [0x2F, 0xC0, 0xDB, 0xDC, 0xDD, 0x00]
    let framing = OSCStreamFraming(kind: .slip)
    #expect(
      framing.frame(packet)
        == [0xC0, 0x2F, 0xDB, 0xDC, 0xDB, 0xDD, 0xDC, 0xDD, 0x00, 0xC0])
  }

  static let first = OSCPacketWriter.bytes(OSCMessage("/a", .int32(0xC0)))
  static let second = OSCPacketWriter.bytes(OSCMessage("/b", .int32(0xDB)))

  @Test func `a size before each packet is found by its zero`() throws {
    var framing = OSCStreamFraming()
    let stream =
      [0, 0, 0, 12] + OSCStreamFramingTests.first + [0, 0, 0, 12] + OSCStreamFramingTests.second
    var packets: [[UInt8]] = []
    for byte in stream { packets += try framing.take([byte]) }
    #expect(packets == [OSCStreamFramingTests.first, OSCStreamFramingTests.second])
    #expect(framing.kind == .sizePrefix)
    #expect(
      framing.frame(OSCStreamFramingTests.first) == [0, 0, 0, 12] + OSCStreamFramingTests.first)
  }

  @Test func `SLIP is found by its END and escapes END and ESC`() throws {
    var framing = OSCStreamFraming()
    // RFC 1055: 0xC0 in the packet is 0xDB 0xDC, 0xDB is 0xDB 0xDD.
    let stream: [UInt8] =
      [0xC0] + OSCStreamFramingTests.first.dropLast() + [0xDB, 0xDC, 0xC0, 0xC0]
      + OSCStreamFramingTests.second.dropLast() + [0xDB, 0xDD, 0xC0]
    var packets: [[UInt8]] = []
    for byte in stream { packets += try framing.take([byte]) }
    #expect(packets == [OSCStreamFramingTests.first, OSCStreamFramingTests.second])
    #expect(framing.frame(OSCStreamFramingTests.first) == Array(stream.prefix(15)))
  }

  @Test func `a frame over 64 KB ends the connection`() throws {
    var sized = OSCStreamFraming()
    #expect(throws: OSCStreamFraming.Failure.frameTooLong(65_540)) {
      try sized.take([0, 1, 0, 4])
    }
    var slip = OSCStreamFraming()
    _ = try slip.take([0xC0])
    #expect(throws: OSCStreamFraming.Failure.frameTooLong(65_537)) {
      try slip.take([UInt8](repeating: 1, count: 70_000))
    }
    var neither = OSCStreamFraming()
    #expect(throws: OSCStreamFraming.Failure.unknownFraming(0x47)) {
      try neither.take(Array("GET / HTTP/1.1".utf8))
    }
  }
}
