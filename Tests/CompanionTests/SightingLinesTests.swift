import OSCProtocol
import OSCWire
import Testing

@testable import Companion

@Suite struct SightingLinesTests {
  @Test(arguments: [1, 2, 7, 64])
  func `lines are read however the pipe cuts them`(size: Int) {
    let text = "gone 2 4 Tactus\nnonsense\n\ncomplete\nunavailable no"
    let bytes = Array(text.utf8)
    var lines = SightingLines()
    var sightings: [DaemonSighting] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      sightings += lines.take(bytes[start..<min(start + size, bytes.count)])
    }
    // The last has no end yet.
    #expect(sightings == [.gone(name: "Tactus", interface: 2, isIPv6: false), .complete])
  }

  @Test func `a line without an end is given up`() {
    var lines = SightingLines()
    let none = lines.take(Array(repeating: UInt8(ascii: "x"), count: 5_000))
    let next = lines.take(Array("complete\n".utf8))
    #expect(none == [])
    #expect(next == [.complete])
  }
}
