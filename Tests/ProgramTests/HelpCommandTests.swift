import CommandLineOptions
import Testing

@testable import TactusCommands

/// Help about subjects, and the list of manual pages.
@Suite struct HelpCommandTests {
  @Test func `every subject and every command has its page`() {
    let list = CommandRun("help")
    #expect(list.code == 0)
    for topic in HelpTopics.all {
      #expect(list.text.contains("  \(topic.name) "))
      let page = CommandRun("help \(topic.name)")
      #expect(page.code == 0 && page.text.count > 200, "\(topic.name)")
    }
    for command in TactusProgram.commands {
      let page = CommandRun("help \(command.name)")
      #expect(page.code == 0 && page.text.contains(command.parser.summary.prefix(20)))
    }
    #expect(CommandRun("help --help").text.contains("tactus help latency"))
  }

  @Test func `a subject that is also the beginning of commands shows both`() {
    let midi = CommandRun("help midi").text
    #expect(midi.contains("MIDI clock is sent") && midi.contains("  midi ports"))
  }

  /// What a subject tells a person to type is understood.
  @Test func `the commands in the pages exist`() {
    let names = TactusProgram.commands.map(\.name)
    for topic in HelpTopics.all {
      let lines = topic.paragraphs.flatMap { $0.split(separator: "\n") }
      for line in lines where line.hasPrefix("  tactus ") {
        let words = line.dropFirst("  tactus ".count)
        #expect(names.contains { words == $0 || words.hasPrefix($0 + " ") }, "\(line)")
      }
    }
  }

  @Test func `an unknown topic names the nearest`() {
    let run = CommandRun("help latencey")
    #expect(run.code == 2 && run.error.contains("did you mean 'latency'?"))
  }

  @Test func `the manual pages are listed`() {
    let list = CommandRun("man --list")
    #expect(list.code == 0)
    #expect(
      list.text.split(separator: "\n").map { $0.prefix { $0 != " " } }
        == ["tactus(1)", "tactusd(1)", "tactus-web(1)", "tactus-link(1)"])
    for page in ["tactus", "tactusd", "tactus-web", "tactus-link"] {
      #expect(CommandRun("man \(page)").text.hasPrefix(".TH "))
    }
    #expect(CommandRun("man --list tactus").code == 2)
  }
}
