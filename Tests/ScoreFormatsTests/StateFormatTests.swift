import Glibc
import MetronomeModel
import MusicalTime
import Testing

@testable import ScoreFormats

@Suite("Last state")
struct StateFormatTests {
  static let three = Meter(
    unchecked: 3, denominator: 4, compound: false, grouped: false, groupStarts: 1)

  static func state() throws -> MetronomeState {
    var state = MetronomeState()
    let dotted = try #require(NoteValue(text: "1/4."))
    state.tempo = Tempo(unchecked: 72_125, unit: dotted)
    state.previousTempo = Tempo(unchecked: 99_950, unit: .quarter)
    state.meter = three
    state.pattern = try AccentPattern(text: "X.-", for: three)
    state.patterns.remember(state.pattern, for: three)
    let seven = try Meter(text: "2+2+3/8")
    state.patterns.remember(try AccentPattern(text: "X-X-X..", for: seven), for: seven)
    state.subdivision = Subdivision(unchecked: 4, level: .normal, swing: .triplet)
    state.layer = 5
    state.isMuted = true
    state.mutedLevels = [.soft]
    state.soloLevel = .strong
    state.barMuting = .random(percentHundredths: 3_000, seed: 7)
    state.countInBars = 2
    state.isCountInMuted = true
    state.timerMinutes = 12.5
    state.timerStops = false
    state.volumeDecibels = -.infinity
    state.sounds[.strong].name = "bell"
    state.sounds[.soft].decibels = -20.5
    state.movesPhaseByTaps = true
    state.tapLimitMilliseconds = 3_500
    state.trainerEnd = .loop
    state.audioOffsetMilliseconds = 12.5
    state.beatOffsetMilliseconds = -30
    state.midiPorts = [MIDIPortConfiguration(name: "Clock", clock: .always, offsetMilliseconds: -8)]
    state.preset = "waltz"
    state.setlistEntry = 3
    return state
  }

  @Test("what is written is read back, to the last thousandth")
  func roundTrip() throws {
    let last = LastState(of: try Self.state())
    let text = StateFormat.write(last)
    #expect(try StateFormat.read(Array(text.utf8), file: "state.json") == last)
  }

  @Test("the defaults come back, too")
  func defaults() throws {
    let last = LastState(of: MetronomeState())
    let text = StateFormat.write(last)
    #expect(try StateFormat.read(Array(text.utf8), file: "state.json") == last)
  }

  @Test("a pattern that does not fit its meter is forgotten, the rest is kept")
  func oddPattern() throws {
    let text = """
      {"preset": "a", "patterns": {"3/4": "Xx", "x": "X", "4/4": "X...", "2/4": 5},
       "trainerEnd": "never"}
      """
    let last = try StateFormat.read(Array(text.utf8), file: "state.json")
    #expect(last.preset == "a")
    #expect(last.patterns.entries.map(\.pattern.description) == ["X..."])
    #expect(last.trainerEnd == .hold)
  }

  @Test(
    "half a file, a wrong value and a hostile name are errors that name the place",
    arguments: [
      "{\"preset\": \"a\"", "{\"settings\": {\"tempo\": 1200}}", "{\"preset\": \"../a\"}", "",
      "[]", "{\"setlistEntry\": 0}", "{\"tempo\": 3}", "{\"version\": 0}", "{\"version\": 2}",
    ])
  func broken(text: String) {
    #expect(throws: FormatError.self) {
      try StateFormat.read(Array(text.utf8), file: "state.json")
    }
  }
}
