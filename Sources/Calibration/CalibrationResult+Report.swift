public import ScoreFormats
import Sweeps

/// A result as people and programs read it.
extension CalibrationResult {
  /// Begins with `aligned` where the latency can be used.
  public var headline: String {
    switch verdict {
    case .green: "aligned: \(accepted) of \(count) sweeps agree (green)"
    case .yellow: "aligned, with care: \(accepted) of \(count) sweeps agree (yellow)"
    case .red: "not aligned: \(accepted) of \(count) sweeps agree (red)"
    }
  }

  /// Figures, a line each.
  public var details: [String] {
    var lines: [String] = []
    if let frames = latencyFrames, let milliseconds = latencyMilliseconds {
      lines.append(
        "round trip     \(CalibrationText.number(milliseconds, 3)) ms "
          + "(\(CalibrationText.number(frames, 2)) frames at \(CalibrationText.number(rate, 0)) Hz)"
      )
    }
    lines.append(
      "spread         \(CalibrationText.number(madMilliseconds, 4)) ms (median absolute deviation)")
    if driftPPM != 0 {
      lines.append(
        "clocks         the recording's runs \(CalibrationText.number(driftPPM, 1)) ppm fast; "
          + "the latency is that at \(CalibrationText.number(middleSecond, 1)) s")
    }
    if raised > 0 { lines.append("raise          \(raised) softer sweeps before those that count") }
    lines.append("sweep  at s    latency ms  correlation  level dB")
    for (index, sweep) in sweeps.enumerated() {
      let mark = sweep.isAccepted ? " " : "-"
      var line = "\(mark)\(Column.right("\(index + 1)", 4))"
      line += Column.right(CalibrationText.number(sweep.second, 1), 7)
      if let sighting = sweep.sighting {
        line += Column.right(CalibrationText.number(sighting.lagFrames / rate * 1_000, 3), 14)
        line += Column.right(CalibrationText.number(sighting.correlation, 3), 13)
        line += Column.right(
          CalibrationText.number(DecibelLaw.decibels(sighting.amplitude), 1), 10)
      } else {
        line += "     not heard"
      }
      lines.append(line)
    }
    return lines
  }

  public var json: JSONValue {
    .members([
      ("verdict", .string(verdict.rawValue)),
      ("latencyFrames", latencyFrames.map { .number($0) } ?? .null),
      ("latencyMilliseconds", latencyMilliseconds.map { .number($0) } ?? .null),
      ("madMilliseconds", .number(madMilliseconds)),
      ("madFrames", .number(madFrames)),
      ("accepted", .integer(accepted)),
      ("count", .integer(count)),
      ("advice", .string(advice)),
      ("rate", .number(rate)),
      ("channel", .integer(channel + 1)),
      ("raised", .integer(raised)),
      ("driftPPM", .number(driftPPM)),
      ("middleSecond", .number(middleSecond)),
      (
        "sweeps",
        .list(
          sweeps.map { sweep in
            .members([
              ("second", .number(sweep.second)),
              ("accepted", .bool(sweep.isAccepted)),
              ("lagFrames", sweep.sighting.map { .number($0.lagFrames) } ?? .null),
              ("correlation", sweep.sighting.map { .number($0.correlation) } ?? .null),
              (
                "levelDecibels",
                sweep.sighting.map { .number(DecibelLaw.decibels($0.amplitude)) } ?? .null
              ),
            ])
          })
      ),
    ])
  }
}

/// Text in columns.
enum Column {
  static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }
}
