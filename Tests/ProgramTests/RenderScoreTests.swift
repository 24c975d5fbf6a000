import Foundation
import Testing

/// Presets and songs through `tactus render`.
@Suite struct RenderScoreTests {
  /// The package's own presets.
  static let presets = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Presets")

  static let names = ((try? FileManager.default.contentsOfDirectory(atPath: presets.path)) ?? [])
    .filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.sorted()

  @Test func `there are presets that came with the program`() { #expect(Self.names.count >= 10) }

  @Test(arguments: names)
  func `every shipped preset is loaded by name and rendered`(name: String) {
    let events = ListedEvent.rendered(
      "render --preset \(name) --shipped-presets \(Self.presets.path) --folder /nowhere --bars 2")
    #expect(events.of("start").count == 1, "\(name)")
    let beats = events.of("beat").filter { ($0.bar ?? 0) > 0 }
    #expect(beats.first?.bar == 1)
    #expect(beats.last?.bar == 2)
  }

  @Test func `options go over a preset, and a preset of the user over a shipped one`() throws {
    try CommandRun.withFolder { folder in
      try FileManager.default.createDirectory(
        atPath: folder + "/presets", withIntermediateDirectories: true)
      try Data("{ \"tempo\": 60, \"meter\": \"3/4\" } // mine".utf8)
        .write(to: URL(fileURLWithPath: folder + "/presets/practice.json"))
      let line =
        "render --shipped-presets \(Self.presets.path) --folder \(folder) --bars 1 --preset "
      #expect(ListedEvent.rendered(line + "practice").of("beat").frames == [0, 48_000, 96_000])
      let file = folder + "/presets/practice.json"
      #expect(ListedEvent.rendered(line + file).of("beat").frames == [0, 48_000, 96_000])
      let over = ListedEvent.rendered(
        "render 2/4 120 --folder \(folder) --preset practice --bars 1")
      #expect(over.of("beat").frames == [0, 24_000])
      let typo = CommandRun(line + "practise --events -")
      #expect(typo.code == 2)
      #expect(typo.error.contains("'practise': did you mean 'practice'?"))
    }
  }

  @Test func `a preset that is wrong is named by file, line and key`() throws {
    try CommandRun.withFolder { folder in
      let file = folder + "/bad.json"
      try Data("{\n  \"tempo\": 1000\n}".utf8).write(to: URL(fileURLWithPath: file))
      let run = CommandRun("render --preset \(file) --bars 1 --events -")
      #expect(run.code == 2)
      #expect(run.error.contains("\(file):2:"))
      #expect(run.error.contains("tempo"))
      #expect(run.output.isEmpty)
      #expect(CommandRun("render --preset /no/such.json --bars 1 --events -").code == 2)
    }
  }

  @Test func `sections are listed and marked as they are written, however often they are played`()
    throws
  {
    try CommandRun.withFolder { folder in
      let song = """
        { "sections": [
          { "label": "a", "bars": 1, "tempo": 120 }, { "label": "b", "bars": 1, "repeat": 2 },
          { "label": "c", "bars": 1, "goto": "b", "times": 1 } ] }
        """
      try Data(song.utf8).write(to: URL(fileURLWithPath: folder + "/song.json"))
      let run = CommandRun(
        "render --map \(folder)/song.json --midi \(folder)/song.mid --events -")
      let numbers = run.text.split(separator: "\n").compactMap { line in
        line.split(separator: "\"section\":").dropFirst().last.map { $0.dropLast() }
      }
      // a b b c, then b b c.
      #expect(numbers == ["1", "2", "2", "3", "2", "2", "3"])
      let bytes = try Data(contentsOf: URL(fileURLWithPath: folder + "/song.mid"))
      let marks = [UInt8](bytes).split(separator: 0xFF).filter { $0.starts(with: [0x06, 0x01]) }
        .map { $0[$0.startIndex + 2] }
      #expect(String(decoding: marks, as: UTF8.self) == "abbcbbc")
    }
  }

  @Test func `klick's map is played to its end, ramps and lists of tempos too`() throws {
    try CommandRun.withFolder { folder in
      let file = folder + "/song.klick"
      try Data("a: 1 120 # one\nb: 2 3/4 120-140 X.x 0.5\n\n 1 140,120,100,80\n".utf8)
        .write(to: URL(fileURLWithPath: file))
      let events = ListedEvent.rendered("render --map \(file)")
      // 4 x 24000, then 18 ln(1 + q/36) s after 96000 for q = 0..5: (b - a) = 1/3, L = 6, a = 2.
      var expected = RenderLawTests.grid(4, 24_000)
      for q in 0..<6 {
        expected.append(
          Int((96_000 + 48_000 * 18 * log(1 + Double(q) / 36) + 0.5).rounded(.down)))
      }
      // 18 ln(7/6) = 2.774712 s; then beats of 60/140, 60/120, 60/100 and 60/80 s.
      var time = 96_000 + 48_000 * 18 * log(7.0 / 6)
      for tempo in [140.0, 120, 100, 80] {
        expected.append(Int((time + 0.5).rounded(.down)))
        time += 2_880_000 / tempo
      }
      #expect(events.of("beat").frames == expected)
      #expect(events.last?.kind == "stop")
      #expect(events.last?.frame == Int((time + 0.5).rounded(.down)))
      #expect(events.of("beat")[5].accent == "silent")
      // A length may cut it, and beyond its end there is silence.
      #expect(ListedEvent.rendered("render --map \(file) --bars 2").last?.frame == expected[7])
      let midi = CommandRun("render --map \(file) --midi -")
      #expect(midi.output.range(of: Data([0xFF, 0x06, 1] + Array("b".utf8))) != nil)
    }
  }

  @Test(arguments: [
    ("x: 0 120", "1 to 9999"), ("4 1200", "5 to 999"), ("4 0/4 120", "0"), ("", "no"),
    ("4 4/4 120 Xx", "4"),
  ])
  func `a map that is wrong is named by its line`(text: String, word: String) throws {
    try CommandRun.withFolder { folder in
      let file = folder + "/song.klick"
      try Data(text.utf8).write(to: URL(fileURLWithPath: file))
      let run = CommandRun("render --map \(file) --events -")
      #expect(run.code == 2, "\(run.error)")
      #expect(run.error.contains(file))
      #expect(run.error.contains(word), "\(run.error)")
    }
  }

  @Test func `what never ends is refused`() {
    let run = CommandRun("render --preset practice --shipped-presets \(Self.presets.path) --midi -")
    #expect(run.code == 2)
    #expect(run.error.contains("nothing ends the music"))
  }

  @Test(arguments: [
    #"{ "sections": [{ "bars": "endless", "tempo": 120 }] }"#,
    #"{ "sections": [{ "label": "a", "bars": 1, "tempo": 120 }], "loop": "a" }"#,
  ])
  func `a song that never ends is refused at once, and played to a length`(song: String) throws {
    try CommandRun.withFolder { folder in
      try Data(song.utf8).write(to: URL(fileURLWithPath: folder + "/song.json"))
      let run = CommandRun("render --map \(folder)/song.json --events -")
      #expect(run.code == 2)
      #expect(run.error.contains("nothing ends the music"))
      let beats = ListedEvent.rendered("render --map \(folder)/song.json --bars 2").of("beat")
      #expect(beats.frames == RenderLawTests.grid(8, 24_000))
    }
  }
}
