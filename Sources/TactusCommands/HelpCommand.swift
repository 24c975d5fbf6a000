import CommandLineOptions

/// `tactus help`
enum HelpCommand {
  static let command = Subcommand(
    "help",
    OptionParser(
      command: "tactus help", summary: "Explain a command or a subject.",
      usage: "[TOPIC]",
      positionals: [
        PositionalDeclaration(
          "TOPIC", "A command, such as ctl or 'service install', or a subject; none lists them.",
          repeatable: true)
      ],
      exitCodes: [.done, .misused],
      notes: ["Try:\n  tactus help\n  tactus help latency\n  tactus help midi learn"])
  ) { (parsed, console) throws(CommandFailure) in
    let width = console.outputColumns
    let words = parsed.arguments
    guard let first = words.first else {
      console.write(list)
      return 0
    }
    guard let text = text(about: words.joined(separator: " "), width: width) else {
      let names = HelpTopics.all.map(\.name) + commands.map(\.name)
      let asked = words.joined(separator: " ")
      throw CommandFailure(
        .choice(
          "TOPIC", given: asked, allowed: names,
          suggestion: NearestName.of(asked, among: names) ?? NearestName.of(first, among: names)))
    }
    console.write(text)
    return 0
  }

  /// Not asked of the program: its list holds this command.
  private static var commands: [Subcommand] { TactusProgram.commands }

  /// A command's help, a subject's page, or both where they have one name.
  private static func text(about name: String, width: Int) -> String? {
    var pages: [String] = []
    if let topic = HelpTopics.all.first(where: { $0.name == name }) {
      pages.append(
        topic.paragraphs.map { HelpText.paragraph($0, indent: 0, width: width) }
          .joined(separator: "\n"))
    }
    if let command = commands.first(where: { $0.name == name }) {
      pages.append(command.parser.helpText(width: width))
    } else {
      // `midi`: the commands that begin so.
      let below = commands.filter { $0.name.hasPrefix(name + " ") }
      if !below.isEmpty {
        pages.append(
          "Commands:\n"
            + HelpText.table(below.map { ($0.name, $0.parser.summary) }, width: width))
      }
    }
    return pages.isEmpty ? nil : pages.joined(separator: "\n")
  }

  private static var list: String {
    let width = 80
    return "Subjects:\n"
      + HelpText.table(HelpTopics.all.map { ($0.name, $0.summary) }, width: width)
      + "\nCommands:\n"
      + HelpText.table(commands.map { ($0.name, $0.parser.summary) }, width: width)
      + "\n'tactus help TOPIC' says more about one of them.\n"
  }
}
