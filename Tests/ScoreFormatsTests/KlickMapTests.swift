import MetronomeModel
import MusicalTime
import Testing

@testable import ScoreFormats

private func meter(_ text: String) -> Meter { try! Meter(text: text) }

private func pattern(_ text: String, _ meter: Meter) -> AccentPattern {
  try! AccentPattern(text: text, for: meter)
}

@Suite("klick's tempo maps")
struct KlickMapTests {
  @Test("what editors leave before a text is passed over, and UTF-16 is named")
  func marks() throws {
    let text = Array("1 120\r\n".utf8)
    let plain = try SongFile.read(text, file: "m").map
    #expect(try SongFile.read([0xEF, 0xBB, 0xBF] + text, file: "m").map == plain)
    let wide: [UInt8] = text.flatMap { [$0, 0] }
    let wideJSON: [UInt8] = Array("{}".utf8).flatMap { [0, $0] }
    for bytes in [[0xFF, 0xFE] + wide, [0xFE, 0xFF] + wideJSON] {
      for read in [
        { _ = try SongFile.read($0, file: "m") }, { _ = try JSONParser.parse($0, file: "m") },
      ]
        as [([UInt8]) throws -> Void]
      {
        let error = #expect(throws: FormatError.self) { try read(bytes) }
        #expect(error?.description.contains("UTF-16: save it as UTF-8") == true)
      }
    }
  }

  func read(_ text: String) throws -> [TempoMap.Section] {
    try KlickMap.read(Array(text.utf8), file: "m").sections
  }

  func failure(_ text: String) -> String {
    do {
      _ = try KlickMap.read(Array(text.utf8), file: "m")
      return "accepted"
    } catch { return error.description }
  }

  /// All forms of an entry.
  static let example = """
    # a song
    intro:    8 120           # eight bars of 4/4
    verse1:   12 120 X.x.

              4 120-140 X.x.
    chorus_1: 16 140
    bridge:\t8 3/4 140 0.5
    b-2:8 3/4 140.
    outro:    2 140-80
    \t1 2/4 100,90.5 .25#end
    """

