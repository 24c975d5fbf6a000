import Glibc
import MetronomeModel
import Testing

@testable import ScoreFormats

@Suite struct LearnedRulesTests {
  private static func rules() throws -> [MIDIMapping.Rule] {
    try [
      ("note 36 channel 10", "tap"), ("cc 64 channel 1", "tempo/push hold"),
      ("key pagedown device Air Turn", "preset/next"),
      ("cc 7 channel 2", "tempo 60..180"), ("program *", "preset {}"),
    ].map { MIDIMapping.Rule(trigger: try MIDITrigger($0.0), action: try MIDIAction($0.1)) }
  }

  @Test func `what was learned is read back as it was written`() throws {
    let rules = try Self.rules()
    let text = LearnedRulesFormat.write(rules)
    #expect(try LearnedRulesFormat.read(Array(text.utf8), file: "l.json") == rules)
    #expect(text.contains(#""when": "note 36 channel 10""#))
  }

  @Test(
    arguments: [
      (#"{"learned": [{"when": "nota 36", "do": "tap"}]}"#, "l.json:1:23: learned[0].when:"),
      (#"{"learned": [{"when": "note 200", "do": "tap"}]}"#, "a note is 0 to 127"),
      (#"{"learned": [{"when": "note 3", "do": "tempo a..b"}]}"#, "learned[0].do: a range is two"),
      (#"{"learned": [{"when": "note 3"}]}"#, "learned[0].do: is missing"),
      (#"{"learnt": []}"#, "did you mean 'learned'?"), ("[]", "an object { }"),
    ])
  func `a wrong line is named with its place and the way out`(text: String, part: String) {
    let error = #expect(throws: FormatError.self) {
      try LearnedRulesFormat.read(Array(text.utf8), file: "l.json")
    }
    #expect(error?.description.contains(part) == true, "\(error?.description ?? "")")
  }

  @Test
  func `the file is made where there is none, replaced as a whole, and kept when it is broken`()
    throws
  {
    var template = Array("/tmp/tactus-learned-XXXXXX".utf8CString)
    let folder = try #require(mkdtemp(&template).map { String(cString: $0) })
    let store = LearnedRulesStore(folder: "\(folder)/inner")
    defer {
      unlink(store.path)
      rmdir(store.folder)
      rmdir(folder)
    }
    #expect(try store.load().isEmpty)
    let rules = try Self.rules()
    try store.save(rules)
    #expect(try store.load() == rules)
    try store.save(Array(rules.prefix(1)))
    #expect(try store.load() == Array(rules.prefix(1)))
    try WholeFile.replace(
      Array("{".utf8), folder: store.folder, file: LearnedRulesStore.file)
    #expect(throws: StoreError.self) { try store.load() }
  }
}
