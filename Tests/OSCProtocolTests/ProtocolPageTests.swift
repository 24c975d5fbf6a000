import Foundation
import MusicalTime
import OSCProtocol
import OSCWire
import Testing

/// The byte examples of the page on the beat protocol are what the daemon sends and takes.
@Suite struct ProtocolPageTests {
  static func example(_ name: String) throws -> [UInt8] {
    let readme = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Sources/OSCProtocol/BeatProtocol.md")
    let lines = try String(contentsOf: readme, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false)
    let start = try #require(lines.firstIndex { $0 == "<!-- bytes: \(name) -->" })
    let block = lines[(start + 1)...].prefix { $0.hasPrefix("    ") }
    return try block.flatMap { line in
      try line.split(separator: " ").map { try #require(UInt8($0, radix: 16)) }
    }
  }

  @Test func `the subscription names its port and its topic`() throws {
    #expect(
      try ProtocolPageTests.example("subscribe")
        == OSCPacketWriter.bytes(
          OSCMessage("/tactus/subscribe", .int32(9_000), .string("beat"))))
    let packet = try OSCPacketReader.packet(ProtocolPageTests.example("subscribe"))
    let message = try #require(packet.messages.first?.message)
    #expect(
      try OSCAddressTable.decode(message)
        == .subscribe(port: 9_000, topics: .beat, seconds: nil))
  }

  @Test func `the question and the answer of the clock are as the page says`() throws {
    #expect(
      try ProtocolPageTests.example("sync")
        == OSCPacketWriter.bytes(OSCMessage("/tactus/sync", .int32(7), .int64(1_000_000_000))))
    #expect(
      try ProtocolPageTests.example("answer")
        == OSCPacketWriter.bytes(
          OSCMessage(
            "/tactus/sync", .int32(7), .int64(1_000_000_000), .int64(5_000_300_000),
            .int64(5_000_350_000))))
  }

  @Test func `the beat's bundle is as the page says`() throws {
    let beat = OSCMessage(
      "/tactus/beat", .int32(1_001), .int32(42), .int32(3), .int32(1), .float(120), .int32(4),
      .int32(3), .int32(0), .int64(5_250_000_000))
    #expect(
      try ProtocolPageTests.example("beat")
        == OSCPacketWriter.bundle(OSCTimetag(rawValue: 0xEEB7_C786_8000_0000), [beat]))
    let read = try #require(BeatMessage(beat))
    #expect(read.run == 1_001 && read.sequence == 42 && read.bar == 3 && read.beat == 1)
    #expect(read.quarterTempo == 120 && read.count == 4 && read.accent == 3)
    #expect(read.due == MonotonicTime(nanoseconds: 5_250_000_000))
  }

  @Test func `the cancel is as the page says`() throws {
    let cancel = OSCMessage("/tactus/beat/cancel", .int32(1_001), .int32(42), .int32(43))
    #expect(try ProtocolPageTests.example("cancel") == OSCPacketWriter.bytes(cancel))
    #expect(BeatCancel(cancel) != nil)
  }
}

/// The page's list of addresses is the table's.
@Suite struct ReadmeListTests {
  @Test func `the list of addresses in the page is made from the table`() throws {
    let readme = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Sources/OSCProtocol/README.md")
    let text = try String(contentsOf: readme, encoding: .utf8)
    let begin = try #require(text.range(of: "<!-- osc addresses: tactus osc list --markdown -->\n"))
    let end = try #require(text.range(of: "<!-- end of osc addresses -->"))
    let list = text[begin.upperBound..<end.lowerBound].trimmingCharacters(in: .newlines)
    #expect(list == OSCAddressListing.markdown().trimmingCharacters(in: .newlines))
  }
}
