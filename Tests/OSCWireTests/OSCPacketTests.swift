import Testing

@testable import OSCWire

/// Bytes from text in which `_` is a zero byte.
func wire(_ text: String) -> [UInt8] { text.utf8.map { $0 == UInt8(ascii: "_") ? 0 : $0 } }

/// A generator with a fixed seed, so that a failure can be had again.
struct SplitMix64: RandomNumberGenerator {
  var state: UInt64
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

@Suite struct OSCPacketTests {
  // The two worked examples of the OSC 1.0 specification.
  static let oscillator: [UInt8] =
    wire("/oscillator/4/frequency_") + wire(",f__") + [0x43, 0xDC, 0, 0]
  static let foo: [UInt8] =
    wire("/foo____") + wire(",iisff__") + [0, 0, 0x03, 0xE8] + [0xFF, 0xFF, 0xFF, 0xFF]
    + wire("hello___") + [0x3F, 0x9D, 0xF3, 0xB6] + [0x40, 0xB5, 0xB2, 0x2D]

  @Test func `the examples of the specification are read`() throws {
    #expect(
      try OSCPacketReader.packet(OSCPacketTests.oscillator)
        == .message(OSCMessage("/oscillator/4/frequency", .float(440))))
    #expect(
      try OSCPacketReader.packet(OSCPacketTests.foo)
        == .message(
          OSCMessage(
            "/foo", .int32(1000), .int32(-1), .string("hello"), .float(1.234), .float(5.678))))
  }

  @Test func `the examples of the specification are written`() {
    #expect(
      OSCPacketWriter.bytes(OSCMessage("/oscillator/4/frequency", .float(440)))
        == OSCPacketTests.oscillator)
    #expect(
      OSCPacketWriter.bytes(
        OSCMessage(
          "/foo", .int32(1000), .int32(-1), .string("hello"), .float(1.234), .float(5.678)))
        == OSCPacketTests.foo)
  }

  @Test func `every type tag is read`() throws {
    let bytes =
      wire("/a__") + wire(",hdtScrmTFNI[i[s]]b_")
      + [0, 0, 0, 0, 0, 0, 0, 5]  // h 5
      + [0x3F, 0xF8, 0, 0, 0, 0, 0, 0]  // d 1.5
      + [0, 0, 0, 0, 0, 0, 0, 1]  // t immediately
      + wire("sym_")
      + [0, 0, 0, 0x41]  // c 'A'
      + [1, 2, 3, 4]  // r
      + [0, 0x90, 60, 100]  // m
      + [0, 0, 0, 7]  // [i
      + wire("in__")  // [s
      + [0, 0, 0, 2, 0xAA, 0xBB, 0, 0]  // b of two bytes
    #expect(
      try OSCPacketReader.packet(bytes)
        == .message(
          OSCMessage(
            "/a", .int64(5), .double(1.5), .timetag(.immediately), .symbol("sym"),
            .character(0x41), .colour(0x0102_0304), .midi(0x0090_3C64), .true, .false, .null,
            .impulse, .array([.int32(7), .array([.string("in")])]), .blob([0xAA, 0xBB]))))
  }

  @Test func `what is written is read back the same`() throws {
    let message = OSCMessage(
      "/tactus/x", .int32(-5), .float(1.5), .string("a"), .symbol("bcd"), .blob([1, 2, 3, 4, 5]),
      .int64(.min), .timetag(OSCTimetag(rawValue: 0x8000_0000_0000_0001)), .double(-0.1),
      .character(65), .midi(0x0102_0304), .true, .false, .null, .impulse)
    let packet = OSCPacket.bundle(
      .immediately, [.message(message), .bundle(OSCTimetag(rawValue: 9), [.message(message)])])
    #expect(try OSCPacketReader.packet(OSCPacketWriter.bytes(packet)) == packet)
  }

  @Test func `a message without type tags has no arguments`() throws {
    #expect(try OSCPacketReader.packet(wire("/a__")) == .message(OSCMessage("/a")))
  }

  static let bundleHead: [UInt8] = wire("#bundle_") + [0, 0, 0, 0, 0, 0, 0, 1]
  static let malformed: [([UInt8], OSCPacketError)] = [
    ([], .empty),
    ([0x2F, 0, 0], .misaligned(3)),
    (wire("abc_"), .notAPacket),
    (wire("#bundlX_") + [0, 0, 0, 0, 0, 0, 0, 1], .notAPacket),
    (Array("/abc".utf8), .unterminatedString(at: 0)),
    (wire("/a__") + Array(",sss".utf8), .unterminatedString(at: 4)),
    (wire("/a__") + wire(",s__") + Array("abcd".utf8), .unterminatedString(at: 8)),
    (wire("/a__") + wire(",i__"), .truncated(at: 8)),
    (wire("/a__") + wire(",h__") + [0, 0, 0, 0], .truncated(at: 12)),
    (wire("/a__") + wire(",q__"), .unknownType("q")),
    (wire("/a__") + wire("i___") + [0, 0, 0, 1], .badTypeTags),
    (wire("/a__") + wire(",[__"), .badTypeTags),
    (wire("/a__") + wire(",]__"), .badTypeTags),
    (wire("/a__") + wire(",b__") + [0xFF, 0xFF, 0xFF, 0xFF], .badBlobSize(-1)),
    (wire("/a__") + wire(",b__") + [0, 0, 0xFF, 0xFF], .badBlobSize(65535)),
    (wire("/a__") + wire(",b__") + [0x7F, 0xFF, 0xFF, 0xFF], .badBlobSize(0x7FFF_FFFF)),
    (bundleHead + [0xFF, 0xFF, 0xFF, 0xFF], .badElementSize(-1)),
    (bundleHead + [0, 0, 0, 0], .badElementSize(0)),
    (bundleHead + [0, 0, 0, 5] + wire("/a__"), .badElementSize(5)),
    (bundleHead + [0, 0, 0, 8] + wire("/a__"), .badElementSize(8)),
    (bundleHead + [0, 0], .misaligned(18)),
    ([UInt8](repeating: 0x2F, count: 65_540), .tooLong(65_540)),
  ]

  @Test(arguments: malformed)
  func `a malformed packet is refused by name`(bytes: [UInt8], error: OSCPacketError) {
    #expect(throws: error) { try OSCPacketReader.packet(bytes) }
  }

  @Test func `nesting is bounded`() {
    func nested(_ depth: Int) -> [UInt8] {
      (0..<depth).reduce(OSCPacketWriter.bytes(OSCMessage("/a"))) { inner, _ in
        OSCPacketWriter.bundle(.immediately, [inner])
      }
    }
    #expect(throws: Never.self) { try OSCPacketReader.packet(nested(8)) }
    #expect(throws: OSCPacketError.nestedTooDeep) { try OSCPacketReader.packet(nested(9)) }
    let brackets = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
    #expect(throws: OSCPacketError.nestedTooDeep) {
      try OSCPacketReader.packet(wire("/a__," + brackets + "___"))
    }
  }

  @Test func `the number of messages and arguments is bounded`() {
    // 512 elements in all are taken, the bundle itself being one of them.
    let message = OSCPacketWriter.bytes(OSCMessage("/a"))
    func bundle(_ count: Int) -> [UInt8] {
      OSCPacketWriter.bundle(.immediately, [[UInt8]](repeating: message, count: count))
    }
    #expect(throws: Never.self) { try OSCPacketReader.packet(bundle(511)) }
    #expect(throws: OSCPacketError.tooMany) { try OSCPacketReader.packet(bundle(512)) }
    let tags = String(repeating: "T", count: 259)
    #expect(throws: OSCPacketError.tooMany) {
      try OSCPacketReader.packet(wire("/a__," + tags + "____"))
    }
  }

  @Test func `random damage to good packets never traps`() {
    var random = SplitMix64(state: 20)
    let whole = OSCPacketWriter.bundle(
      .immediately, [OSCPacketTests.oscillator, OSCPacketTests.foo])
    var refused = 0
    for _ in 0..<20_000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(
          in: 0...255, using: &random)
      }
      bytes.removeLast(4 * Int.random(in: 0...3, using: &random))
      do { _ = try OSCPacketReader.packet(bytes) } catch { refused += 1 }
    }
    #expect(refused > 1000)
  }
}

