public import ScoreFormats

/// The report as people and programs read it.
extension TimingReport {
  /// Once, plainly: what nobody can take out.
  public static let monitoringNote =
    "If you heard the click through Bluetooth or another slow path of your own, that delay is yours: "
    + "it is not taken out."

  /// Lines for a terminal.
  public var lines: [String] {
    guard confidence != .none else {
      return ["no onsets: the take holds no notes that could be held against the grid"]
    }
    var lines = [
      "\(notes.count) notes, \(Self.side(all.medianMilliseconds)) in the median, "
        + "spread \(ReportNumber.text(all.spreadMilliseconds, 1)) ms; confidence \(confidence.rawValue)"
    ]
    lines += doubts.map { "  \($0)" }
    lines.append("trend    \(ReportNumber.signed(trendMillisecondsPerBar, 2)) ms a bar")
    if let tendency = tendencyMillisecondsPer10BPM {
      lines.append("tempo    \(ReportNumber.signed(tendency, 2)) ms for 10 BPM more")
    }
    lines.append("place        notes  median ms  spread ms")
    for place in places {
      let name = place.sub == 0 ? "beat \(place.beat)" : "beat \(place.beat) + \(place.sub)"
      lines.append(Self.row(name, place.group))
    }
    let tempos = tempos
    if tempos.count > 1 {
      lines.append("tempo        notes  median ms  spread ms")
      for tempo in tempos {
        lines.append(Self.row("\(ReportNumber.text(tempo.tempo, 0)) BPM", tempo.group))
      }
    }
    if hasBleed { lines.append("clicks were heard in the take and left out") }
    lines.append(Self.monitoringNote)
    return lines
  }

  private static func side(_ milliseconds: Double) -> String {
    let size = "\(ReportNumber.text(abs(milliseconds), 1)) ms"
    if abs(milliseconds) < 0.05 { return "on the beat" }
    return milliseconds < 0 ? "\(size) early" : "\(size) late"
  }

  private static func row(_ name: String, _ group: Group) -> String {
    name + String(repeating: " ", count: max(1, 12 - name.count))
      + ReportNumber.right("\(group.count)", 6)
      + ReportNumber.right(ReportNumber.signed(group.medianMilliseconds, 1), 11)
      + ReportNumber.right(ReportNumber.text(group.spreadMilliseconds, 1), 11)
  }

  public var json: JSONValue {
    .members([
      ("version", .integer(1)),
      (
        "onsets",
        .list(
          notes.map { note in
            .members([
              ("second", .number(note.second)), ("frame", .number(note.frame)),
              ("bar", .integer(note.bar)), ("beat", .integer(note.beat)),
              ("sub", .integer(note.sub)),
              ("offsetMilliseconds", .number(note.offsetMilliseconds)),
              ("tempo", .number(note.tempo)), ("attack", .string(note.attack.rawValue)),
            ])
          })
      ),
      ("summary", summary),
    ])
  }

  private var summary: JSONValue {
    let isEmpty = confidence == .none
    func group(_ group: Group) -> [(String, JSONValue?)] {
      [
        ("count", .integer(group.count)),
        ("medianMilliseconds", .number(group.medianMilliseconds)),
        ("spreadMilliseconds", .number(group.spreadMilliseconds)),
      ]
    }
    return .members([
      ("count", .integer(notes.count)),
      ("medianMilliseconds", isEmpty ? .null : .number(all.medianMilliseconds)),
      ("spreadMilliseconds", isEmpty ? .null : .number(all.spreadMilliseconds)),
      ("trendMillisecondsPerBar", isEmpty ? .null : .number(trendMillisecondsPerBar)),
      (
        "tendencyMillisecondsPer10BPM",
        isEmpty ? .null : tendencyMillisecondsPer10BPM.map { .number($0) } ?? .null
      ),
      ("confidence", .string(confidence.rawValue)),
      ("doubts", .list(doubts.map { .string($0) })),
      ("subdivision", .integer(subdivision)),
      ("latencyMilliseconds", .number(latencyMilliseconds)),
      ("clicksHeard", .bool(hasBleed)),
      (
        "places",
        .list(
          places.map { place in
            .members(
              [("beat", .integer(place.beat)), ("sub", .integer(place.sub))] + group(place.group))
          })
      ),
      (
        "tempos",
        .list(tempos.map { .members([("tempo", .number($0.tempo))] + group($0.group)) })
      ),
    ])
  }
}
