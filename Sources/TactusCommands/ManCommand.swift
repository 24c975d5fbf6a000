import CommandLineOptions
import OptionTables

/// `tactus man`
enum ManCommand {
  static let command = Subcommand(
    "man",
    OptionParser(
      command: "tactus man", summary: "Print a manual page, made from the same tables as the help.",
      usage: "[PROGRAM]",
      positionals: [
        PositionalDeclaration("PROGRAM", "\(names.joined(separator: ", ")); tactus unless given.")
      ],
      options: [.flag("list", "List the pages there are, a line each.")],
      notes: [
        "Try:\n  tactus man > tactus.1\n  tactus man tactusd | man -l -\n  tactus man --list"
      ])
  ) { (parsed, console) throws(CommandFailure) in
    if parsed.has("list") {
      guard parsed.arguments.isEmpty else {
        throw CommandFailure(
          .text("--list names every page: leave out '\(parsed.arguments[0])', or leave out --list"))
      }
      for page in names.compactMap(page(of:)) { console.print("\(page.name)(1)  \(page.summary)") }
      return 0
    }
    let name = parsed.arguments.first ?? "tactus"
    guard let page = page(of: name) else {
      throw CommandFailure(
        .choice(
          "PROGRAM", given: name, allowed: names, suggestion: NearestName.of(name, among: names)))
    }
    console.write(page.text)
    return 0
  }

  static let names = ["tactus", "tactusd", "tactus-web", "tactus-link"]

  static func page(of program: String) -> ManualPage? {
    switch program {
    case "tactus": tactus
    case "tactusd": with(ManualPage(.tactusd), seeAlso: "tactus(1), tactus-web(1), tactus-link(1)")
    case "tactus-web": with(ManualPage(.tactusWeb), seeAlso: "tactusd(1), tactus(1)")
    case "tactus-link": with(ManualPage(.tactusLink), seeAlso: "tactusd(1)")
    default: nil
    }
  }

  private static func with(_ page: ManualPage, seeAlso others: String) -> ManualPage {
    var page = page
    page.add("SEE ALSO", ManualPage.paragraphs([others]))
    return page
  }

  /// Every command in a section of its own.
  private static var tactus: ManualPage {
    var page = ManualPage(
      name: "tactus", summary: "Control, watch, render and measure the metronome tactusd.")
    page.add("SYNOPSIS", ManualPage.paragraphs(["tactus COMMAND [ARGUMENTS] [OPTIONS]"]))
    page.add(
      "DESCRIPTION",
      ManualPage.paragraphs([
        "What a person types beside the metronome tactusd(1).",
        "Every command understands \(OptionDeclaration.standard.map { "--\($0.name)" }.joined(separator: " and ")).",
      ]))
    page.add("COMMANDS", "")
    for command in TactusProgram.commands { page.addCommand(command.parser) }
    let codes = [ExitCode.done, .failed, .misused, .noAnswer]
    page.add("EXIT STATUS", ManualPage.list(codes.map { ("\($0.code)", $0.meaning) }))
    page.add("SEE ALSO", ManualPage.paragraphs(["tactusd(1), tactus-web(1), tactus-link(1)"]))
    return page
  }
}
