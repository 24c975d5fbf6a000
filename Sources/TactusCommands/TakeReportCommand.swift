import CommandLineOptions
import Glibc
import RealtimeEngine
import ScoreFormats
import SoundFiles
import TimingReport

/// `tactus take report`
enum TakeReportCommand {
  static let command = Subcommand(
    "take report",
    OptionParser(
      command: "tactus take report",
      summary: "Say how early or late the player of a take was, beat by beat.",
      usage: "TAKE [OPTIONS]",
      positionals: [
        PositionalDeclaration("TAKE", "Its name, or a recording: WAV, RF64, FLAC or AIFF.")
      ],
      options: [
        .value("grid", "FILE", "Side file of the take; TAKE with .json for its ending."),
        TakeCommands.folderOption,
        .flag("json", "Every onset and the summary as one JSON object.", group: "Answer"),
        .value("svg", "FILE", "Picture of the notes over the bars.", group: "Answer"),
      ],
      notes: [
        "Each onset has its second and frame in the take, bar and beat from 1, sub (0 on the beat), "
          + "and offsetMilliseconds, late being positive, with the latency of the side file taken "
          + "off. Fewer than three onsets are none.",
        "Notes are found by the growth of the spectrum, and placed by the first sample that the "
          + "sound before does not foretell. Notes that swell (bowed, blown) are placed at the middle "
          + "of the swell and marked so. Clicks that leak into the microphone are known by their "
          + "place and sound, and left out.",
        TimingReport.monitoringNote,
      ])
  ) { (parsed, console) throws(CommandFailure) in
    let path = try TakeCommands.path(parsed)
    let sheet = try TakeFiles.sheet(parsed.value("grid") ?? TakeFiles.sidePath(path))
    let take = try TakePieces.loudest(path)
    let analysis = TakeAnalysis(
      sheet, rate: take.rate,
      sounds: try TakeFiles.candidates(sheet, rate: take.rate, beside: path))
    var survey = TakeSurvey(analysis)
    try TakePieces.each(path, channel: take.channel, frames: take.frames) { survey.look($0) }
    try TakePieces.each(path, channel: take.channel, frames: take.frames) { survey.listen($0) }
    let report = survey.report(frames: take.frames)
    if let picture = parsed.value("svg") {
      try OutputFile.write(TimingPicture.svg(report), to: picture, console)
    }
    if parsed.has("json") {
      console.write(report.json.text())
    } else {
      for line in report.lines { console.print(line) }
    }
    return 0
  }
}
