/// A program's manual page, made from the same declarations as its help.
///
/// The text is for `man`(1): roff with the `man`(7) macros.
///
/// - Thread: any
public struct ManualPage: Equatable, Sendable {
  /// As the page is called: `tactusd`.
  public let name: String
  /// One sentence, for the line that `apropos` searches.
  public let summary: String
  /// What stands below NAME, in order.
  public private(set) var sections: [Section] = []

  /// A heading with what stands below it.
  public struct Section: Equatable, Sendable {
    public let heading: String
    /// roff lines, each ended.
    public let body: String
  }

  public init(name: String, summary: String) {
    self.name = name
    self.summary = summary
  }

  /// The page of a program with one command line.
  public init(_ parser: OptionParser) {
    self.init(name: parser.command, summary: parser.summary)
    add("SYNOPSIS", Self.synopsis(parser))
    add("DESCRIPTION", Self.paragraphs([parser.summary] + parser.notes))
    if !parser.positionals.isEmpty { add("ARGUMENTS", Self.arguments(parser)) }
    add("OPTIONS", Self.options(parser))
    add("EXIT STATUS", Self.list(parser.exitCodes.map { ("\($0.code)", $0.meaning) }))
  }

  /// Puts a section below those that are there.
  ///
  /// - Parameter body: roff lines, as `paragraphs` and `list` make them.
  public mutating func add(_ heading: String, _ body: String) {
    sections.append(Section(heading: heading, body: body))
  }

  /// A command of a program that has several: its synopsis, arguments and own options.
  public mutating func addCommand(_ parser: OptionParser) {
    var body = Self.synopsis(parser) + Self.paragraphs([parser.summary])
    body += Self.arguments(parser) + Self.options(parser, withStandard: false)
    body += Self.paragraphs(parser.notes)
    add(parser.command, body)
  }

  /// The whole page in section 1 of the manual.
  public var text: String {
    var page = ".TH \(Self.quoted(name.uppercased())) 1 \"\" \"Tactus \(ProgramVersion.text)\" "
    // Ragged on the right: words with few places to break cannot be stretched to a column.
    page += "\"User Commands\"\n.ad l\n"
    // `apropos` takes what follows the dash, without the full stop of a sentence.
    let line = summary.hasSuffix(".") ? String(summary.dropLast()) : summary
    page += ".SH NAME\n\(Self.escaped(name)) \\- \(Self.escaped(line))\n"
    for section in sections {
      // The names of commands stand as they are typed, one level below.
      let isCommand = section.heading.contains { $0.isLowercase }
      page += "\(isCommand ? ".SS" : ".SH") \(Self.quoted(section.heading))\n\(section.body)"
    }
    return page
  }

  // MARK: Pieces

  private static func synopsis(_ parser: OptionParser) -> String {
    ".B \(escaped(parser.command))\n\(escaped(parser.usageLine))\n"
  }

  private static func arguments(_ parser: OptionParser) -> String {
    list(parser.positionals.map { ($0.name, $0.help) })
  }

  private static func options(_ parser: OptionParser, withStandard: Bool = true) -> String {
    let standard = OptionDeclaration.standard.map(\.name)
    let options = parser.options.filter { withStandard || !standard.contains($0.name) }
    return list(options.map { (HelpText.label(of: $0), $0.help) })
  }

  /// Labels in bold, each with its text indented below.
  public static func list(_ rows: [(label: String, text: String)]) -> String {
    rows.map { ".TP\n.B \(escaped($0.label))\n\(escaped($0.text))\n" }.joined()
  }

  /// Paragraphs; lines that begin with a space are kept as they are: examples.
  public static func paragraphs(_ texts: [String]) -> String {
    var body = ""
    for text in texts {
      body += ".PP\n"
      var isExample = false
      for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
        if (line.first == " ") != isExample {
          isExample.toggle()
          body += isExample ? ".nf\n" : ".fi\n"
        }
        body += escaped(String(line)) + "\n"
      }
      if isExample { body += ".fi\n" }
    }
    return body
  }

  /// Text that roff prints as it is: no line of it is a request, dashes can be copied.
  ///
  /// A line may be broken within `NAME[,key=VALUE]...`, before the brackets.
  static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "[" where result.last.map { $0 != " " } ?? false: result += "\\:["
      case "\\": result += "\\e"
      case "-": result += "\\-"
      case "'": result += "\\(aq"
      case "^": result += "\\(ha"
      case "~": result += "\\(ti"
      case "`": result += "\\(ga"
      default: result.append(character)
      }
    }
    return result.hasPrefix(".") ? "\\&" + result : result
  }

  private static func quoted(_ text: String) -> String { "\"\(escaped(text))\"" }
}
