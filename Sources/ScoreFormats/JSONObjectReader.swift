import MetronomeModel

/// Takes typed values out of an object, with errors that name the key, the value and what is
/// allowed.
struct JSONObjectReader {
  let file: String
  /// The keys that lead here.
  let path: String
  let place: JSONPlace
  private let members: [JSONMember]

  /// - Parameter keys: those that are known; another one is an error with the nearest known one.
  init(
    _ node: JSONNode, path: String, file: String, keys: [String]
  ) throws(FormatError) {
    self.file = file
    self.path = path
    place = node.place
    guard case .object(let members) = node.value else {
      throw FormatError(
        file: file, line: node.place.line, column: node.place.column, key: path,
        reason: "\(node.value.shown) stands where an object { } should stand")
    }
    self.members = members
    for member in members where !keys.contains(member.key) {
      throw FormatError(
        file: file, line: member.keyPlace.line, column: member.keyPlace.column,
        key: fullKey(member.key), reason: JSONObjectReader.unknown(member.key, among: keys))
    }
  }

  static func unknown(_ key: String, among keys: [String]) -> String {
    let lower = key.lowercased()
    let nearest = keys.min {
      EditDistance.between($0.lowercased(), lower) < EditDistance.between($1.lowercased(), lower)
    }
    if let nearest, EditDistance.between(nearest.lowercased(), lower) <= max(2, nearest.count / 3) {
      return "unknown key: did you mean '\(nearest)'?"
    }
    return "unknown key: known are \(keys.joined(separator: ", "))"
  }

  func fullKey(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

  func has(_ key: String) -> Bool { node(key) != nil }

  func node(_ key: String) -> JSONNode? { members.first { $0.key == key }?.node }

  func isNull(_ key: String) -> Bool {
    guard case .null? = node(key)?.value else { return false }
    return true
  }

  func error(_ key: String, _ reason: String) -> FormatError {
    let at = node(key)?.place ?? place
    return FormatError(
      file: file, line: at.line, column: at.column, key: fullKey(key), reason: reason)
  }

  private func mismatch(_ key: String, _ node: JSONNode, _ expected: String) -> FormatError {
    error(key, "\(node.value.shown) stands where \(expected) should stand")
  }

  // MARK: Values

  func number(
    _ key: String, _ range: ClosedRange<Double>, unit: String = ""
  ) throws(FormatError) -> Double? {
    guard let node = node(key) else { return nil }
    guard case .number(let number) = node.value else { throw mismatch(key, node, "a number") }
    guard range.contains(number.double) else {
      throw error(key, "\(number.text): allowed are \(JSONObjectReader.text(range, unit: unit))")
    }
    return number.double
  }

  func integer(
    _ key: String, _ range: ClosedRange<Int>, unit: String = ""
  ) throws(FormatError) -> Int? {
    let wide = Double(range.lowerBound)...Double(range.upperBound)
    guard let value = try number(key, wide, unit: unit) else { return nil }
    guard let whole = Int(exactly: value) else {
      throw error(key, "\(node(key)?.value.shown ?? ""): a whole number is needed")
    }
    return whole
  }

  /// Decibels; `"silent"` is minus infinity.
  func decibels(_ key: String) throws(FormatError) -> Double? {
    if case .string("silent")? = node(key)?.value { return -.infinity }
    guard let node = node(key) else { return nil }
    guard case .number = node.value else { throw mismatch(key, node, "decibels or \"silent\"") }
    return try number(key, Limits.gainDecibels, unit: "dB")
  }

  func bool(_ key: String) throws(FormatError) -> Bool? {
    guard let node = node(key) else { return nil }
    guard case .bool(let value) = node.value else { throw mismatch(key, node, "true or false") }
    return value
  }

  func string(_ key: String, bytes: Int = 200) throws(FormatError) -> String? {
    guard let node = node(key) else { return nil }
    guard case .string(let text) = node.value else { throw mismatch(key, node, "a text") }
    guard text.utf8.count <= bytes else {
      throw error(key, "has \(text.utf8.count) bytes: allowed are \(bytes)")
    }
    return text
  }

  /// A bare file name.
  func name(_ key: String) throws(FormatError) -> String? {
    guard let text = try string(key, bytes: .max) else { return nil }
    do { return try SafeName(text).text } catch { throw self.error(key, error.description) }
  }

  /// One of a few words.
  func word<Word>(
    _ key: String, _ words: [(String, Word)]
  ) throws(FormatError) -> Word? {
    guard let text = try string(key, bytes: .max) else { return nil }
    guard let word = words.first(where: { $0.0 == text }) else {
      let known = words.map { "\"\($0.0)\"" }.joined(separator: ", ")
      throw error(key, "'\(text.prefix(60))': allowed are \(known)")
    }
    return word.1
  }

  func accent(_ key: String) throws(FormatError) -> Accent? {
    try word(key, Accent.allCases.map { ($0.name, $0) })
  }

  func object(_ key: String, keys: [String]) throws(FormatError) -> JSONObjectReader? {
    guard let node = node(key) else { return nil }
    return try JSONObjectReader(node, path: fullKey(key), file: file, keys: keys)
  }

  func list(_ key: String, atMost most: Int) throws(FormatError) -> [JSONNode]? {
    guard let node = node(key) else { return nil }
    guard case .array(let elements) = node.value else { throw mismatch(key, node, "a list [ ]") }
    guard elements.count <= most else {
      throw error(key, "has \(elements.count) entries: allowed are \(most)")
    }
    return elements
  }

  /// The objects of a list.
  func objects(
    _ key: String, atMost most: Int, keys: [String]
  ) throws(FormatError) -> [JSONObjectReader]? {
    guard let nodes = try list(key, atMost: most) else { return nil }
    var readers: [JSONObjectReader] = []
    for (index, node) in nodes.enumerated() {
      readers.append(
        try JSONObjectReader(node, path: "\(fullKey(key))[\(index)]", file: file, keys: keys))
    }
    return readers
  }

  /// What must be there.
  func required<Value>(_ key: String, _ value: Value?) throws(FormatError) -> Value {
    guard let value else { throw error(key, "is missing") }
    return value
  }

  static func text(_ range: ClosedRange<Double>, unit: String) -> String {
    let bounds =
      "\(JSONNumber(range.lowerBound).text) to \(JSONNumber(range.upperBound).text)"
    return unit.isEmpty ? bounds : "\(bounds) \(unit)"
  }
}

/// How many letters lie between two words (Levenshtein): what a typing error costs.
enum EditDistance {
  static func between(_ first: String, _ second: String) -> Int {
    let a = Array(first.unicodeScalars.prefix(64))
    let b = Array(second.unicodeScalars.prefix(64))
    var row = Array(0...b.count)
    for i in 0..<a.count {
      var diagonal = row[0]
      row[0] = i + 1
      for j in 0..<b.count {
        let changed = diagonal + (a[i] == b[j] ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(changed, row[j] + 1, row[j + 1] + 1)
      }
    }
    return row[b.count]
  }
}
