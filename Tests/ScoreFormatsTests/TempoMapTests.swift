import MetronomeModel
import MusicalTime
import Testing

@testable import ScoreFormats

func tempo(_ value: Double, unit: NoteValue = .quarter) -> Tempo { Tempo(value, unit: unit)! }

private func section(
  _ label: String?, bars: Int = 1, repeats: Int = 1, goto: String? = nil, times: Int? = nil
) -> TempoMap.Section {
  TempoMap.Section(
    label: label, bars: bars, tempo: .steady(tempo(100)), repeats: repeats,
    jump: goto.map { TempoMap.Jump(label: $0, times: times) })
}

@Suite("Tempo maps")
struct TempoMapTests {
  /// The labels in the order in which they are played, up to a count.
  func played(_ map: TempoMap, most: Int = 20) throws -> String {
    let walk = try TempoMapWalk(map)
    var labels: [String] = []
    var step: Int? = 0
    while let index = step, labels.count < most {
      labels.append(map.sections[walk.steps[index].section].label ?? "-")
      step = walk.steps[index].next
    }
    return labels.joined()
  }

  func failure(_ map: TempoMap) -> TempoMapError? {
    do {
      _ = try TempoMapWalk(map)
      return nil
    } catch { return error }
  }

  @Test("sections are played in order, repeated, and left by jumps")
  func order() throws {
    #expect(try played(TempoMap(sections: [section("a"), section("b"), section("c")])) == "abc")
    #expect(
      try played(TempoMap(sections: [section("a", repeats: 3), section("b")])) == "aaab")
    // Verse and chorus twice more, then the end.
    #expect(
      try played(
        TempoMap(sections: [section("v"), section("c", goto: "v", times: 2), section("e")]))
        == "vcvcvce")
    // A jump that is always taken may be met again while a counted one still counts.
    #expect(
      try played(
        TempoMap(sections: [
          section("a"), section("b", goto: "d"), section("c"), section("d", goto: "a", times: 2),
          section("e"),
        ])) == "abdabdabde")
    // A jump forward leaves out what lies between.
    #expect(
      try played(TempoMap(sections: [section("a", goto: "c"), section("b"), section("c")])) == "ac")
  }

  @Test("a loop goes round for ever, and counted jumps count anew each time")
  func loops() throws {
    #expect(
      try played(TempoMap(sections: [section("a"), section("b")], loop: "a"), most: 6) == "ababab")
    #expect(
      try played(
        TempoMap(
          sections: [section("a"), section("b", goto: "b", times: 1), section("c")], loop: "b"),
        most: 10) == "abbcbbcbbc")
  }

  @Test("an endless section is the last that is played, and every section can be reached by hand")
  func endless() throws {
    let map = TempoMap(sections: [section("a"), section("b", bars: 0), section("c")], loop: "a")
    let walk = try TempoMapWalk(map)
    #expect(try played(map) == "ab")
    let third = walk.steps[walk.firstSteps[2]]
    // The loop takes it back to the start.
    #expect(third.section == 2 && third.next == 0)
  }

  @Test("what cannot be played is named by its section")
  func errors() {
    #expect(failure(TempoMap()) == .sectionCount(0))
    #expect(failure(TempoMap(sections: [section("a", bars: -1)])) == .bars(section: 1, -1))
    #expect(
      failure(TempoMap(sections: [section("a", goto: "B"), section("b")]))
        == .unknownLabel(section: 1, "B", nearest: "b"))
    #expect(
      failure(TempoMap(sections: [section("a")], loop: "x"))
        == .unknownLabel(section: nil, "x", nearest: nil))
    #expect(
      failure(TempoMap(sections: [section("a"), section("a")]))
        == .duplicateLabel(section: 2, "a"))
    #expect(
      failure(TempoMap(sections: [section("a"), section("b", goto: "a")]))
        == .cyclicJump(["b", "b"]))
    #expect(
      failure(TempoMap(sections: [section("a", goto: "b"), section("b", goto: "a")]))
        == .cyclicJump(["a", "b", "a"]))
    #expect(
      failure(TempoMap(sections: [section("a", bars: 0, repeats: 2)])) == .afterEndless(section: 1))
    #expect(
      failure(TempoMap(sections: [section("a", repeats: 9_999), section("b", repeats: 9_999)]))
        == .tooLong(10_000))
    var map = TempoMap(sections: [section("a")])
    map.sections[0].tempo = .perBeat([tempo(100)])
    #expect(failure(map) == .beatTempos(section: 1, 1, beats: 4))
    map.sections[0].tempo = .keep
    map.sections[0].pattern = AccentPattern([.strong])
    #expect(failure(map) == .patternLength(section: 1, letters: 1, beats: 4, meter: .common))
    map.sections[0].pattern = nil
    map.sections[0].gain = .nan
    guard case .gain(section: 1, _)? = failure(map) else {
      Issue.record("a gain that is no number was accepted")
      return
    }
  }

  @Test("a counted jump inside an endless one does not hide that it is endless")
  func hiddenCycle() {
    let map = TempoMap(sections: [
      section("a", goto: "b", times: 3), section("b", goto: "a"), section("c"),
    ])
    guard case .cyclicJump? = failure(map) else {
      Issue.record("\(String(describing: failure(map)))")
      return
    }
  }

  static let song = TempoMap(
    title: "Song",
    sections: [
      .init(label: "intro", bars: 2, tempo: .steady(tempo(120)), gain: 0.5),
      .init(
        label: "verse", bars: 4, meter: try! Meter(text: "2+2+3/8"),
        tempo: .ramp(
          from: tempo(200, unit: NoteValue(8)!), to: tempo(240.5, unit: NoteValue(8)!)),
        pattern: AccentPattern([.strong, .soft, .normal, .soft, .normal, .soft, .silent]),
        repeats: 2, jump: .init(label: "intro", times: 1)),
      .init(
        bars: 1, meter: try! Meter(text: "3/4"), tempo: .perBeat([tempo(90), tempo(91), tempo(92)])),
      .init(bars: 1, meter: try! Meter(text: "3/4"), tempo: .keep),
      .init(label: "out", bars: 0, meter: try! Meter(text: "6/8."), tempo: .keep),
    ], loop: "verse")

  @Test("a song comes back from its text the same")
  func roundTrip() throws {
    let text = TempoMapFormat.write(Self.song)
    #expect(try TempoMapFormat.read(Array(text.utf8), file: "s.json") == Self.song)
  }

  @Test(
    "a wrong song text is named with its place",
    arguments: [
      (#"{}"#, "s:1:1: sections: is missing"),
      (#"{"sections": [{"bars": 0}]}"#, "s:1:24: sections[0].bars: 0: allowed are 1 to 9999 bars"),
      (#"{"sections": [{"tempo": 100}]}"#, "s:1:15: sections[0].bars: is missing"),
      (
        #"{"sections": [{"bars": 1, "goto": "x"}]}"#,
        "s:1:14: sections: section 1: there is no section 'x'"
      ),
      (
        #"{"sections": [{"bars": 1, "label": "a", "goto": "a"}]}"#,
        "s:1:14: sections: jumps go round for ever: a -> a; say how many times, or use loop"
      ),
      (#"{"sections": [{"bars": 1, "times": 2}]}"#, "s:1:36: sections[0].times: belongs to goto"),
      (
        #"{"sections": [{"bars": 1, "tempo": {"from": 100, "to": 100}}]}"#,
        "s:1:56: sections[0].tempo.to: is the same as from"
      ),
      (#"{"sections": [{"bars": 1, "tempo": [100]}]}"#, "s:1:14: sections: section 1 has 1 tempos"),
      (
        #"{"sections": [{"bar": 1}]}"#, "s:1:16: sections[0].bar: unknown key: did you mean 'bars'?"
      ),
    ])
  func textErrors(text: String, message: String) {
    do {
      _ = try TempoMapFormat.read(Array(text.utf8), file: "s")
      Issue.record("accepted")
    } catch { #expect(error.description.hasPrefix(message), "\(error)") }
  }
}

@Suite("Songs and MIDI files")
struct SongMIDITests {
  @Test("a song of steady tempos comes back from its MIDI file")
  func roundTrip() throws {
    let map = TempoMap(sections: [
      .init(label: "a", bars: 4, tempo: .steady(tempo(120))),
      .init(label: "b", bars: 2, meter: try Meter(text: "7/8"), tempo: .steady(tempo(97.3))),
      .init(bars: 1, meter: try Meter(text: "6/8."), tempo: .steady(tempo(108))),
      .init(
        label: "c", bars: 1, meter: try Meter(text: "3/4"),
        tempo: .perBeat([tempo(90), tempo(95), tempo(100)])),
    ])
    let bytes = try StandardMIDIFile(map).encoded()
    let imported = try SongFile.read(bytes, file: "x.mid")
    // Tempos come back as the file's microseconds, which are shown as what they were.
    var shown = imported.map
    for index in shown.sections.indices {
      switch shown.sections[index].tempo {
      case .steady(let tempo):
        shown.sections[index].tempo = .steady(Tempo(unchecked: tempo.thousandths, unit: .quarter))
      case .perBeat(let tempos):
        shown.sections[index].tempo = .perBeat(
          tempos.map { Tempo(unchecked: $0.thousandths, unit: .quarter) })
      default: break
      }
    }
    #expect(shown == map && imported.notes == [])
  }

  @Test("repeats and jumps are written out in the file")
  func unrolled() throws {
    let map = TempoMap(sections: [
      .init(label: "a", bars: 1, tempo: .steady(tempo(120)), repeats: 2),
      .init(label: "b", bars: 1, tempo: .keep, jump: .init(label: "a", times: 1)),
    ])
    let file = try StandardMIDIFile(map)
    #expect(file.markers.map(\.text) == ["a", "a", "b", "a", "a", "b"])
    #expect(file.endTick == 6 * 4 * 960)
    #expect(file.tempos == [.init(tick: 0, microsecondsPerQuarter: 500_000)])
  }

  @Test("a ramp over four bars takes 48 ln(7/6) seconds in the file too")
  func ramp() throws {
    let map = TempoMap(sections: [
      .init(bars: 4, tempo: .ramp(from: tempo(120), to: tempo(140)))
    ])
    let file = try StandardMIDIFile(map)
    var time = 0.0
    for (index, mark) in file.tempos.enumerated() {
      let next = index + 1 < file.tempos.count ? file.tempos[index + 1].tick : file.endTick
      time += Double(mark.microsecondsPerQuarter) * Double(next - mark.tick) / 960
    }
    // 48 ln(7/6) = 7.399233 s; each mark rounds by less than 1/24 us.
    #expect(abs(time - 7_399_232.6) < 1)
    // Read back, each beat keeps its instant, so the whole keeps its length.
    let imported = try TempoMap(midi: file, name: "x")
    guard case .perBeat(let tempos) = imported.sections[0].tempo else {
      Issue.record("no tempo for each beat")
      return
    }
    let total = tempos.reduce(0.0) {
      $0 + Double($1.microsecondsPerQuarter.numerator)
        / Double($1.microsecondsPerQuarter.denominator)
    }
    #expect(tempos.count == 16 && abs(total - 7_399_232.6) < 1)
  }

  @Test("a song too long for a MIDI file is refused, a long ramp is not")
  func longSongs() throws {
    let ramp = TempoMap.Section(bars: 9_999, tempo: .ramp(from: tempo(60), to: tempo(180)))
    let file = try StandardMIDIFile(TempoMap(sections: [ramp]))
    #expect(file.tempos.count <= 4_096 && file.endTick == 39_996 * 960)
    var seconds = 0.0
    for (index, mark) in file.tempos.enumerated() {
      let next = index + 1 < file.tempos.count ? file.tempos[index + 1].tick : file.endTick
      seconds += Double(mark.microsecondsPerQuarter) * Double(next - mark.tick) / 960e6
    }
    // L / (b - a) ln(b / a) with 1 and 3 quarters a second: 19998 ln 3 s.
    #expect(abs(seconds - 19_998 * 1.098_612_288_668_11) < 0.000_1)
    var again = ramp
    again.repeats = 9_999
    #expect(throws: TempoMapError.tooManyTempos(200_000)) {
      try StandardMIDIFile(TempoMap(sections: [again]))
    }
  }

  @Test("an upbeat is a bar of its own, and a marker inside a bar moves to the next")
  func upbeat() throws {
    var file = StandardMIDIFile(format: .single, ticksPerQuarter: 96)
    file.meters = [
      .init(tick: 0, numerator: 4, denominator: 4, pulsesPerClick: 24),
      .init(tick: 96, numerator: 4, denominator: 4, pulsesPerClick: 24),
    ]
    file.tempos = [.init(tick: 0, microsecondsPerQuarter: 500_000)]
    file.markers = [.init(tick: 200, text: "in")]
    file.endTick = 96 + 8 * 96
    let imported = try TempoMap.imported(file, name: "x")
    #expect(
      imported.map.sections == [
        .init(bars: 1, meter: try Meter(1, 4), tempo: .steady(tempo(120))),
        .init(bars: 1, tempo: .steady(tempo(120))),
        .init(label: "in", bars: 1, tempo: .steady(tempo(120))),
      ])
    #expect(
      imported.notes.map(\.description) == [
        "bar 1: the meter changes inside it: it is cut to 1/4",
        "bar 2: marker 'in' is moved to the next bar line",
      ])
  }

  @Test("a tempo or meter beyond the limits is an error with its bar")
  func limits() {
    var file = StandardMIDIFile(format: .single, ticksPerQuarter: 96)
    file.tempos = [.init(tick: 0, microsecondsPerQuarter: 10_000)]
    file.endTick = 384
    func failure(_ file: StandardMIDIFile) -> String {
      do {
        _ = try TempoMap(midi: file, name: "x")
        return "accepted"
      } catch { return error.description }
    }
    #expect(
      failure(file).hasPrefix(
        "x:1:1: bar 1: tempo of 6000: allowed are 5 to 999 quarters a minute, change it"))
    file.tempos = []
    file.meters = [.init(tick: 0, numerator: 4, denominator: 64, pulsesPerClick: 24)]
    #expect(failure(file).contains("meter unit 64 is not a note value"))
    file.meters = []
    file.endTick = 1 << 40
    #expect(failure(file).contains("more than 100000 bars"))
  }

  @Test("files are told apart by what they hold")
  func kinds() throws {
    #expect(SongFile.kind(of: Array("MThd....".utf8)) == .midi)
    #expect(SongFile.kind(of: Array("\n // x\n{}".utf8)) == .own)
    #expect(SongFile.kind(of: Array("8 120".utf8)) == .klick)
    #expect(SongFile.kind(of: []) == .klick)
    // A broken MIDI file is told so, and not that its first bar is no number.
    #expect(SongFile.kind(of: [1, 2, 3], file: "a/Song.MID") == .midi)
  }
}

@Suite("Songs and setlists in folders")
struct SongStoreTests {
  let folders = StoreFolders()

  @Test("songs of every format are found by name")
  func songs() throws {
    let store = SongStore(userFolder: folders.user, shippedFolders: [folders.shipped])
    folders.write("\(folders.shipped)/old.klick", "8 120")
    try store.save(TempoMapTests.song, as: "new")
    #expect(store.names == ["new", "old"])
    #expect(try store.load("old").map.sections[0].bars == 8)
    #expect(try store.load("new").map == TempoMapTests.song)
    #expect(
      throws: StoreError.notFound(
        kind: "tempo map", name: "none", nearest: nil, folders: [folders.user, folders.shipped])
    ) {
      try store.load("none")
    }
    folders.write("\(folders.shipped)/bad.mid", "MThd")
    do {
      _ = try store.load("bad")
      Issue.record("accepted")
    } catch {
      #expect(
        "\(error)"
          == "\(folders.shipped)/bad.mid:1:1: MIDI file ends in the middle of an event, at byte 4: "
          + "copy it again")
    }
  }

  @Test("a setlist comes back the same, and is asked by number, title or preset")
  func setlists() throws {
    let store = SetlistStore(userFolder: folders.user)
    let setlist = Setlist(
      title: "Friday",
      entries: [
        .init(title: "Opener", preset: "stage", map: "song"), .init(preset: "practice"),
        .init(map: "other"),
      ])
    try store.save(setlist, as: "friday")
    #expect(try store.load(.number(1)).setlist == setlist)
    #expect(setlist.index(of: .name("Opener")) == 0 && setlist.index(of: .name("practice")) == 1)
    #expect(setlist.index(of: .number(3)) == 2 && setlist.index(of: .number(4)) == nil)
    #expect(setlist.index(of: .name("stage")) == 0 && setlist.index(of: .number(.min)) == nil)
  }

  @Test(
    "a wrong setlist is named",
    arguments: [
      (#"{"entries": []}"#, "s:1:13: entries: is empty"),
      (#"{"entries": ["../x"]}"#, "s:1:14: entries[0]: name '../x' begins with a dot"),
      (#"{"entries": [{"title": "x"}]}"#, "s:1:14: entries[0].preset: is missing"),
      (#"{"entires": []}"#, "s:1:2: entires: unknown key: did you mean 'entries'?"),
      (#"{}"#, "s:1:1: entries: is missing"),
    ])
  func setlistErrors(text: String, message: String) {
    do {
      _ = try SetlistFormat.read(Array(text.utf8), file: "s")
      Issue.record("accepted")
    } catch { #expect(error.description.hasPrefix(message), "\(error)") }
  }
}
