import Testing

@testable import ScoreFormats

@Suite("JSON")
struct JSONTests {
  func parse(_ text: String) throws -> JSONValue {
    try JSONParser.parse(Array(text.utf8), file: "x").value
  }

  func failure(_ bytes: [UInt8]) -> String {
    do {
      _ = try JSONParser.parse(bytes, file: "x.json")
      return "accepted"
    } catch { return error.description }
  }

  func failure(_ text: String) -> String { failure(Array(text.utf8)) }

  @Test("every kind of value is read, with comments between")
  func values() throws {
    let value = try parse(
      """
      // head
      { "a": [1, -2.5e3, true, false, null], /* in
      the middle */ "b": "q\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD834\\uDD1E", "c": {} }
      """)
    let expected = JSONValue.members([
      (
        "a",
        .list([
          .integer(1), .number(JSONNumber(text: "-2.5e3")), .bool(true), .bool(false), .null,
        ])
      ),
      // U+1D11E is the G clef, beyond 16 bits.
      ("b", .string("q\"\\/\u{8}\u{C}\n\r\t\u{E9}\u{1D11E}")), ("c", .object([])),
    ])
    #expect(value == expected)
  }

  @Test(
    "errors name line and column",
    arguments: [
      ("", "x.json:1:1: text ends where a value should stand"),
      ("{\n  \"a\": 1,\n  \"a\": 2 }", "x.json:3:3: key 'a' stands twice: remove one"),
      ("{ \"a\" 1 }", "x.json:1:7: '1' where ':' should stand"),
      ("{ \"a\": 1, }", "x.json:1:11: '}' where a key in quotes should stand"),
      ("[1 2]", "x.json:1:4: '2' where ',' or ']' should stand"),
      ("[01]", "x.json:1:2: a number begins with 0: write it without"),
      ("[-]", "x.json:1:2: '-' without a digit after it"),
      ("[1.]", "x.json:1:2: '.' without a digit after it"),
      ("[1e]", "x.json:1:2: 'e' without a digit after it"),
      ("[1e999]", "x.json:1:2: number 1e999 is out of reach"),
      ("tru", "x.json:1:1: 't' begins no value"),
      ("1 2", "x.json:1:3: text goes on after the value: remove '2'"),
      ("\"abc", "x.json:1:1: text without its closing quote"),
      ("\"a\nb\"", "x.json:1:3: a line break or control character in a text: write \\n or \\u00XX"),
      ("\"\\uD834\"", "x.json:1:8: \\u with half a character"),
      ("\"\\u12\"", "x.json:1:4: \\u without four hexadecimal digits"),
      ("/* x", "x.json:1:1: comment without its end */"),
      ("/ 1", "x.json:1:1: '/' begins no value: a comment is // or /* */"),
    ])
  func errors(text: String, message: String) {
    #expect(failure(text) == message)
  }

  @Test("depth, size and encoding are bounded")
  func bounds() {
    #expect(
      failure(String(repeating: "[", count: 32) + String(repeating: "]", count: 32)) == "accepted")
    #expect(failure(String(repeating: "[", count: 33)).hasSuffix("nested more than 32 deep"))
    #expect(failure([UInt8](repeating: 0x20, count: (1 << 20) + 1)).contains("1048577 bytes"))
    #expect(failure([0x22, 0xFF, 0x22]).hasSuffix("text is not UTF-8"))
    #expect(failure("[" + String(repeating: "1,", count: 100_000) + "1]").contains("100000 values"))
  }

  @Test("what an error quotes from a file cannot steer a terminal")
  func harmless() {
    // ESC [ 2 J would clear the screen, U+202E would turn the line round.
    let text = #"{"meter": "\u001B[2J\u202E"}"#
    do {
      _ = try PresetFormat.read(Array(text.utf8), file: "p")
      Issue.record("accepted")
    } catch {
      #expect(error.reason.hasPrefix("meter '\u{FFFD}[2J\u{FFFD}' is not"), "\(error.reason)")
    }
    #expect(failure(#"{"\u0007": 1, "\u0007": 2}"#).contains("key '\u{FFFD}'"))
  }

  @Test("what is written is read back the same")
  func roundTrip() throws {
    let value = JSONValue.members([
      ("text", .string("a\"b\\c\n\u{1}\u{7F}\u{1F941}")),
      ("numbers", .list([.number(0.1), .number(-90), .number(1e-7), .integer(.max)])),
      ("deep", .members([("list", .list([.members([("x", .null)])])), ("empty", .list([]))])),
      ("long", .list((0..<60).map { .integer($0) })),
    ])
    #expect(try parse(value.text()) == value)
  }

  @Test("a typing error is so many letters away")
  func distance() {
    #expect(EditDistance.between("kitten", "sitting") == 3)
    #expect(EditDistance.between("", "abc") == 3)
    #expect(EditDistance.between("tempo", "tmepo") == 2)
    #expect(EditDistance.between("same", "same") == 0)
  }
}
