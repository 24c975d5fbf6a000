import Testing

@testable import CommandLineOptions

@Suite("A manual page says what the help says")
struct ManualPageTests {
  private let parser = OptionParser(
    command: "probe", summary: "Measure a thing.", usage: "[WHAT]",
    positionals: [PositionalDeclaration("WHAT", "'a' or 'b'.")],
    options: [.value("osc-port", "PORT", "Where it listens.", repeatable: true, letter: "p")],
    exitCodes: [ExitCode(0, "Done.")],
    notes: ["Try:\n  probe --osc-port 1\n.then this"])

  @Test("every argument, option, note and exit code stands on it")
  func everything() {
    let text = ManualPage(parser).text
    #expect(text.hasPrefix(".TH \"PROBE\" 1 "))
    #expect(text.contains(".SH NAME\nprobe \\- Measure a thing\n"))
    #expect(text.contains(".TP\n.B WHAT\n\\(aqa\\(aq or \\(aqb\\(aq.\n"))
    #expect(text.contains(".B \\-p, \\-\\-osc\\-port PORT ...\nWhere it listens.\n"))
    #expect(text.contains(".B \\-h, \\-\\-help\n"))
    #expect(text.contains(".SH \"EXIT STATUS\"\n.TP\n.B 0\nDone.\n"))
  }

  @Test("no line of text is taken for a request, and examples keep their lines")
  func text() {
    let text = ManualPage(parser).text
    #expect(text.contains(".nf\n  probe \\-\\-osc\\-port 1\n.fi\n\\&.then this\n"))
    #expect(ManualPage.escaped(".SH x\\y") == "\\&.SH x\\ey")
    #expect(ManualPage.escaped("[A] NAME[,b=C]") == "[A] NAME\\:[,b=C]")
  }

  @Test("a command's section leaves out what every command understands")
  func command() {
    var page = ManualPage(name: "all", summary: "All of it.")
    page.addCommand(parser)
    #expect(page.text.contains(".SS \"probe\"\n.B probe\n[WHAT]\n"))
    #expect(!page.text.contains("help"))
  }
}
