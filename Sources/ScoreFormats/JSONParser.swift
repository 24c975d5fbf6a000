/// Reads JSON (RFC 8259) with comments (`//` to the end of the line, `/* */`), and says where what
/// is wrong.
///
/// A key written twice is an error: one of the two would be lost silently. Size, depth and number
/// of values are bounded.
///
/// - Thread: any
public struct JSONParser {
  /// Bytes.
  public static let largestText = 1 << 20
  public static let deepest = 32
  public static let mostValues = 100_000

  private let bytes: [UInt8]
  private let file: String
  private var offset = 0
  private var line = 1
  private var lineStart = 0
  private var valueCount = 0

  /// The value of a whole text.
  public static func parse(_ bytes: [UInt8], file: String) throws(FormatError) -> JSONNode {
    var parser = JSONParser(bytes: bytes, file: file)
    return try parser.parseText()
  }

  private init(bytes: [UInt8], file: String) {
    self.bytes = bytes
    self.file = file
  }

  private mutating func parseText() throws(FormatError) -> JSONNode {
    guard bytes.count <= JSONParser.largestText else {
      throw error("text has \(bytes.count) bytes: allowed are \(JSONParser.largestText)")
    }
    // A byte order mark is no JSON, but editors leave it.
    offset = try TextEncoding.markLength(bytes, file: file)
    lineStart = offset
    let node = try parseValue(depth: 0)
    try skipSpace()
    guard offset == bytes.count else {
      throw error("text goes on after the value: remove \(shown)")
    }
    return node
  }

  // MARK: Values

  private mutating func parseValue(depth: Int) throws(FormatError) -> JSONNode {
    try skipSpace()
    guard depth < JSONParser.deepest else {
      throw error("nested more than \(JSONParser.deepest) deep")
    }
    valueCount += 1
    guard valueCount <= JSONParser.mostValues else {
      throw error("more than \(JSONParser.mostValues) values")
    }
    let start = place
    guard let byte = peek else { throw error("text ends where a value should stand") }
    let value: JSONValue
    switch byte {
    case UInt8(ascii: "{"): value = try parseObject(depth: depth)
    case UInt8(ascii: "["): value = try parseArray(depth: depth)
    case UInt8(ascii: "\""): value = .string(try parseString())
    case UInt8(ascii: "-"), 0x30...0x39: value = .number(try parseNumber())
    case UInt8(ascii: "t"): value = try parseWord("true", .bool(true))
    case UInt8(ascii: "f"): value = try parseWord("false", .bool(false))
    case UInt8(ascii: "n"): value = try parseWord("null", .null)
    default:
      throw error("\(shown) begins no value: write a number, \"text\", true, false, null, [ or {")
    }
    return JSONNode(value, place: start)
  }

  private mutating func parseObject(depth: Int) throws(FormatError) -> JSONValue {
    offset += 1
    var members: [JSONMember] = []
    var keys: Set<String> = []
    try skipSpace()
    if take(UInt8(ascii: "}")) { return .object([]) }
    while true {
      try skipSpace()
      let keyPlace = place
      guard peek == UInt8(ascii: "\"") else {
        throw error("\(shown) where a key in quotes should stand")
      }
      let key = try parseString()
      guard keys.insert(key).inserted else {
        throw error("key '\(key.prefix(60))' stands twice: remove one", at: keyPlace)
      }
      try skipSpace()
      guard take(UInt8(ascii: ":")) else { throw error("\(shown) where ':' should stand") }
      members.append(
        JSONMember(key: key, keyPlace: keyPlace, node: try parseValue(depth: depth + 1)))
      try skipSpace()
      if take(UInt8(ascii: "}")) { return .object(members) }
      guard take(UInt8(ascii: ",")) else { throw error("\(shown) where ',' or '}' should stand") }
    }
  }

  private mutating func parseArray(depth: Int) throws(FormatError) -> JSONValue {
    offset += 1
    var elements: [JSONNode] = []
    try skipSpace()
    if take(UInt8(ascii: "]")) { return .array([]) }
    while true {
      elements.append(try parseValue(depth: depth + 1))
      try skipSpace()
      if take(UInt8(ascii: "]")) { return .array(elements) }
      guard take(UInt8(ascii: ",")) else { throw error("\(shown) where ',' or ']' should stand") }
    }
  }

  private mutating func parseWord(
    _ word: String, _ value: JSONValue
  ) throws(FormatError) -> JSONValue {
    guard bytes[offset...].starts(with: word.utf8) else { throw error("\(shown) begins no value") }
    offset += word.utf8.count
    return value
  }

