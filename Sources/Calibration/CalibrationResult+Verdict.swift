extension CalibrationResult {
  /// Settles the verdict from what was accepted and found.
  mutating func judge(latency: Double?, recording: RecordingLevels) {
    // 12 and 8 of 16.
    let green = (3 * count + 3) / 4
    let yellow = (count + 1) / 2
    verdict = accepted >= green ? .green : accepted >= yellow ? .yellow : .red
    if recording.peak == 0 { findings.append(.silence) }
    if recording.isClipped { findings.append(.clipped) }
    if accepted >= yellow, madMilliseconds > 0.5 { findings.append(.spread) }
    if accepted < green, findings.isEmpty {
      let heard = sweeps.filter { $0.sighting != nil }.count
      if accepted < yellow, heard >= yellow { findings.append(.disagreement) }
      findings.append(recording.peak < 0.02 ? .tooQuiet : .noise)
    }
    for finding in findings {
      switch finding {
      case .foreignSweeps, .tooLong, .silence: verdict = .red
      // What is like our sweep in most of its band is a strange loudspeaker, perhaps.
      case .unlike(let correlation) where correlation < 0.62: verdict = .red
      case .moreSweepsThanPlayed, .endsEarly, .step, .spread, .unlike:
        if verdict == .green { verdict = .yellow }
      case .noise, .tooQuiet, .clipped, .disagreement: break
      }
    }
    latencyFrames = verdict == .red ? nil : latency
  }

  /// What the player can do, in words; empty where there is nothing to do.
  public var advice: String { findings.map(\.advice).joined(separator: " ") }
}

extension CalibrationResult.Finding {
  /// What it means and what to do.
  public var advice: String {
    switch self {
    case .silence:
      "The recording is silent: unmute the input, or choose the right one."
    case .foreignSweeps:
      "Sweeps were heard before ours began: stop the other program that plays them."
    case .tooLong(let seconds):
      "The sweeps come \(CalibrationText.number(seconds, 1)) s late or more: calibrate again with "
        + "--spacing \(max(3, Int(seconds.rounded(.up)) + 2))."
    case .moreSweepsThanPlayed:
      "More sweeps were heard than were played: give --count as it was played, or stop the other "
        + "program that plays them."
    case .endsEarly:
      "The first sweep is missing and the recording ends too early: record on until a second after "
        + "the last sweep."
    case .step(let sweep, let milliseconds):
      "The latency changed by \(CalibrationText.number(milliseconds, 2)) ms at sweep \(sweep): leave "
        + "the devices alone and calibrate again."
    case .unlike:
      "What was heard is not quite our sweep: stop other programs that play sweeps, and switch "
        + "effects off."
    case .noise:
      "Too much noise, or too little of the sweeps: go closer, play louder, or make it quieter "
        + "around you."
    case .tooQuiet:
      "The recording is very quiet: go closer, play louder, or turn the input up."
    case .clipped:
      "The recording clips: turn the input down."
    case .disagreement:
      "What was heard does not agree on one latency: keep the microphone and the speaker where they "
        + "are."
    case .spread:
      "The sweeps lie far apart: close other programs that use the sound card and calibrate again."
    }
  }
}
