import Testing

@testable import ControllerLayouts

@Suite("A layout's file")
struct FileLaws {
  @Test("is a zlib stream of stored blocks, to the byte")
  func storedStream() {
    // RFC 1950: 78 01; RFC 1951: final block 01, length 0009, its complement fff6. Adler-32 of
    // "Wikipedia" is 11e60398: a = 1 + the sum of its bytes 919 = 920 (398 hex), b = 4582 (11e6).
    let stream = ZlibStored.stream(Array("Wikipedia".utf8))
    #expect(
      stream == [0x78, 0x01, 0x01, 0x09, 0x00, 0xF6, 0xFF] + Array("Wikipedia".utf8)
        + [0x11, 0xE6, 0x03, 0x98])
    #expect(ZlibStored.stream([]) == [0x78, 0x01, 0x01, 0, 0, 0xFF, 0xFF, 0, 0, 0, 1])
  }

  @Test(
    "is cut into blocks of at most 65535 bytes, the last one marked",
    arguments: [1, 65_535, 65_536, 131_070, 200_000])
  func longStream(length: Int) {
    let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let stream = ZlibStored.stream(bytes)
    var place = 2
    var read: [UInt8] = []
    var isLast = false
    while !isLast {
      isLast = stream[place] == 1
      let size = Int(stream[place + 1]) | Int(stream[place + 2]) << 8
      let complement = Int(stream[place + 3]) | Int(stream[place + 4]) << 8
      #expect(size + complement == 0xFFFF)
      read += stream[place + 5..<place + 5 + size]
      place += 5 + size
    }
    #expect(read == bytes)
    #expect(place + 4 == stream.count)
  }

  @Test("is the same each time")
  func reproducible() {
    #expect(TouchOSCLayout.file() == TouchOSCLayout.file())
    #expect(OpenStageControlLayout.file() == OpenStageControlLayout.file())
  }

  @Test("of TouchOSC closes every element and has an identifier of its own for every node")
  func wellFormed() {
    let xml = TouchOSCLayout.xml(.tactus, receivePort: 9000)
    var open: [Substring] = []
    var identifiers: [Substring] = []
    // Sections of text may hold what looks like elements.
    var plain = ""
    for (index, part) in xml.split(separator: "<![CDATA[", omittingEmptySubsequences: false)
      .enumerated()
    {
      guard index > 0 else {
        plain += part
        continue
      }
      let end = part.range(of: "]]>")
      #expect(end != nil)
      if let end { plain += part[end.upperBound...] }
    }
    for part in plain.split(separator: "<") where !part.hasPrefix("?") {
      let inside = part.prefix { $0 != ">" }
      if inside.hasPrefix("/") {
        #expect(open.popLast() == inside.dropFirst())
      } else {
        open.append(inside.prefix { $0 != " " })
        if inside.hasPrefix("node ID='") {
          identifiers.append(inside.dropFirst(9).prefix { $0 != "'" })
        }
      }
    }
    #expect(open.isEmpty)
    #expect(identifiers.count > 150)
    #expect(Set(identifiers).count == identifiers.count)
    for identifier in identifiers { #expect(identifier.count == 36) }
  }

  @Test("of TouchOSC subscribes with the port on which the app listens")
  func receivePort() {
    let xml = TouchOSCLayout.xml(.tactus, receivePort: 9123)
    #expect(
      xml.contains(
        "sendOSC({'/tactus/subscribe', {{tag='i', value=9123}, {tag='s', value=\"state\"}, "
          + "{tag='s', value=\"beat\"}}})"))
    #expect(xml.contains("now - pingedAt >= 20000"))
  }

  @Test("repeats a nudge after 400 ms and then each 100 ms")
  func repeats() {
    let xml = TouchOSCLayout.xml(.tactus, receivePort: 9000)
    #expect(xml.contains("nextAt = getMillis() + 400"))
    #expect(xml.contains("math.max(nextAt + 100, getMillis())"))
    let session = OpenStageControlLayout.file()
    #expect(session.contains(#"setInterval('again', fire, 100)\n  }, 400)"#))
    for step in ["-1", "-0.1", "0.1", "1"] {
      #expect(xml.contains("sendOSC({'/tactus/tempo/nudge', {{tag='f', value=\(step)}}})"))
      #expect(session.contains("send('/tactus/tempo/nudge', {type: 'f', value: \(step)})"))
    }
  }
}

extension Substring {
  /// Where a text stands first.
  fileprivate func range(of text: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(text) {
        return start..<index(start, offsetBy: text.count)
      }
      start = index(after: start)
    }
    return nil
  }
}
