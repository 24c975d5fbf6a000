/// A widget of Open Stage Control: properties by name, written in alphabetical order.
typealias OSCWidget = [String: OSCWidgetProperty]

enum OSCWidgetProperty {
  case text(String)
  case number(Double)
  case flag(Bool)
  /// Per cent.
  case share(Int, of: Int)
  /// Values written already.
  case list([String])
  /// Labels and values; two arrays, as labels that are numbers would change the order of an object.
  case choices([(text: String, value: String)])
  case widget(OSCWidget)
  case widgets([OSCWidget])

  fileprivate func json(indent: String) -> String {
    switch self {
    case .text(let text): return LayoutText.quoted(text)
    case .number(let number): return LayoutText.number(number)
    case .flag(let flag): return flag ? "true" : "false"
    case .share(let part, let whole):
      // Thousandths of a per cent: a hundredth of a pixel.
      let share = Double((part * 100_000 + whole / 2) / whole) / 1000
      return "\"\(LayoutText.number(share))%\""
    case .list(let values): return "[\(values.joined(separator: ", "))]"
    case .choices(let rows):
      let labels = rows.map { LayoutText.quoted($0.text) }.joined(separator: ", ")
      let values = rows.map(\.value).joined(separator: ", ")
      return "{\"labels\": [\(labels)], \"values\": [\(values)]}"
    case .widget(let widget): return widget.json(indent: indent)
    case .widgets(let widgets):
      guard !widgets.isEmpty else { return "[]" }
      let inner = indent + "  "
      return "[\n"
        + widgets.map { inner + $0.json(indent: inner) }.joined(separator: ",\n")
        + "\n\(indent)]"
    }
  }
}

extension [String: OSCWidgetProperty] {
  func json(indent: String) -> String {
    let inner = indent + "  "
    let lines = sorted { $0.key < $1.key }.map {
      "\(inner)\(LayoutText.quoted($0.key)): \($0.value.json(indent: inner))"
    }
    return "{\n\(lines.joined(separator: ",\n"))\n\(indent)}"
  }
}
