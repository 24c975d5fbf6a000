/// What an HTTP client would rather have, by its Accept header.
///
/// Source: RFC 9110, 12.5.1.
enum AcceptHeader {
  /// Whether it asks for HTML by name, and for nothing that we also have with more weight: `/` is
  /// the page for a browser and OSCQuery's JSON for everyone else.
  static func prefersHTML(_ text: String) -> Bool {
    var html = 0.0
    var json = 0.0
    for part in text.prefix(1_024).split(separator: ",") {
      let fields = part.split(separator: ";").map { trimmed($0) }
      guard let type = fields.first?.lowercased() else { continue }
      var weight = 1.0
      for field in fields.dropFirst() where field.lowercased().hasPrefix("q=") {
        weight = Double(field.dropFirst(2)) ?? 0
      }
      switch type {
      case "text/html", "application/xhtml+xml": html = max(html, weight)
      case "application/json": json = max(json, weight)
      default: break
      }
    }
    return html > 0 && html > json
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text
    while text.first == " " || text.first == "\t" { text.removeFirst() }
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return text
  }
}
