extension JSONValue {
  /// The value as text a person can edit: two spaces a level, short lists and objects in one line.
  public func text() -> String {
    var output = ""
    JSONWriter.write(self, indent: 0, to: &output)
    return output + "\n"
  }
}

enum JSONWriter {
  private static let lineLength = 80

  static func write(_ value: JSONValue, indent: Int, to output: inout String) {
    switch value {
    case .null: output += "null"
    case .bool(let value): output += value ? "true" : "false"
    case .number(let number): output += number.text
    case .string(let text): output += quoted(text)
    case .array(let elements):
      write(elements.map { (nil, $0.value) }, "[", "]", indent: indent, to: &output)
    case .object(let members):
      write(members.map { ($0.key, $0.node.value) }, "{", "}", indent: indent, to: &output)
    }
  }

  private static func write(
    _ items: [(key: String?, value: JSONValue)], _ open: String, _ close: String, indent: Int,
    to output: inout String
  ) {
    if items.isEmpty {
      output += open + close
      return
    }
    // The outermost object always has a line a key: that is what people read and compare.
    if indent > 0, let short = oneLine(items, open, close),
      short.utf8.count + 2 * indent <= lineLength
    {
      output += short
      return
    }
    output += open
    let margin = String(repeating: "  ", count: indent + 1)
    for (index, item) in items.enumerated() {
      output += index == 0 ? "\n\(margin)" : ",\n\(margin)"
      if let key = item.key { output += quoted(key) + ": " }
      write(item.value, indent: indent + 1, to: &output)
    }
    output += "\n" + String(repeating: "  ", count: indent) + close
  }

  private static func oneLine(
    _ items: [(key: String?, value: JSONValue)], _ open: String, _ close: String
  ) -> String? {
    guard items.count <= 16 else { return nil }
    var parts: [String] = []
    for item in items {
      var part = item.key.map { quoted($0) + ": " } ?? ""
      switch item.value {
      case .array(let elements):
        guard let inner = oneLine(elements.map { (nil, $0.value) }, "[", "]") else { return nil }
        part += inner
      case .object(let members):
        guard let inner = oneLine(members.map { ($0.key, $0.node.value) }, "{", "}") else {
          return nil
        }
        part += inner
      default:
        write(item.value, indent: 0, to: &part)
      }
      parts.append(part)
    }
    if parts.isEmpty { return open + close }
    return open == "{"
      ? "{ \(parts.joined(separator: ", ")) }" : "[\(parts.joined(separator: ", "))]"
  }

  static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
