import Calibration
import CommandLineOptions
import Glibc
import MetronomeModel
import ScoreFormats
import SoundFiles
import Sweeps

/// `tactus calibrate`
enum CalibrateCommand {
  static let command = Subcommand("calibrate", CalibrateOptions.parser) {
    (parsed, console) throws(CommandFailure) in
    let schedule: SweepSchedule
    let rate: Int
    do throws(OptionError) {
      schedule = SweepSchedule(
        spacingSeconds: try parsed.number("spacing", in: SweepSchedule.spacingRange, unit: "s")
          ?? 1,
        count: try parsed.integer("count", in: SweepSchedule.countRange) ?? 16,
        raise: SweepSchedule.wholeRaise)
      rate = try parsed.integer("rate", in: 16_000...192_000, unit: "Hz") ?? 48_000
    } catch { throw CommandFailure(error) }
    switch (parsed.value("analyse"), parsed.value("chirps")) {
    case (let recording?, nil):
      return try analyse(recording, schedule, parsed, console)
    case (nil, let output?):
      return try writeSweeps(schedule, rate: rate, to: output, console)
    case (_?, _?):
      throw CommandFailure(.misused, "--analyse and --chirps exclude each other: give one")
    case (nil, nil):
      return try LiveCalibration.run(parsed, console)
    }
  }

  // MARK: Analysis

  private static func analyse(
    _ path: String, _ schedule: SweepSchedule, _ parsed: ParsedOptions, _ console: Console
  ) throws(CommandFailure) -> Int32 {
    let recording: [[Float]]
    let rate: Int
    let raised: Int?
    do throws(OptionError) { raised = try parsed.integer("raised", in: 0...12) } catch {
      throw CommandFailure(error)
    }
    do throws(SoundFileError) {
      let stream = try SoundFileStream(path: path)
      rate = stream.rate
      // The sweeps, their raise and a latency of some spacings: what is beyond says nothing.
      let slots = Double(schedule.count + 14)
      recording = try stream.readAll(
        atMost: Int((schedule.second(ofSlot: 0) + slots * schedule.spacingSeconds) * Double(rate)))
    } catch { throw CommandFailure(.failed, error.description) }
    // Below it the sweep's 6 kHz do not fit.
    guard rate >= 14_000 else {
      throw CommandFailure(
        .failed, "'\(path)' has \(rate) frames a second: sweeps up to 6 kHz need 14000 or more")
    }
    guard
      let result = LatencyEstimator(
        spacingSeconds: schedule.spacingSeconds, count: schedule.count, raised: raised
      ).estimate(channels: recording, rate: Double(rate))
    else {
      throw CommandFailure(.failed, "'\(path)': not enough memory for the analysis")
    }
    if let picture = parsed.value("svg") {
      try OutputFile.write(
        CalibrationPicture.svg(result, spacingSeconds: schedule.spacingSeconds), to: picture,
        console)
    }
    if parsed.has("json") {
      console.write(result.json.text())
      return 0
    }
    console.print(result.headline)
    if !result.advice.isEmpty { console.print(result.advice) }
    if parsed.has("details") { for line in result.details { console.print(line) } }
    return 0
  }

  // MARK: Sweeps

  private static func writeSweeps(
    _ schedule: SweepSchedule, rate: Int, to path: String, _ console: Console
  ) throws(CommandFailure) -> Int32 {
    do throws(SoundFileError) {
      let format = try SoundFileFormat(path: path, encoding: .pcm24)
      let samples = schedule.samples(rate: rate)
      let frames = Int64(samples.count)
      let writer =
        path == "-"
        ? try SoundFileWriter(
          descriptor: console.output, name: "standard output", format: format, rate: rate,
          channels: 1, expectedFrames: frames)
        : try SoundFileWriter(
          path: path, format: format, rate: rate, channels: 1, expectedFrames: frames)
      var failure: SoundFileError?
      unsafe samples.withUnsafeBufferPointer { buffer in
        do throws(SoundFileError) { try unsafe writer.write(buffer) } catch { failure = error }
      }
      if let failure { throw failure }
      try writer.close()
    } catch { throw CommandFailure(.failed, error.description) }
    guard path != "-" else { return 0 }
    console.print(
      "\(schedule.raise.count) sweeps of the raise and \(schedule.count) that count, "
        + "\(RangeText.number(schedule.spacingSeconds)) s apart, the first at "
        + "\(SweepSchedule.preRollSeconds) s: '\(path)'")
    return 0
  }
}
