import Foundation
import Testing

/// The files that `tactus render` writes.
@Suite struct RenderFileTests {
  /// A WAV file of 16 or 24 bits or floats, read by its chunks.
  struct WAV {
    var channels = 0
    var rate = 0
    var bits = 0
    var isFloat = false
    /// Frames of channels.
    var samples: [[Float]] = []

    init?(_ data: Data) {
      let bytes = [UInt8](data)
      func word(_ at: Int, _ count: Int) -> Int {
        (0..<count).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) }
      }
      guard bytes.count > 44, bytes[0..<4].elementsEqual("RIFF".utf8) else { return nil }
      var place = 12
      while place + 8 <= bytes.count {
        let name = String(decoding: bytes[place..<(place + 4)], as: UTF8.self)
        let size = word(place + 4, 4)
        place += 8
        if name == "fmt " {
          isFloat = word(place, 2) == 3
          channels = word(place + 2, 2)
          rate = word(place + 4, 4)
          bits = word(place + 14, 2)
        } else if name == "data" {
          let width = bits / 8
          let sign = 1 << (bits - 1)
          samples.reserveCapacity(size / (width * channels))
          bytes.withUnsafeBufferPointer { bytes in
            var at = place
            while at + width * channels <= place + size {
              var frame: [Float] = []
              for _ in 0..<channels {
                var raw = 0
                for index in 0..<width { raw |= Int(bytes[at + index]) << (8 * index) }
                at += width
                frame.append(
                  isFloat
                    ? Float(bitPattern: UInt32(raw)) : Float((raw ^ sign) - sign) / Float(sign))
              }
              samples.append(frame)
            }
          }
        }
        place += size + size % 2
      }
    }
  }

  static func wav(_ line: String, input: String = "") -> WAV? {
    WAV(CommandRun(line + " --wav -", input: input).output)
  }

  @Test(arguments: ["wood", "beep", "bell", "noise"])
  func `every click begins on the frame that the event list names`(sound: String) throws {
    let line = "render 158 --bars 1 --rate 44100 --sound \(sound)"
    let wav = try #require(Self.wav(line + " --bits float"))
    #expect(wav.channels == 2)
    #expect(wav.rate == 44_100)
    let frames = ListedEvent.rendered(line).of("click").frames
    #expect(frames.count == 4)
    for frame in frames {
      #expect(wav.samples[frame][0] != 0)
      // The one before has died away; a bell's rings longest.
      if frame > 0 { #expect(abs(wav.samples[frame - 1][0]) < 0.01) }
      // The peak comes within a millisecond.
      let whole = wav.samples[frame..<(frame + 16_000)].map { abs($0[0]) }
      let early = whole.prefix(45).max() ?? 0
      #expect(early >= 0.99 * (whole.max() ?? 1))
    }
  }

  @Test func `the length is exact in every depth, and the tail rings on`() throws {
    for (bits, width) in [("16", 2), ("24", 3), ("float", 4)] {
      let run = CommandRun("render 120 --duration 1.0005s --wav - --bits \(bits)")
      let wav = try #require(WAV(run.output))
      #expect(wav.samples.count == 48_024)
      #expect(wav.bits == 8 * width)
      let tail = CommandRun("render 120 --duration 1.0005s --tail 250ms --wav - --bits \(bits)")
      let longer = try #require(WAV(tail.output))
      #expect(longer.samples.count == 48_024 + 12_000)
      // The same music, and the click at 48000 goes on ringing after its end.
      #expect(longer.samples[..<48_024].elementsEqual(wav.samples))
      #expect(longer.samples[48_024...].contains { $0[0] != 0 })
    }
  }

  @Test func `the default level is -12 dB and the volume moves it`() throws {
    let usual = try #require(Self.wav("render 120 --bars 1 --bits float"))
    let quieter = try #require(Self.wav("render 120 --bars 1 --bits float --volume -18"))
    let peak = usual.samples.map { abs($0[0]) }.max() ?? 0
    // 10^(-12/20) = 0.2512 of full scale
    #expect(peak > 0.2 && peak <= 0.2513)
    let ratio = (quieter.samples.map { abs($0[0]) }.max() ?? 0) / peak
    // 6 dB less: 0.5012
    #expect(abs(ratio - 0.5012) < 0.001)
  }

  @Test func `the same render gives the same bytes`() throws {
    try CommandRun.withFolder { folder in
      var kept: [Data] = []
      for turn in 0..<2 {
        let run = CommandRun(
          "render 7/8 133.7 --bars 4 --subdivision 2 --swing 61 --layer 5 --mute-random 40:3 "
            + "--glide 120-90:3s --count-in 1 --wav \(folder)/\(turn).wav --flac \(folder)/\(turn).flac "
            + "--midi \(folder)/\(turn).mid --events \(folder)/\(turn).jsonl --tail 1s")
        #expect(run.code == 0, "\(run.error)")
        for (index, ending) in ["wav", "flac", "mid", "jsonl"].enumerated() {
          let data = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(turn).\(ending)"))
          #expect(data.count > 100)
          if turn == 0 { kept.append(data) } else { #expect(data == kept[index], "\(ending)") }
        }
      }
    }
  }

  @Test func `standard output carries the same bytes as a file`() throws {
    try CommandRun.withFolder { folder in
      for ending in ["wav", "flac", "midi", "events"] {
        let line = "render 120 --bars 2 --\(ending) "
        let file = CommandRun(line + "\(folder)/file")
        #expect(file.code == 0)
        #expect(file.text.contains("2 bars, 8 beats"))
        let piped = CommandRun(line + "-")
        #expect(piped.code == 0)
        #expect(piped.error.contains("2 bars, 8 beats"))
        let written = try Data(contentsOf: URL(fileURLWithPath: folder + "/file"))
        #expect(written == piped.output)
      }
      #expect(CommandRun("render 120 --bars 2 --wav \(folder)/file -q").text.isEmpty)
    }
  }

  @Test func `stems add up to the whole`() throws {
    try CommandRun.withFolder { folder in
      let line =
        "render 3/4 140 --bars 2 --subdivision 2 --layer 4 --count-in 1 --bits float --volume -20"
      let run = CommandRun(line + " --wav \(folder)/whole.wav --stems \(folder) --tail 1s")
      #expect(run.code == 0, "\(run.error)")
      func read(_ name: String) throws -> WAV {
        try #require(WAV(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name).wav"))))
      }
      let whole = try read("whole").samples.map { $0[0] }
      var sum = [Float](repeating: 0, count: whole.count)
      let names = ["strong", "normal", "subdivision", "layer", "countin"]
      for name in names {
        let stem = try read(name).samples
        #expect(stem.count == whole.count)
        #expect(stem.contains { $0[0] != 0 }, "\(name)")
        for (frame, sample) in stem.enumerated() { sum[frame] += sample[0] }
      }
      // Below the limiter's knee nothing but rounding differs.
      #expect(zip(sum, whole).allSatisfy { abs($0 - $1) < 1e-6 })
      let files = try FileManager.default.contentsOfDirectory(atPath: folder)
      #expect(files.sorted() == (names + ["whole"]).map { $0 + ".wav" }.sorted())
    }
  }

  @Test func `an analog sync pulse goes to its own channel`() throws {
    // Four a quarter at 120: every 6000 frames, on channel 3 alone.
    let wav = try #require(
      Self.wav("render 120 --bars 1 --channels 3 --sync 4:3 --bits float"))
    let quiet = wav.samples.indices.filter { wav.samples[$0][2] != 0 }
    let onsets = quiet.filter { $0 == 0 || wav.samples[$0 - 1][2] == 0 }
    #expect(onsets == (0..<16).map { $0 * 6_000 })
  }

  @Test func `the MIDI file has the tempo map and the clicks`() {
    let run = CommandRun("render 3/4 96 --bars 2 --midi -")
    let bytes = [UInt8](run.output)
    #expect(bytes.prefix(4).elementsEqual("MThd".utf8))
    // FF 51 03: 60000000 / 96 = 625000 = 0x098968. FF 58 04: three over 2^2, 24 pulses a click.
    func holds(_ part: [UInt8]) -> Bool {
      bytes.indices.contains { bytes[$0...].starts(with: part) }
    }
    #expect(holds([0xFF, 0x51, 3, 0x09, 0x89, 0x68]))
    #expect(holds([0xFF, 0x58, 4, 3, 2, 24, 8]))
    #expect(run.error.contains("tempo marks are off by up to 0 us"))
    // 60000000 / 113 = 530973.45: the mark is 0.45 us a quarter off, and that is said.
    #expect(!CommandRun("render 113 --bars 8 --midi -").error.contains("up to 0 us"))
  }

  /// Notes of a track of clicks by tick, and the file's ticks a quarter.
  static func notes(_ data: Data) -> (ticks: [Int], division: Int) {
    let bytes = [UInt8](data)
    var place = bytes.count
    // The last track holds the notes.
    for index in stride(from: bytes.count - 4, through: 0, by: -1)
    where bytes[index..<(index + 4)].elementsEqual("MTrk".utf8) {
      place = index + 8
      break
    }
    var ticks: [Int] = []
    var tick = 0
    while place < bytes.count {
      var delta = 0
      repeat {
        delta = delta << 7 | Int(bytes[place] & 127)
        place += 1
      } while bytes[place - 1] >= 128
      tick += delta
      if bytes[place] == 0xFF {
        if bytes[place + 1] == 0x2F { break }
        place += 3 + Int(bytes[place + 2])
      } else {
        if bytes[place] & 0xF0 == 0x90 { ticks.append(tick) }
        place += 3
      }
    }
    return (ticks, Int(bytes[12]) << 8 | Int(bytes[13]))
  }

  @Test func `clicks after a new cut of the beats and a new tempo lie on their places`() throws {
    try CommandRun.withFolder { folder in
      let run = CommandRun(
        "render 60 --subdivision 2 --bars 2 --midi \(folder)/x.mid --script - --events -",
        input: "0.5 subdivision 3\n1.5 tempo 240 now\n")
      #expect(run.code == 0)
      let events = ListedEvent.parse(run.text)
      let (ticks, division) = Self.notes(
        try Data(contentsOf: URL(fileURLWithPath: folder + "/x.mid")))
      // A click of beat b of bar n that is part s of k lies at 4 (n - 1) + b - 1 + s / k quarters;
      // the beat has as many clicks as it has parts.
      let clicks = events.of("click")
      let beats = clicks.map { 4 * (($0.bar ?? 0) - 1) + ($0.beat ?? 0) - 1 }
      let expected = zip(clicks, beats).map { click, beat in
        beat * division + (click.sub ?? 0) * division / beats.count { $0 == beat }
      }
      #expect(Set(beats.map { beat in beats.count { $0 == beat } }) == [2, 3])
      #expect(ticks == expected)
    }
  }

  @Test(arguments: [1, 2, 17, 39, 40, 41, 500])
  func `a click right before the end is a note`(frames: Int) throws {
    try CommandRun.withFolder { folder in
      // Clicks at 0, 24000 and 48000.
      let seconds = String(format: "%.9f", Double(48_000 + frames) / 48_000)
      for line in ["", " --count-in 1", " --layer 3"] {
        let run = CommandRun(
          "render 120 --duration \(seconds)s\(line) --midi \(folder)/x.mid --events -")
        #expect(run.code == 0, "\(run.error)")
        let clicks = ListedEvent.parse(run.text).of("click")
        let notes = Self.notes(try Data(contentsOf: URL(fileURLWithPath: folder + "/x.mid")))
        #expect(notes.ticks.count == clicks.count && clicks.count >= 3)
      }
    }
  }

  @Test func `two renders of floats are the same to the byte, at another time of day`() throws {
    try CommandRun.withFolder { folder in
      let path = folder + "/x.wav"
      #expect(CommandRun("render 120 --bars 1 --bits float --wav \(path)").code == 0)
      let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
      // The chunk PEAK holds the time in seconds.
      let head = String(decoding: bytes.prefix(128), as: UTF8.self)
      #expect(head.contains("fact") && !head.contains("PEAK"))
    }
  }
}
