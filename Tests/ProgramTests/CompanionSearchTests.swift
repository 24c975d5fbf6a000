import Companion
import OSCProtocol
import OSCWire
import Testing

@testable import TactusCommands

/// Where `tactus companion` takes its daemon from.
@Suite struct CompanionSearchTests {
  @Test(arguments: [
    ("stage.local", "stage.local", 9_700), ("10.0.0.5:9701", "10.0.0.5", 9_701),
    ("[::1]:9701", "::1", 9_701), ("[::1]", "::1", 9_700), ("fe80::1%2", "fe80::1%2", 9_700),
  ])
  func `a host may have a port, an IPv6 address in brackets too`(
    text: String, host: String, port: Int
  ) throws {
    var settings = CompanionSettings()
    try CompanionSearch.take(text, into: &settings)
    #expect(settings.host == host)
    #expect(Int(settings.port) == port)
  }

  @Test(arguments: [
    ("companion stage:99999", "HOST 'stage:99999'"), ("companion stage:x", "1 to 65535"),
    ("companion [::1]x", "[IPv6]:PORT"), ("companion :9700", "HOST ':9700'"),
    ("companion --name foyer stage", "give one of the two"),
  ])
  func `a host that is none is named with what is allowed`(line: String, words: String) {
    let run = CommandRun(line)
    #expect(run.code == 2)
    #expect(run.error.contains(words))
  }

  @Test func `several daemons are listed with the way to choose`() {
    let daemons = [("Tactus", "stage", 5), ("Tactus #2", "foyer", 6)].map { name, host, number in
      AnnouncedDaemon(
        name: name, host: "\(host).local", address: "10.0.0.\(number)", port: 9_700,
        interface: 2, isIPv6: false)
    }
    let text = CompanionSearch.several(daemons)
    #expect(text.contains("--name 'Tactus'"))
    #expect(text.contains("\n  Tactus on stage.local (10.0.0.5, port 9700)\n"))
    #expect(text.contains("\n  Tactus #2 on foyer.local (10.0.0.6, port 9700)"))
  }
}
