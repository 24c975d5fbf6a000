extension OptionParser {
  /// The help: usage, arguments, every option by group, notes and exit codes.
  ///
  /// - Parameter width: columns of the terminal; at least 40 are used.
  public func helpText(width: Int = 80) -> String {
    let width = HelpText.clamped(width)
    var text = "Usage: \(command) \(usageLine)\n\n"
    text += HelpText.paragraph(summary, indent: 0, width: width)
    if !positionals.isEmpty {
      text += "\nArguments:\n"
      text += HelpText.table(positionals.map { ($0.name, $0.help) }, width: width)
    }
    for group in groups {
      text += "\n\(group):\n"
      text += HelpText.table(
        options.filter { $0.group == group }.map { (HelpText.label(of: $0), $0.help) },
        width: width)
    }
    for note in notes { text += "\n" + HelpText.paragraph(note, indent: 0, width: width) }
    text += "\nExit codes:\n"
    text += HelpText.table(exitCodes.map { ("\($0.code)", $0.meaning) }, width: width)
    return text
  }

  /// What stands behind the command in its first line of help.
  var usageLine: String { usage ?? standardUsage }

  private var standardUsage: String {
    (positionals.map { "[\($0.name)]" + ($0.isRepeatable ? "..." : "") } + ["[OPTIONS]"]).joined(
      separator: " ")
  }

  /// In the order of their first option, the unnamed one last.
  private var groups: [String] {
    var names: [String] = []
    for option in options where !names.contains(option.group) { names.append(option.group) }
    return names.filter { $0 != "Options" } + (names.contains("Options") ? ["Options"] : [])
  }
}

/// Lays out the help.
///
/// - Thread: any
public enum HelpText {
  static func label(of option: OptionDeclaration) -> String {
    let letter = option.letter.map { "-\($0), " } ?? ""
    let value = option.placeholder.map { option.mayStandAlone ? " [\($0)]" : " \($0)" } ?? ""
    return "\(letter)--\(option.name)\(value)\(option.isRepeatable ? " ..." : "")"
  }

  /// Two columns; a label too long for its column has a line to itself.
  ///
  /// - Parameter width: columns of the terminal; 0, where there is none, is 80.
  public static func table(_ rows: [(label: String, text: String)], width: Int) -> String {
    let width = clamped(width)
    let column = min(rows.map { $0.label.count }.max() ?? 0, width / 3)
    let indent = column + 4
    var result = ""
    for (label, text) in rows {
      let lines = wrap(text, width: width - indent)
      if label.count > column {
        result += "  \(label)\n"
      } else {
        let gap = String(repeating: " ", count: column - label.count + 2)
        result += "  \(label)\(gap)\(lines.first ?? "")\n"
      }
      for line in label.count > column ? lines[...] : lines.dropFirst() {
        result += String(repeating: " ", count: indent) + line + "\n"
      }
    }
    return result
  }

  /// Lines that begin with a space are kept as they are: examples.
  ///
  /// - Parameter width: columns of the terminal; 0, where there is none, is 80.
  public static func paragraph(_ text: String, indent: Int, width: Int) -> String {
    let width = clamped(width)
    let margin = String(repeating: " ", count: indent)
    var result = ""
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.first == " " {
        result += "\(margin)\(line)\n"
      } else {
        for piece in wrap(String(line), width: width - indent) { result += "\(margin)\(piece)\n" }
      }
    }
    return result
  }

  /// 0 columns: no terminal is there.
  static func clamped(_ width: Int) -> Int { width <= 0 ? 80 : max(40, min(width, 100)) }

  static func wrap(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, line.count + 1 + word.count > width {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? String(word) : " \(word)"
    }
    if !line.isEmpty { lines.append(line) }
    return lines
  }
}
