import CommandLineOptions
import Conductor
import ScoreFormats
import SoundFiles
import TakeRecorder
import TimingReport

/// `tactus take export`
enum TakeExportCommand {
  static let command = Subcommand(
    "take export",
    OptionParser(
      command: "tactus take export",
      summary: "Write a take aligned to its grid: beat one of bar 1 is frame 0.",
      usage: "TAKE --to FILE [OPTIONS]",
      positionals: [PositionalDeclaration("TAKE", "Its name, or the path of its WAV.")],
      options: [
        .value("to", "FILE", "Aligned take: .wav or .flac.", group: "Output"),
        .value("click-to", "FILE", "The clicks alone, as long as the take.", group: "Output"),
        .flag("click", "Mix the clicks into --to.", group: "Output"),
        .value("click-level", "DB", "Level of the clicks, -60 to 0; -12.", group: "Output"),
        .value(
          "midi", "FILE", "Tempo map as a Standard MIDI File, tick 0 at bar 1.", group: "Output"),
        .value("bits", "BITS", "16, 24 or float; 24.", group: "Output"),
        .value("grid", "FILE", "Side file of the take; TAKE with .json for its ending."),
        TakeCommands.folderOption,
      ],
      notes: [
        "The samples are never altered: the head is trimmed by the latency and by what comes before "
          + "bar 1, to the nearest frame, and what was trimmed is said. --to with --click-to are the "
          + "stems of the take."
      ])
  ) { (parsed, console) throws(CommandFailure) in
    try run(parsed, console)
  }

  private static func run(
    _ parsed: ParsedOptions, _ console: Console
  ) throws(CommandFailure) -> Int32 {
    let path = try TakeCommands.path(parsed)
    guard parsed.has("to") || parsed.has("click-to") || parsed.has("midi") else {
      throw CommandFailure(.misused, "nothing to write: give --to, --click-to or --midi")
    }
    let decibels: Double
    let encoding: SoundFileFormat.Encoding
    do throws(OptionError) {
      decibels = try parsed.number("click-level", in: -60...0, unit: "dB") ?? -12
      switch try parsed.choice("bits", among: ["16", "24", "float"]) {
      case "16"?: encoding = .pcm16
      case "float"?: encoding = .float32
      default: encoding = .pcm24
      }
    } catch { throw CommandFailure(error) }
    let sheet = try TakeFiles.sheet(parsed.value("grid") ?? TakeFiles.sidePath(path))
    let facts = try TakeFiles.facts(path)
    let alignment = TakeAlignment(sheet, frames: facts.frames, rate: facts.rate)
    guard !alignment.isConsumed else {
      throw CommandFailure(
        .failed,
        "'\(path)' has \(facts.frames) frames, but bar 1 is heard at frame \(alignment.firstFrame): "
          + "nothing is left once it is aligned")
    }
    let grid = TimingGrid(
      sheet, lastFrame: Double(facts.frames) * Double(sheet.rate) / Double(facts.rate))
    if parsed.has("to") || parsed.has("click-to") {
      var clicks: [Float] = []
      if parsed.has("click") || parsed.has("click-to") {
        clicks = ClickMix.samples(
          grid, sheet, rate: facts.rate, frames: Int(alignment.silence + alignment.frames),
          sounds: try TakeFiles.sounds(sheet, rate: facts.rate, beside: path),
          gain: Gain.linear(decibels: decibels))
      }
      do throws(SoundFileError) {
        if let output = parsed.value("to") {
          try write(
            path, alignment, to: output, encoding, clicks: parsed.has("click") ? clicks : [])
        }
        if let output = parsed.value("click-to") {
          let writer = try SoundFileWriter(
            path: output, format: try SoundFileFormat(path: output, encoding: encoding),
            rate: facts.rate, channels: 1, expectedFrames: Int64(clicks.count))
          try append(clicks, to: writer)
          try writer.close()
        }
      } catch { throw CommandFailure(.failed, error.description) }
    }
    if let output = parsed.value("midi") {
      let points = grid.points.filter { $0.bar > 0 && $0.sub == 0 }
      let beats = points.map {
        PlayedBeat(
          seconds: ($0.frame - sheet.barOneFrame) / Double(sheet.rate), meter: $0.meter,
          isDownbeat: $0.beat == 1)
      }
      try OutputFile.write(StandardMIDIFile(beats: beats).encoded(), to: output, console)
    }
    say(sheet, alignment, rate: facts.rate, console)
    return 0
  }

