import CommandLineOptions
import MusicalTime
import OfflineRender
import RealtimeHost

/// `tactus render`
enum RenderCommand {
  static let command = Subcommand("render", RenderOptions.parser) {
    (parsed, console) throws(CommandFailure) in
    let arguments: RenderArguments
    do throws(OptionError) {
      arguments = try RenderArguments(parsed, console: console)
    } catch { throw CommandFailure(error) }
    return try run(arguments, isQuiet: parsed.has("quiet"), console)
  }

  private static func run(
    _ arguments: RenderArguments, isQuiet: Bool, _ console: Console
  ) throws(CommandFailure) -> Int32 {
    let start = MonotonicClock.now()
    var bar = ProgressBar(columns: isQuiet ? 0 : console.errorColumns)
    let report: RenderReport
    do throws(RenderError) {
      report = try RenderJob(arguments.plan, to: arguments.outputs).run { done, total in
        if let line = bar.line(done: done, total: total) { console.writeError(line) }
      }
    } catch {
      console.writeError(bar.clear())
      throw failure(error)
    }
    console.writeError(bar.clear())
    for notice in arguments.notes + report.notices {
      console.complain("tactus render: note: \(notice)")
    }
    guard !isQuiet else { return 0 }
    let seconds = Double(MonotonicClock.now().nanoseconds(since: start)) / 1e9
    let say: (String) -> Void = {
      arguments.fillsStandardOutput ? console.complain($0) : console.print($0)
    }
    say(summary(report, rate: arguments.plan.rate, seconds: seconds))
    if let midi = report.midi { say("MIDI file: \(midi)") }
    for stem in report.stems { say("stem: \(stem)") }
    return 0
  }

  private static func failure(_ error: RenderError) -> CommandFailure {
    switch error {
    case .refused, .endless, .tooLong, .empty: CommandFailure(.misused, error.description)
    case .sound, .file, .overflow: CommandFailure(.failed, error.description)
    }
  }

  private static func summary(_ report: RenderReport, rate: Int64, seconds: Double) -> String {
    let frames = report.frames + report.tailFrames
    let length = TimeText.text(milliseconds: (frames * 1000 + rate / 2) / rate)
    let speed = seconds > 0 ? Int64((Double(frames) / Double(rate) / seconds).rounded()) : 0
    return "\(length): \(frames) frames at \(rate) Hz, \(report.bars) bars, \(report.beats) beats, "
      + "\(report.clicks) clicks, \(report.pulses) pulses; \(speed) x real time"
  }
}