  @Test("an entry has label, bars, meter, tempo, pattern and volume")
  func forms() throws {
    let sections = try read(Self.example)
    let four = Meter.common
    #expect(
      sections == [
        .init(label: "intro", bars: 8, tempo: .steady(tempo(120))),
        .init(
          label: "verse1", bars: 12, tempo: .steady(tempo(120)), pattern: pattern("X.x.", four)),
        .init(
          bars: 4, tempo: .ramp(from: tempo(120), to: tempo(140)), pattern: pattern("X.x.", four)),
        .init(label: "chorus_1", bars: 16, tempo: .steady(tempo(140))),
        .init(label: "bridge", bars: 8, meter: meter("3/4"), tempo: .steady(tempo(140)), gain: 0.5),
        .init(label: "b-2", bars: 8, meter: meter("3/4"), tempo: .steady(tempo(140))),
        .init(label: "outro", bars: 2, tempo: .ramp(from: tempo(140), to: tempo(80))),
        .init(
          bars: 1, meter: meter("2/4"), tempo: .perBeat([tempo(100), tempo(90.5)]), gain: 0.25),
      ])
  }

  @Test("tempos count quarters in every meter, and only the first beat is accented")
  func quarters() throws {
    let section = try read("4 6/8 120")[0]
    #expect(section.tempo == .steady(tempo(120)) && section.meter == meter("6/8"))
    // Our own default groups 6/8 in threes; klick's does not.
    #expect(section.pattern == pattern("Xxxxxx", meter("6/8")))
  }

  @Test("a ramp between equal tempos is a steady one, and line ends of other systems pass")
  func tolerance() throws {
    #expect(try read("4 120-120\r\n")[0].tempo == .steady(tempo(120)))
  }

  @Test("of two equal labels the first one counts")
  func labels() throws {
    #expect(try read("a: 1 100\na: 1 110").map(\.label) == ["a", nil])
  }

  @Test(
    "what is wrong is named with its line and column",
    arguments: [
      ("", "m:1:1: there is no entry"),
      ("# nothing\n\n", "m:1:1: there is no entry"),
      ("8 120\n0 120", "m:2:1: bars 0: allowed are 1 to 9999"),
      ("99999999999999999999 120", "m:1:1: bars 99999999999999999999: allowed are 1 to 9999"),
      ("8", "m:1:2: tempo is missing"),
      ("a:", "m:1:3: bars is missing"),
      ("x 120", "m:1:1: bars 'x' is not a whole number"),
      ("8 0/4 120", "m:1:3: meter has 0 beats"),
      ("8 4/ 120", "m:1:3: meter '4/' is not BEATS/UNIT"),
      ("8 1000", "m:1:3: tempo 1000: allowed are 5 to 999 quarters a minute"),
      ("8 0", "m:1:3: tempo 0: allowed are 5 to 999 quarters a minute"),
      ("8 fast", "m:1:3: tempo 'fast' is not a number"),
      ("8 120-", "m:1:7: tempo '' is not a number"),
      ("1 2/4 100,110,120", "m:1:7: 3 tempos for 2 beats: give one for each"),
      ("8 120 Xx", "m:1:7: pattern has 2 letters but a bar of 4/4 has 4 beats"),
      ("8 120 Xxx-", "m:1:7: 'Xxx-' is neither a pattern (X, x, .) nor a volume"),
      ("8 120 11", "m:1:7: volume 11: allowed are 0 to 10"),
      ("8 120 1 2", "m:1:9: '2' after the entry"),
      ("b\u{E4}: 8 120", "m:1:1: label 'b\u{E4}': it takes letters, digits, _ and -"),
    ])
  func errors(text: String, message: String) {
    #expect(failure(text).hasPrefix(message), "\(failure(text))")
  }

  @Test("the command line's forms")
  func commandLine() throws {
    func sections(_ text: String) throws -> [TempoMap.Section] {
      try KlickMap.read(arguments: text.split(separator: " ").map(String.init)).sections
    }
    #expect(
      try sections("3/4 120") == [.init(bars: 0, meter: meter("3/4"), tempo: .steady(tempo(120)))])
    #expect(try sections("120") == [.init(bars: 0, tempo: .steady(tempo(120)))])
    #expect(
      try sections("16 3/4 120 X.x") == [
        .init(
          bars: 16, meter: meter("3/4"), tempo: .steady(tempo(120)),
          pattern: pattern("X.x", meter("3/4")))
      ])
    #expect(try sections("8 99.5") == [.init(bars: 8, tempo: .steady(tempo(99.5)))])
    // Ten bars for each of 40 steps, then on at 120.
    let ramp = TempoMap.Course.ramp(from: tempo(80), to: tempo(120))
    #expect(
      try sections("80-120/10") == [
        .init(bars: 400, tempo: ramp), .init(bars: 0, tempo: .steady(tempo(120))),
      ])
    #expect(
      try sections("500 80-120/10") == [
        .init(bars: 400, tempo: ramp), .init(bars: 100, tempo: .steady(tempo(120))),
      ])
    // Half of the way in half of the bars.
    #expect(
      try sections("200 80-120/10") == [
        .init(bars: 200, tempo: .ramp(from: tempo(80), to: tempo(100)))
      ])
    // A quarter of a bar a step, rounded up: 0.25 x 10 = 2.5.
    #expect(try sections("100-110/.25")[0].bars == 3)
  }

  @Test(
    "a wrong command line is named",
    arguments: [
      ("", "tempo is missing"), ("3/4", "tempo is missing"),
      ("80-120", "is not FROM-TO/BARS"), ("80-120/0", "must be above 0"),
      ("80-120/9999", "lasts more than 9999 bars"), ("120 Xxxx Xxxx", "klick's form is"),
      ("4/4 120 Xx", "pattern has 2 letters"), ("1200", "allowed are 5 to 999"),
    ])
  func commandLineErrors(text: String, message: String) {
    do {
      _ = try KlickMap.read(arguments: text.split(separator: " ").map(String.init))
      Issue.record("accepted")
    } catch { #expect(error.reason.contains(message), "\(error)") }
  }

  @Test("what klick can say goes out and comes back the same")
  func roundTrip() throws {
    let map = try KlickMap.read(Array(Self.example.utf8), file: "m")
    let text = try KlickMap.write(map)
    #expect(try KlickMap.read(Array(text.utf8), file: "m") == map)
    #expect(text.hasPrefix("intro: 8 120\nverse1: 12 120 X.x.\n4 120-140 X.x.\n"))
  }

  @Test("what klick cannot say is named")
  func unsayable() throws {
    func failure(_ section: TempoMap.Section, loop: String? = nil) -> KlickMap.Unsayable? {
      do {
        _ = try KlickMap.write(TempoMap(sections: [section], loop: loop))
        return nil
      } catch { return error }
    }
    let plain = TempoMap.Section(label: "a", bars: 1, tempo: .steady(tempo(100)))
    #expect(failure(plain) == nil)
    #expect(failure(plain, loop: "a") == .loop)
    var section = plain
    section.bars = 0
    #expect(failure(section) == .section(1, "endless section"))
    section = plain
    section.repeats = 2
    #expect(failure(section) == .section(1, "repeat"))
    section = plain
    section.pattern = AccentPattern([.strong, .soft, .normal, .soft])
    #expect(failure(section) == .section(1, "soft beats"))
    // 72 dotted quarters are 108 quarters, which klick can say; a third of a thousandth it cannot.
    section.pattern = nil
    section.tempo = .steady(tempo(72, unit: NoteValue(4, dotted: true)!))
    #expect(failure(section) == nil)
    section.tempo = .steady(Tempo(thousandths: 72_001, unit: NoteValue(4, dotted: true)!)!)
    #expect(
      failure(section) == .section(1, "tempo of 72.001 (1/4.): not whole thousandths of a quarter"))
  }

  @Test("a meter whose unit is no note value keeps its beats")
  func oddUnits() throws {
    // A twelfth of a whole note is a third of a quarter: at 120 a sixth of a second, which is an
    // eighth at 180.
    let map = try KlickMap.read(Array("2 12/12 120\n1 5/6 90\n".utf8), file: "x")
    #expect(map.sections[0].meter == (try Meter(12, 8)))
    #expect(map.sections[0].tempo == .steady(tempo(180)))
    // A sixth is two thirds of a quarter: 4/9 s at 90, a quarter at 135.
    #expect(map.sections[1].meter == (try Meter(5, 4)))
    #expect(map.sections[1].tempo == .steady(tempo(135)))
    #expect(throws: FormatError.self) {
      try KlickMap.read(Array("2 12/12 999\n".utf8), file: "x")
    }
  }
}
