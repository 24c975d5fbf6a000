import Testing

@testable import CommandLineOptions

@Suite struct ProgramArgumentsLaws {
  @Test("a command line is cut at its zero bytes, empty arguments included")
  func cuts() {
    func cut(_ text: String) -> [String] { ProgramArguments.arguments(in: Array(text.utf8)) }
    #expect(cut("tactusd\0" + "3/4\0" + "--device\0" + "\0") == ["tactusd", "3/4", "--device", ""])
    #expect(cut("tactusd\0") == ["tactusd"])
    #expect(cut("tactusd") == ["tactusd"])
    #expect(cut("") == [])
  }

  @Test("a running program's own command line is found, whatever the fallback says")
  func own() {
    let given = ProgramArguments.given(fallback: ["wrong", "fallback"])
    #expect(given == Array(CommandLine.arguments.dropFirst()))
  }
}
