import CommandLineOptions
import Glibc
import MetronomeModel
import MusicalTime
import OSCWire
import OfflineRender

/// A script of commands with the frames at which they arrive, a command a line:
/// `TIME ADDRESS [ARGUMENTS]`.
enum RenderScript {
  /// Bytes and lines that are still a script and no mistake.
  static let largestBytes = 4 << 20

  static func read(
    _ path: String, rate: Int64, console: Console
  ) throws(OptionError) -> [RenderPlan.TimedCommand] {
    let bytes: [UInt8]
    do throws(TextFileError) {
      bytes = try TextFile.bytes(path, input: console.input, limit: largestBytes)
    } catch { throw .text("--script \(error)") }
    return try parse(String(decoding: bytes, as: UTF8.self), name: path, rate: rate)
  }

  static func parse(
    _ text: String, name: String, rate: Int64
  ) throws(OptionError) -> [RenderPlan.TimedCommand] {
    var commands: [RenderPlan.TimedCommand] = []
    var number = 0
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      number += 1
      let source = "\(name):\(number)"
      var words = try CommandWords.split(String(line), source: source)
      guard !words.isEmpty else { continue }
      let time = words.removeFirst()
      guard let frame = frame(time.text, rate: rate) else {
        throw .value(
          "\(source): time", given: time.text,
          allowed: "a frame (48000), seconds (1.5 or 1.5s) or minutes (1:30) from the beginning")
      }
      guard !words.isEmpty else {
        throw .text("\(source): the command is missing: write TIME ADDRESS [ARGUMENTS]")
      }
      // As far apart as their frames: time is counted from frame 0.
      let nanoseconds = (Double(frame) * 1e9 / Double(rate)).rounded()
      let command = try CommandWords.command(
        words, source: source, at: MonotonicTime(nanoseconds: Int64(nanoseconds)))
      commands.append(.init(frame: FrameIndex(frame), command: command, source: source))
    }
    // Swift's sort keeps the order of what is equal.
    return commands.sorted { $0.frame < $1.frame }
  }

  /// A whole number is a frame; with a point, a unit or a colon it is a time.
  static func frame(_ text: String, rate: Int64) -> Int64? {
    if let frame = Int64(text) {
      return (0...RenderPlan.longestSeconds * rate).contains(frame) ? frame : nil
    }
    return DurationText.nanoseconds(text).map { DurationText.frames(nanoseconds: $0, rate: rate) }
  }
}
