import MetronomeModel
import Testing

@Suite struct BeatTemplateTests {
  @Test(arguments: [
    "/beat", "/beat/{beat}", "/1/fader1", "/a-b_c.d/{bar}/{beats}/{accent}/{bpm}/{flags}/{tempo}",
    "/cue/{beat}/start",
  ])
  func `an address that a receiver understands has no fault`(address: String) {
    #expect(BeatTemplate.fault(inAddress: address) == nil)
  }

  /// OSC 1.0, "OSC Addresses": space # * , / ? [ ] { } may not stand in a name.
  @Test(arguments: [
    ("beat", "begins with /"), ("", "begins with /"), ("/", "goes on"), ("/a b", "have ' '"),
    ("/a#b", "have '#'"), ("/a*", "have '*'"), ("/a?", "have '?'"), ("/[1-4]", "have '['"),
    ("/a{beat", "have '{'"), ("/a}", "have '}'"), ("/a,b", "have ','"), ("/ä", "have 'ä'"),
    ("/{foo}", "'{foo}' is unknown"), ("/{Beat}", "'{Beat}' is unknown"), ("/{}", "unknown"),
  ])
  func `another is named with what is allowed`(address: String, words: String) throws {
    let fault = BeatTemplate.fault(inAddress: address)
    #expect(try #require(fault).contains(words))
  }

  @Test func `a word may be any text, but only known names are filled in`() {
    #expect(BeatTemplate.fault(inWord: "go * to {bar}!") == nil)
    #expect(BeatTemplate.fault(inWord: "{loudness}")?.contains("allowed are {bar}") == true)
  }

  @Test func `names are cut from the text around them`() {
    let pieces = BeatTemplate.pieces(of: "/a{bar}-{beat}z")
    #expect(pieces.map(\.text) == ["/a", "bar", "-", "beat", "z"])
    #expect(pieces.map(\.isName) == [false, true, false, true, false])
  }
}
