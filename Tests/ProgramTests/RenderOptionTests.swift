import Foundation
import Testing

@testable import TactusCommands

/// What `tactus render` accepts and refuses.
@Suite struct RenderOptionTests {
  static let mistakes: [(line: String, words: [String])] = [
    ("render 0", ["TEMPO '0'", "5 to 999"]), ("render -120", ["TEMPO '-120'", "5 to 999"]),
    ("render nan", ["TEMPO 'nan'", "5 to 999"]), ("render inf", ["TEMPO 'inf'", "5 to 999"]),
    ("render abc", ["TEMPO 'abc'", "5 to 999"]), ("render 1e9", ["TEMPO '1e9'", "5 to 999"]),
    ("render 0x78", ["TEMPO '0x78'", "5 to 999"]),
    ("render 120 --duration 1:", ["--duration '1:'", "1:30"]),
    ("render 120 --bars 1 --tail s", ["--tail 's'", "500ms"]),
    ("render 120 --bars 1 --flac a --channels 9", ["--channels 9", "1 to 8", "--wav"]),
    ("render 120 --bars 1 --wav a --midi a", ["--wav and --midi", "'a'"]),
    ("render 120 --mute-random 0x10", ["--mute-random '0x10'", "0 to 100"]),
    ("render 120 --glide 0x78-140:4bars", ["0x78-140"]),
    ("render 4.999", ["5 to 999"]), ("render 999.001", ["5 to 999"]),
    // 500 dotted halves would be 3000 quarters.
    ("render 500 --unit 1/2.", ["5 to 999"]), ("render 120 --unit 1/5", ["--unit '1/5'", "1/4."]),
    ("render 0/4 120", ["0 beats", "1 to 64"]), ("render 4/0 120", ["unit 0", "1, 2, 4, 8"]),
    ("render 5/7 120", ["unit 7", "1, 2, 4, 8"]), ("render 65/4 120", ["1 to 64"]),
    ("render 7/8. 120", ["multiple of 3"]), ("render x/4 120", ["x/4", "write 4/4"]),
    ("render 0 4/4 120", ["BARS '0'"]), ("render 1 2 4/4 120", ["BARS"]),
    ("render 80-120", ["TEMPO '80-120'"]), ("render 80-120/0", ["80-120/10"]),
    ("render 80-1200/4", ["5 to 999"]), ("render 80-80/4", ["must differ"]),
    ("render 120 --pattern Xx", ["2 letters", "4 beats"]),
    ("render 120 --pattern Xxyx", ["letter 'y'", "X strong"]),
    ("render 3/4 120 Xxxx", ["4 letters", "3 beats"]),
    ("render 120 --subdivision 0", ["--subdivision '0'", "1 to 9"]),
    ("render 120 --subdivision 10", ["1 to 9"]), ("render 120 --subdivision 2.5", ["whole"]),
    ("render 120 --subdivision-level loud", ["strong, normal, soft, silent"]),
    ("render 120 --swing 120", ["--swing '120'", "50 to 75"]),
    ("render 120 --swing 49.9", ["50 to 75"]), ("render 120 --layer 1", ["2 to 16"]),
    ("render 120 --layer 17", ["2 to 16"]),
    ("render 120 --trainer 100-100/5:10m", ["must differ"]),
    ("render 120 --trainer 80-120/0:10m", ["step 0"]),
    ("render 120 --trainer 80-120/5:0s", ["0.1 to 10800"]),
    ("render 120 --trainer 80-120/5", ["--trainer", "80-120/5:10m"]),
    ("render 120 --trainer 80-1200/5:10m", ["5 to 999"]),
    ("render 120 --trainer 80-120/5:4bars", ["@"]), ("render 120 --trainer a-b:1m", ["a-b:1m"]),
    ("render 120 --trainer 80-120:1m --glide 80-90:10s", ["exclude each other"]),
    ("render 120 --trainer-end never", ["hold, stop, loop, return"]),
    ("render 120 --glide 120-120:10s", ["must differ"]),
    ("render 120 --glide 120-140", ["120-140:4bars"]),
    ("render 120 --glide 120-140:0bars", ["1 to 9999"]),
    ("render 120 --mute-bars 0/1", ["--mute-bars '0/1'", "1 to 9999"]),
    ("render 120 --mute-bars 1", ["3/1"]), ("render 120 --mute-random 101", ["0 to 100"]),
    ("render 120 --mute-random 50:x", ["30:7"]), ("render 120 --mute-growing 1/0", ["1 to 9999"]),
    ("render 120 --mute-bars 1/1 --mute-random 5", ["exclude each other"]),
    ("render 120 --count-in 17", ["0 to 16"]), ("render 120 --count-in -1", ["0 to 16"]),
    ("render 120 --timer 0.5", ["1 to 180"]), ("render 120 --timer 181", ["1 to 180"]),
    ("render 120 --volume 1", ["-90 to 0 dB"]), ("render 120 --volume loud", ["-90 to 0 dB"]),
    ("render 120 --sync 3", ["--sync '3'", "1, 2, 4, 24 or 48"]),
    ("render 120 --sync 24:0", ["1 to 64"]), ("render 120 --sync 24:x", ["24:2"]),
    ("render 120 --rate 8000", ["44100, 48000"]), ("render 120 --channels 0", ["1 to 64"]),
    ("render 120 --bits 32", ["16, 24, float"]), ("render 120 --tail 2m", ["0 to 60s"]),
    ("render 120 --duration 10", []), ("render 120 --bars 0", ["1 to 99999"]),
    ("render 120 --bogus", ["unknown option '--bogus'"]),
    ("render 120 --midii x", ["did you mean '--midi'"]), ("render 120 --wav", ["--wav FILE"]),
    ("render 120 --exact", ["--midi"]), ("render 1 4/4 120 Xxxx more", ["unexpected"]),
  ]

