import Testing

/// Live commands, rendered.
@Suite struct RenderScriptTests {
  static func events(_ line: String, _ script: String) -> [ListedEvent] {
    ListedEvent.rendered(line + " --script -", input: script)
  }

  @Test func `a tempo lands on the next beat`() {
    // Asked at 30000, the next beat is 48000: from there a beat lasts 12000 frames.
    for script in ["30000 tempo 240", "0.625s /tactus/tempo 240", "0:00.625 tempo 240  # faster"] {
      let beats = Self.events("render 120 --duration 2s", script).of("beat")
      #expect(beats.frames == [0, 24_000, 48_000, 60_000, 72_000, 84_000])
    }
  }

  @Test func `a tempo may wait for the bar or act at the next pulse`() {
    let bar = Self.events("render 120 --bars 2", "30000 tempo 240 bar").of("beat")
    #expect(bar.frames == [0, 24_000, 48_000, 72_000, 96_000, 108_000, 120_000, 132_000])
    // Announced is what lies up to 30000 + 4800, pulse 34 with it: 35 is the first after that. It
    // keeps its instant, what follows it differs.
    let pulses = Self.events("render 120 --bars 1", "30000 tempo 240 now").of("pulse").frames
    #expect(Array(pulses.prefix(35)) == RenderLawTests.grid(35, 1000))
    #expect(Array(pulses[34..<38]) == [34_000, 35_000, 35_500, 36_000])
  }

  @Test func `a meter waits for the bar line and neither drops nor doubles a click`() {
    let events = Self.events("render 4/4 120 --bars 3", "1000 meter 3/4\n1000 pattern X.x")
    #expect(events.of("beat").map(\.bar) == [1, 1, 1, 1, 2, 2, 2, 3, 3, 3])
    #expect(events.of("beat").frames == RenderLawTests.grid(10, 24_000))
  }

  @Test func `stop voids what is due at or after it and continue resumes there`() {
    // Stopped at 50000, between beats 48000 and 72000, after pulse 50 at 50000, which is void.
    // Resumed at 60000, after the lead-in of 9600: pulse 50 at 69600, the beat 22 pulses later.
    let events = Self.events("render 120 --duration 3s", "50000 stop\n60000 continue")
    #expect(events.of("stop").frames == [50_000, 144_000])
    #expect(events.of("start").frames == [0, 69_600])
    #expect(events.of("beat").frames == [0, 24_000, 48_000, 91_600, 115_600, 139_600])
    // Pulses 0 to 49 before, and from 69600 on 75 until 144000.
    #expect(events.of("pulse").count == 50 + 75)
  }

  @Test func `taps set the tempo from the third on, as far apart as their frames`() {
    // 20000 frames apart: 144 a minute; the third, at 50000, lands on the beat at 72000.
    let events = Self.events("render 120 --duration 3s", "10000 tap\n30000 tap\n50000 tap 1")
    #expect(
      events.of("beat").frames == [0, 24_000, 48_000, 72_000, 92_000, 112_000, 132_000])
  }

  @Test func `a render without a length ends where the script stops it`() {
    let events = Self.events("render 120", "100000 stop")
    #expect(events.last?.frame == 100_000)
    #expect(events.of("beat").count == 5)
  }

  static let mistakes: [(script: String, word: String)] = [
    ("x tempo 90", "time 'x'"), ("0", "command is missing"),
    ("0 tempoo 90", "did you mean 'tempo'"),
    ("0 tempo 1000", "5 to 999"), ("0 tempo", "does nothing here"), ("0 \"tempo", "quote"),
    ("-5 stop", "time '-5'"), ("0 ramp 100 100 30", "100"), ("0 meter 5/7", "unit 7"),
  ]

  @Test(arguments: mistakes)
  func `a bad line is named and nothing is written`(script: String, word: String) {
    let run = CommandRun(
      "render 120 --bars 1 --events - --script -", input: "# a comment\n" + script)
    #expect(run.code == 2)
    #expect(run.output.isEmpty)
    #expect(run.error.contains("-:2"))
    #expect(run.error.contains(word), "\(run.error)")
  }

  @Test func `what the metronome refuses while it plays is named by its line`() {
    let run = CommandRun(
      "render 120 --bars 8 --trainer 100-120/5@1bars --events - --script -",
      input: "0 tempo/push 1\n20000 pattern XX")
    #expect(run.code == 2)
    #expect(run.error.contains("-:2: "))
  }
}