@Suite struct OSCTimetagTests {
  // 1970-01-01 is 2208988800 s = 0x83AA7E80 after 1900; half a second is 0x80000000.
  @Test func `the Unix epoch is 2208988800 seconds after the NTP epoch`() {
    #expect(OSCTimetag(wallNanoseconds: 0).rawValue == 0x83AA_7E80_0000_0000)
    #expect(OSCTimetag(wallNanoseconds: 500_000_000).rawValue == 0x83AA_7E80_8000_0000)
    #expect(OSCTimetag(rawValue: 0x83AA_7E80_8000_0000).wallNanoseconds == 500_000_000)
  }

  @Test func `an instant comes back within a nanosecond`() {
    // 2^-32 s is 0.23 ns: the nearest nanosecond is the one that went in.
    var random = SplitMix64(state: 1)
    for _ in 0..<10_000 {
      let wall = Int64.random(in: 0...4_000_000_000_000_000_000, using: &random)
      #expect(OSCTimetag(wallNanoseconds: wall).wallNanoseconds == wall)
    }
  }

  @Test func `the last fraction of a second carries into the seconds`() {
    #expect(OSCTimetag(wallNanoseconds: 999_999_999).rawValue == 0x83AA_7E80_FFFF_FFFC)
  }

  @Test func `seconds wrap in 2036`() {
    // 2036-02-07 06:28:16 UTC is 2^32 s after 1900: 2085978496 s after 1970.
    let wall: Int64 = 2_085_978_496_000_000_000
    #expect(OSCTimetag(wallNanoseconds: wall).rawValue == 0)
    #expect(OSCTimetag(rawValue: 0).wallNanoseconds == wall)
  }
}