  private mutating func parseNumber() throws(FormatError) -> JSONNumber {
    let start = offset
    let startPlace = place
    _ = take(UInt8(ascii: "-"))
    let whole = takeDigits()
    guard whole > 0 else { throw error("'-' without a digit after it", at: startPlace) }
    if whole > 1, bytes[offset - whole] == UInt8(ascii: "0") {
      throw error("a number begins with 0: write it without", at: startPlace)
    }
    if take(UInt8(ascii: ".")), takeDigits() == 0 {
      throw error("'.' without a digit after it", at: startPlace)
    }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      guard takeDigits() > 0 else { throw error("'e' without a digit after it", at: startPlace) }
    }
    guard offset - start <= 64 else {
      throw error("a number of more than 64 digits", at: startPlace)
    }
    let number = JSONNumber(text: String(decoding: bytes[start..<offset], as: UTF8.self))
    guard number.double.isFinite else {
      throw error("number \(number.text) is out of reach", at: startPlace)
    }
    return number
  }

  private mutating func takeDigits() -> Int {
    let start = offset
    while let byte = peek, (0x30...0x39).contains(byte) { offset += 1 }
    return offset - start
  }

  // MARK: Texts

  private mutating func parseString() throws(FormatError) -> String {
    let start = place
    offset += 1
    var text: [UInt8] = []
    while true {
      guard let byte = peek else { throw error("text without its closing quote", at: start) }
      offset += 1
      switch byte {
      case UInt8(ascii: "\""):
        guard let string = String(validating: text, as: UTF8.self) else {
          throw error("text is not UTF-8", at: start)
        }
        return string
      case UInt8(ascii: "\\"):
        try parseEscape(into: &text)
      case 0..<0x20:
        offset -= 1
        throw error("a line break or control character in a text: write \\n or \\u00XX")
      default:
        text.append(byte)
      }
    }
  }

  private mutating func parseEscape(into text: inout [UInt8]) throws(FormatError) {
    guard let byte = peek else { throw error("text ends after '\\'") }
    offset += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "u"):
      var code = try parseHexadecimal()
      if (0xD800...0xDBFF).contains(code) {
        // Characters beyond 16 bits are written as two halves.
        guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else {
          throw error("\\u with half a character")
        }
        let low = try parseHexadecimal()
        guard (0xDC00...0xDFFF).contains(low) else { throw error("\\u with half a character") }
        code = 0x10000 + (code - 0xD800) << 10 + (low - 0xDC00)
      }
      guard let scalar = Unicode.Scalar(code) else { throw error("\\u with half a character") }
      text.append(contentsOf: String(Character(scalar)).utf8)
    default:
      offset -= 1
      throw error("'\\' before \(shown): known are \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u")
    }
  }

  private mutating func parseHexadecimal() throws(FormatError) -> UInt32 {
    guard bytes.count - offset >= 4,
      bytes[offset..<(offset + 4)].allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
      let value = UInt32(String(decoding: bytes[offset..<(offset + 4)], as: UTF8.self), radix: 16)
    else { throw error("\\u without four hexadecimal digits") }
    offset += 4
    return value
  }

  // MARK: Between values

  private mutating func skipSpace() throws(FormatError) {
    while let byte = peek {
      switch byte {
      case 0x20, 0x09, 0x0D:
        offset += 1
      case 0x0A:
        endLine()
      case UInt8(ascii: "/"):
        try skipComment()
      default:
        return
      }
    }
  }

  private mutating func skipComment() throws(FormatError) {
    let start = place
    offset += 1
    if take(UInt8(ascii: "/")) {
      while let byte = peek, byte != 0x0A { offset += 1 }
      return
    }
    guard take(UInt8(ascii: "*")) else {
      throw error("'/' begins no value: a comment is // or /* */", at: start)
    }
    while let byte = peek {
      if byte == 0x0A {
        endLine()
      } else {
        offset += 1
        if byte == UInt8(ascii: "*"), take(UInt8(ascii: "/")) { return }
      }
    }
    throw error("comment without its end */", at: start)
  }

  private mutating func endLine() {
    offset += 1
    line += 1
    lineStart = offset
  }

  private var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard peek == byte else { return false }
    offset += 1
    return true
  }

  private var place: JSONPlace { JSONPlace(line: line, column: offset - lineStart + 1) }

  /// What stands here, for a message.
  private var shown: String {
    guard let byte = peek else { return "the end of the text" }
    guard (0x21...0x7E).contains(byte) else { return "byte \(byte)" }
    return "'\(Character(Unicode.Scalar(byte)))'"
  }

  private func error(_ reason: String, at place: JSONPlace? = nil) -> FormatError {
    let place = place ?? self.place
    return FormatError(file: file, line: place.line, column: place.column, reason: reason)
  }
}
