import Foundation
import TactusCommands
import Testing

@Suite struct ImportTests {
  @Test func `what does not arrive on a full disk is said, and the exit code too`() throws {
    try CommandRun.withFolder { folder in
      try Data("1 120".utf8).write(to: URL(fileURLWithPath: folder + "/song.klick"))
      let full = open("/dev/full", O_WRONLY)
      let errors = open(folder + "/errors", O_RDWR | O_CREAT, 0o600)
      defer {
        close(full)
        close(errors)
      }
      let console = Console(input: -1, output: full, error: errors)
      #expect(TactusProgram.run(["import", folder + "/song.klick"], console: console) == 1)
      let text = try String(contentsOfFile: folder + "/errors", encoding: .utf8)
      #expect(text == "tactus: standard output: No space left on device\n")
    }
  }

  @Test func `klick's map becomes ours, which plays the same and goes back`() throws {
    try CommandRun.withFolder { folder in
      let klick = folder + "/song.klick"
      try Data("a: 2 120 X.x.\nb: 3 3/4 100-140\n".utf8).write(to: URL(fileURLWithPath: klick))
      let ours = CommandRun("import \(klick)")
      #expect(ours.code == 0)
      #expect(ours.text.contains("\"label\""))
      let file = folder + "/song.json"
      try ours.output.write(to: URL(fileURLWithPath: file))
      let first = CommandRun("render --map \(klick) --events -")
      #expect(first.code == 0)
      #expect(CommandRun("render --map \(file) --events -").output == first.output)
      let back = CommandRun("import \(file) --klick")
      #expect(back.code == 0)
      try back.output.write(to: URL(fileURLWithPath: klick))
      #expect(CommandRun("render --map \(klick) --events -").output == first.output)
    }
  }

  @Test func `a map is saved under a name by which it is rendered`() throws {
    try CommandRun.withFolder { folder in
      let klick = folder + "/x.klick"
      try Data("1 120\n".utf8).write(to: URL(fileURLWithPath: klick))
      #expect(CommandRun("import \(klick) --as mine --folder \(folder)").code == 0)
      let beats = ListedEvent.rendered("render --map mine --folder \(folder)").of("beat")
      #expect(beats.frames == [0, 24_000, 48_000, 72_000])
      #expect(CommandRun("render --map yours --folder \(folder) --events -").code == 2)
    }
  }

  @Test func `the tempo track of our own MIDI file is read back`() throws {
    try CommandRun.withFolder { folder in
      let midi = folder + "/x.mid"
      #expect(CommandRun("render 3/4 96 --bars 8 --midi \(midi)").code == 0)
      let ours = CommandRun("import \(midi)")
      #expect(ours.code == 0)
      #expect(ours.text.contains("3/4"))
      #expect(ours.text.contains("96"))
    }
  }

  @Test func `what cannot be read is named`() throws {
    #expect(CommandRun("import /no/such").code == 1)
    #expect(CommandRun("import").code == 2)
    try CommandRun.withFolder { folder in
      for bytes in [Data("MThd".utf8), Data("{".utf8), Data("1 2 3 4 5".utf8), Data([0, 255, 7])] {
        let file = folder + "/bad"
        try bytes.write(to: URL(fileURLWithPath: file))
        let run = CommandRun("import \(file)")
        #expect(run.code == 1)
        #expect(run.error.contains(file))
        #expect(run.output.isEmpty)
      }
    }
  }

  @Test(arguments: [44_100, 48_000, 96_000])
  func `a MIDI file's beats are played at its own microseconds`(rate: Int) throws {
    try CommandRun.withFolder { folder in
      // 130, 292, 97.3 and 133 a minute as files have them, two bars each.
      let tempos = [461_538, 205_479, 616_650, 451_128]
      var track: [UInt8] = []
      for (index, value) in tempos.enumerated() {
        // Eight quarters of 96 are 768 ticks: 86 00.
        track += (index == 0 ? [0] : [0x86, 0x00]) + [0xFF, 0x51, 3]
        track += [UInt8(value >> 16), UInt8(value >> 8 & 255), UInt8(value & 255)]
      }
      track += [0x86, 0x00, 0xFF, 0x2F, 0]
      let head: [UInt8] = Array("MThd".utf8) + [0, 0, 0, 6, 0, 0, 0, 1, 0, 96]
      let bytes = head + Array("MTrk".utf8) + [0, 0, 0, UInt8(track.count)] + track
      let file = folder + "/x.mid"
      try Data(bytes).write(to: URL(fileURLWithPath: file))
      let beats = ListedEvent.rendered("render --map \(file) --rate \(rate)").of("beat")
      var time = 0
      var expected: [Int] = []
      for beat in 0..<32 {
        // us x rate / 1 000 000, half up.
        expected.append((2 * time * rate + 1_000_000) / 2_000_000)
        time += tempos[beat / 8]
      }
      #expect(beats.frames == expected)
      #expect(CommandRun("import \(file)").text.contains("\"tempo\": 292,"))
    }
  }
}
