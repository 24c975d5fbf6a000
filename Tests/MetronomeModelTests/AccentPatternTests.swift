import MetronomeModel
import MusicalTime
import Testing

@Suite struct AccentPatternTests {
  @Test(arguments: ["X", "Xxxx", "X-x.", "....", "-x-x-X."])
  func `a pattern reads as it was written`(text: String) throws {
    let meter = try Meter(text.count, 4)
    let pattern = try AccentPattern(text: text, for: meter)
    #expect(pattern.description == text)
    #expect(Int(pattern.count) == text.count)
    #expect(pattern.accent(at: -1) == .silent && pattern.accent(at: text.count) == .silent)
  }

  @Test func `sixty-four beats keep their accents`() throws {
    let text = String(repeating: "Xx-.", count: 16)
    let meter = try Meter(64, 4)
    #expect(try AccentPattern(text: text, for: meter).description == text)
  }

  @Test func `a pattern of another length is refused and both lengths are named`() throws {
    let error = #expect(throws: AccentPatternError.self) {
      try AccentPattern(text: "X-", for: .common)
    }
    let text = try #require(error).description
    #expect(text.contains("2 letters") && text.contains("4 beats") && text.contains("4/4"))
    #expect(throws: AccentPatternError.letter("y")) {
      try AccentPattern(text: "Xxxy", for: .common)
    }
  }

  @Test(arguments: [
    ("4/4", "Xxxx"), ("6/8", "X--x--"), ("6/8.", "Xx"), ("9/8", "X--x--x--"),
    ("12/8", "X--x--x--x--"), ("3/8", "Xxx"), ("7/8", "Xxxxxxx"), ("2+2+3/8", "X-x-x--"),
    ("3+2/4", "X--x-"), ("6/4", "Xxxxxx"), ("6+3/8.", "X-x"), ("1/4", "X"),
  ])
  func `the standard pattern follows the groups`(text: String, pattern: String) throws {
    let meter = try Meter(text: text)
    #expect(AccentPattern.standard(for: meter).description == pattern)
    #expect(meter.description == text)
  }

  @Test func `a meter brings its last pattern back`() throws {
    var memory = PatternMemory()
    let waltz = try Meter(3, 4)
    let mine = try AccentPattern(text: "X.x", for: waltz)
    #expect(memory.pattern(for: waltz) == .standard(for: waltz))
    memory.remember(mine, for: waltz)
    memory.remember(.standard(for: .common), for: .common)
    #expect(memory.pattern(for: waltz) == mine)
    memory.remember(mine, for: .common)
    #expect(memory.pattern(for: .common) == .standard(for: .common))
  }
}