  @Test(arguments: mistakes)
  func `what is wrong is named with its value, what is allowed and the way out`(
    line: String, words: [String]
  ) throws {
    try CommandRun.withFolder { folder in
      var whole = line + " --events \(folder)/events"
      if !line.contains("--duration"), !line.contains("--bars") { whole += " --bars 2" }
      let run = CommandRun(whole)
      // Ten without a unit are ten seconds.
      guard !line.contains("--duration 10") else {
        #expect(run.code == 0)
        return
      }
      #expect(run.code == 2, "\(line)")
      #expect(run.error.hasPrefix("tactus render: "))
      #expect(run.error.contains("Try 'tactus render --help'."))
      for word in words { #expect(run.error.contains(word), "\(line): \(run.error)") }
      let made =
        (try? FileManager.default.attributesOfItem(atPath: folder + "/events")[.size]) as? Int
      #expect(made ?? 0 == 0)
    }
  }

  @Test(arguments: ["", "0", "-1s", "1:60", "1:2:3:4", "1x", "1s1m", "abc", "97h", "1e3s", "."])
  func `a length that is none is refused with its forms`(text: String) {
    let run = CommandRun(["render", "120", "--events", "-", "--duration=\(text)"])
    #expect(run.code == 2)
    #expect(run.error.contains("--duration '\(text)'"))
    #expect(run.error.contains("10m, 90s, 1:30"))
  }

  static let durations: [(text: String, frames: Int)] = [
    ("1", 48_000), ("1s", 48_000), ("0.5s", 24_000), ("250ms", 12_000), ("0:01.5", 72_000),
    ("1:00", 2_880_000), ("1m", 2_880_000), ("1m1s", 2_928_000), (".5m", 1_440_000),
    // Half a frame is rounded up: 1 / 96000 s.
    ("0.000010417s", 1), ("1:00:00", 172_800_000), ("1h", 172_800_000), ("1h0m1s", 172_848_000),
  ]

  @Test(arguments: durations)
  func `lengths are read to the frame`(text: String, frames: Int) throws {
    let nanoseconds = try #require(DurationText.nanoseconds(text))
    #expect(DurationText.frames(nanoseconds: nanoseconds, rate: 48_000) == Int64(frames))
  }

  @Test func `a length, something to write and one standard output are needed`() {
    #expect(CommandRun("render 120 --wav x").error.contains("--duration TIME"))
    #expect(CommandRun("render 120 --bars 2").error.contains("nothing to write"))
    #expect(CommandRun("render 120 --bars 2 --duration 1s --wav x").error.contains("exclude"))
    let both = CommandRun("render 120 --bars 2 --wav - --events -")
    #expect(both.code == 2)
    #expect(both.error.contains("standard output"))
    #expect(both.output.isEmpty)
  }

  @Test func `what cannot be written or read is said with the system's reason`() {
    for option in ["--wav", "--flac", "--midi", "--events"] {
      let run = CommandRun("render 120 --bars 1 \(option) /nowhere/at/all")
      #expect(run.code == 1, "\(option)")
      #expect(run.error.contains("'/nowhere/at/all'"))
      #expect(run.error.contains("No such file or directory"))
    }
    #expect(CommandRun("render 120 --bars 1 --wav /dev/full").code == 1)
    #expect(CommandRun("render 120 --bars 1 --events /dev/full").code == 1)
    #expect(CommandRun("render 120 --bars 1 --midi /dev/full").code == 1)
    let script = CommandRun("render 120 --bars 1 --events - --script /nowhere")
    #expect(script.code == 2)
    #expect(script.error.contains("'/nowhere': No such file"))
    let sound = CommandRun("render 120 --bars 1 --wav /dev/null --sound gong")
    #expect(sound.code != 0)
    #expect(sound.error.contains("'gong'"))
  }

  @Test func `every option and exit code stands in the help`() {
    let help = CommandRun("render --help")
    #expect(help.code == 0)
    let names = [
      "duration", "bars", "tail", "unit", "pattern", "subdivision", "subdivision-level", "swing",
      "layer", "trainer", "ramp", "trainer-end", "glide", "mute-bars", "mute-random",
      "mute-growing", "count-in", "timer", "script", "sound", "volume", "sync", "rate", "channels",
      "bits", "folder", "wav", "flac", "stems", "midi", "exact", "events", "quiet", "help",
      "version",
    ]
    for name in names { #expect(help.text.contains("--\(name)"), "\(name)") }
    for code in ["0  Done", "1  What", "2  An argument"] { #expect(help.text.contains(code)) }
    #expect(CommandRun("render --help --bogus 5/7").code == 0)
  }

  @Test func `the program itself lists its commands and refuses what it does not know`() {
    let help = CommandRun("--help")
    #expect(help.code == 0)
    for command in TactusProgram.commands { #expect(help.text.contains(command.name)) }
    #expect(CommandRun("").code == 2)
    #expect(CommandRun("rendre 120").error.contains("did you mean 'render'"))
    #expect(CommandRun("120").error.contains("tactusd"))
    #expect(CommandRun("--bogus").code == 2)
    #expect(CommandRun("version").text.hasPrefix("tactus "))
    #expect(CommandRun("--version").text == CommandRun("version").text)
    #expect(CommandRun("version extra").code == 2)
  }
}
