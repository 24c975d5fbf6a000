import Foundation
import Testing

/// `tactus layout`
@Suite struct LayoutCommandTests {
  @Test func `a TouchOSC file is a zlib stream whose text names the receive port`() throws {
    let run = try BuiltProgram.run("layout touchosc --receive-port 9123")
    #expect(run.code == 0 && run.error.isEmpty)
    // RFC 1950: 78 01 is deflate without a dictionary.
    #expect(run.output.prefix(2) == Data([0x78, 0x01]))
    #expect(run.output.range(of: Data("<lexml version='6'>".utf8)) != nil)
    #expect(run.output.range(of: Data("{tag='i', value=9123}".utf8)) != nil)
  }

  @Test func `an Open Stage Control session is JSON of type session`() throws {
    let run = try BuiltProgram.run("layout open-stage-control")
    #expect(run.code == 0 && run.error.isEmpty)
    let session = try #require(
      try JSONSerialization.jsonObject(with: run.output) as? [String: Any])
    #expect(session["type"] as? String == "session")
    let content = try #require(session["content"] as? [String: Any])
    #expect(content["type"] as? String == "root")
    #expect((content["widgets"] as? [Any])?.isEmpty == false)
  }

  @Test(arguments: [
    ("layout", "APP is missing"), ("layout lemur", "app 'lemur' is unknown"),
    ("layout touchosc --receive-port 0", "1 to 65535"),
    ("layout touchosc --receive-port 9000.5", "--receive-port"),
  ])
  func `a mistake is named and ends with 2`(line: String, words: String) throws {
    let run = try BuiltProgram.run(line)
    #expect(run.code == 2)
    #expect(run.error.contains(words))
    #expect(run.output.isEmpty)
  }
}