  private static func write(
    _ path: String, _ alignment: TakeAlignment, to output: String,
    _ encoding: SoundFileFormat.Encoding, clicks: [Float]
  ) throws(SoundFileError) {
    let stream = try SoundFileStream(path: path)
    let channels = stream.channels
    let writer = try SoundFileWriter(
      path: output, format: try SoundFileFormat(path: output, encoding: encoding),
      rate: stream.rate, channels: channels,
      expectedFrames: alignment.silence + alignment.frames)
    var written = 0
    func put(_ piece: ArraySlice<Float>) throws(SoundFileError) {
      var samples = Array(piece)
      if !clicks.isEmpty {
        for frame in 0..<(samples.count / channels) where written + frame < clicks.count {
          for channel in 0..<channels {
            samples[frame * channels + channel] += clicks[written + frame]
          }
        }
      }
      written += samples.count / channels
      try append(samples, to: writer)
    }
    var silence = alignment.silence
    while silence > 0 {
      let count = Int(min(silence, 65_536))
      try put([Float](repeating: 0, count: count * channels)[...])
      silence -= Int64(count)
    }
    var skip = alignment.trimmed
    while true {
      let piece = try stream.next()
      if piece.isEmpty { break }
      let frames = Int64(piece.count / channels)
      let dropped = min(skip, frames)
      skip -= dropped
      if dropped < frames { try put(piece.dropFirst(Int(dropped) * channels)) }
    }
    try writer.close()
  }

  private static func append(
    _ samples: [Float], to writer: SoundFileWriter
  ) throws(SoundFileError) {
    var failure: SoundFileError?
    unsafe samples.withUnsafeBufferPointer { buffer in
      do throws(SoundFileError) { try unsafe writer.write(buffer) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  private static func say(
    _ sheet: TakeSheet, _ alignment: TakeAlignment, rate: Int, _ console: Console
  ) {
    func milliseconds(_ frames: Int64) -> String {
      "\(Double((Double(frames) / Double(rate) * 10_000).rounded()) / 10) ms"
    }
    if alignment.silence > 0 {
      console.print("aligned: \(alignment.silence) frames of silence before the take")
    } else {
      console.print(
        "aligned: \(alignment.trimmed) frames (\(milliseconds(alignment.trimmed))) taken off the head"
      )
    }
    if let latency = sheet.latencyFrames {
      console.print("of these the latency: \(milliseconds(Int64(latency.rounded())))")
    } else {
      console.complain(
        "tactus take export: note: the latency is not known: the take is late by it")
    }
    if !sheet.routeChanges.isEmpty {
      console.complain(
        "tactus take export: note: the route changed while it was recorded: the latency may be another"
      )
    }
  }
}

/// The clicks of a grid, from beat one of bar 1 on.
enum ClickMix {
  static func samples(
    _ grid: TimingGrid, _ sheet: TakeSheet, rate: Int, frames: Int,
    sounds: [TakeSheet.ClickLevel: [Float]], gain: Float
  ) -> [Float] {
    var mix = [Float](repeating: 0, count: frames)
    for point in grid.points where point.bar > 0 {
      guard let level = point.click else { continue }
      let sound = sounds[level] ?? ClickSynth.samples(.beep, for: TakeFiles.slot(level), rate: rate)
      let start = Int(
        ((point.frame - sheet.barOneFrame) * Double(rate) / Double(sheet.rate)).rounded())
      guard start >= 0 else { continue }
      for (index, value) in sound.enumerated() where start + index < frames {
        mix[start + index] += gain * value
      }
    }
    return mix
  }
}
