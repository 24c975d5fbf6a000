import MetronomeModel
public import ScoreFormats

/// Holds the notes of a take against its grid.
///
/// - Thread: any one at a time; allocates several times a piece.
public struct TakeAnalysis {
  private let sheet: TakeSheet
  let rate: Double
  /// Sounds that the clicks may have, by level in the order of `TakeSheet.ClickLevel`.
  private let sounds: [[[Float]]]

  /// - Parameters:
  ///   - rate: of the take; the side file's frames count at its own.
  ///   - sounds: that the clicks may have, at the take's rate: the one that is heard is found.
  public init(_ sheet: TakeSheet, rate: Int, sounds: [TakeSheet.ClickLevel: [[Float]]]) {
    self.sheet = sheet
    self.rate = Double(rate)
    self.sounds = TakeSheet.ClickLevel.allCases.map { sounds[$0] ?? [] }
  }

  /// Frames of the take to a frame of the side file.
  private var scale: Double { Double(sheet.rate) / rate }
  private var latency: Double { (sheet.latencyFrames ?? 0) / scale }

  /// - Parameter samples: mono, the whole take.
  public func report(_ samples: [Float]) -> TimingReport {
    let whole = TakePiece(start: 0, samples: samples, core: 0..<samples.count)
    var survey = TakeSurvey(self)
    survey.look(whole)
    survey.listen(whole)
    return survey.report(frames: samples.count)
  }

  /// A piece of a take without its clicks.
  struct Cleaned {
    var player: [Float]
    /// Of the loudest click that was taken out; 0 where there was none.
    var amplitude: Float
    var isLearnt: Bool
  }

  /// - Parameter start: frame of the take that is the first sample.
  func clean(_ samples: [Float], start: Int) -> Cleaned {
    let grid = TimingGrid(sheet, lastFrame: Double(start + samples.count) * scale)
    var bleed = ClickBleed()
    let clicks = grid.points.compactMap { point -> ClickBleed.Click? in
      guard let level = point.click else { return nil }
      let frame = point.frame.rounded() / scale + latency - Double(start)
      // One that begins before the piece is in its margin, whose notes another piece is asked for.
      guard start == 0 || frame >= 0 else { return nil }
      return ClickBleed.Click(
        frame: frame, kind: TakeSheet.ClickLevel.allCases.firstIndex(of: level) ?? 0)
    }
    let player = bleed.remove(clicks, sounds: sounds, from: samples, rate: rate)
    return Cleaned(player: player, amplitude: bleed.amplitude, isLearnt: bleed.isLearnt)
  }

  /// The notes of a piece, in frames of the piece.
  func onsets(_ cleaned: Cleaned, start: Int, loudness: Float) -> [Onset] {
    let player = cleaned.player
    var onsets = OnsetDetector().onsets(player, rate: rate, loudness: loudness)
    guard cleaned.amplitude > 0 else { return onsets }
    let grid = TimingGrid(sheet, lastFrame: Double(start + player.count) * scale)
    // What is left of a click that could not be taken out whole is softer than the click, and begins
    // with it or in it.
    onsets.removeAll { onset in
      let played = (onset.frame + Double(start) - latency) * scale
      guard let near = grid.nearest(played), near.click != nil else { return false }
      let distance = (played - near.frame) / Double(sheet.rate)
      return (-0.003...0.06).contains(distance)
        && peak(player, from: onset.frame) < 0.5 * cleaned.amplitude
    }
    return onsets
  }

  private func peak(_ samples: [Float], from frame: Double) -> Float {
    let from = max(0, Int(frame))
    let to = min(samples.count, from + Int(0.02 * rate))
    return from < to ? samples[from..<to].reduce(0) { max($0, abs($1)) } : 0
  }

  /// The largest sample of each stretch of 20 ms.
  static func peaks(_ samples: ArraySlice<Float>, rate: Double) -> [Float] {
    let length = max(1, Int(0.02 * rate))
    var peaks: [Float] = []
    var start = samples.startIndex
    while start < samples.endIndex {
      let end = min(samples.endIndex, start + length)
      peaks.append(samples[start..<end].reduce(0) { max($0, abs($1)) })
      start = end
    }
    return peaks
  }

  /// Amplitude that one stretch in twenty passes: that of the loud notes.
  static func loudness(_ peaks: [Float]) -> Float {
    guard !peaks.isEmpty else { return 0 }
    let sorted = peaks.sorted()
    return sorted[min(sorted.count - 1, sorted.count * 19 / 20)]
  }

  func report(
    _ onsets: [Onset], frames: Int, hasBleed: Bool, isLearnt: Bool
  ) -> TimingReport {
    let last = Double(frames) * scale
    let own = Int(sheet.tempo.first?.subdivision.count ?? 1)
    var chosen = notes(onsets, TimingGrid(sheet, lastFrame: last))
    var subdivision = own
    var fits = isFitting(chosen)
    if !fits {
      // The player divides the beat further than the clicks do.
      for count in [2, 3, 4, 6, 8] where count > own && count % own == 0 {
        let other = notes(onsets, TimingGrid(sheet, lastFrame: last, subdivision: count))
        if isFitting(other) {
          chosen = other
          subdivision = count
          fits = true
          break
        }
      }
    }
    var report = TimingReport(
      notes: chosen.map(\.note), subdivision: subdivision,
      latencyMilliseconds: latency / rate * 1_000, confidence: .high, doubts: [],
      hasBleed: hasBleed)
    if report.notes.count < TimingReport.leastOnsets {
      report.notes = []
      report.confidence = .none
      return report
    }
    judge(&report, fits: fits, isLearnt: isLearnt)
    return report
  }

  private struct Held {
    var note: TimingReport.Note
    /// Distance from the grid, as a share of half the way to the next point.
    var share: Double
  }

  private func notes(_ onsets: [Onset], _ grid: TimingGrid) -> [Held] {
    onsets.compactMap { onset in
      let played = (onset.frame - latency) * scale
      guard let point = grid.nearest(played), point.bar > 0 else { return nil }
      let offset = played - point.frame
      let half = point.spacing / 2
      // Before the first point and after the last there is no grid.
      guard half > 0, abs(offset) <= half * 1.02 else { return nil }
      return Held(
        note: TimingReport.Note(
          second: onset.frame / rate, frame: onset.frame, bar: point.bar, beat: point.beat,
          sub: point.sub, offsetMilliseconds: offset / Double(sheet.rate) * 1_000,
          tempo: point.tempo, attack: onset.attack),
        share: abs(offset) / half)
    }
  }

  /// Whether the notes gather about the points: notes that do not are spread evenly, with a median
  /// of a half.
  private func isFitting(_ notes: [Held]) -> Bool {
    guard !notes.isEmpty else { return false }
    let shares = notes.map(\.share).sorted()
    return shares[shares.count / 2] < 0.35 && shares[shares.count * 9 / 10] < 0.8
  }

  private func judge(_ report: inout TimingReport, fits: Bool, isLearnt: Bool) {
    var confidence = TimingReport.Confidence.high
    func lower(to level: TimingReport.Confidence, _ doubt: String) {
      report.doubts.append(doubt)
      if level == .low || confidence == .high { confidence = level }
    }
    if sheet.latencyFrames == nil {
      lower(to: .low, "the latency is not known, so every note is late by it: 'tactus calibrate'")
    } else if sheet.latencyVerdict == "yellow" {
      lower(to: .medium, "the latency is known with care only (yellow)")
    } else if sheet.latencyVerdict == "red" {
      lower(to: .low, "the latency could not be measured (red)")
    }
    if !sheet.routeChanges.isEmpty {
      lower(to: .low, "the route changed while it was recorded: the latency may be another")
    }
    if !fits { lower(to: .low, "the notes do not gather about the grid") }
    if isLearnt {
      lower(to: .medium, "the click's sound is not known and was learnt from the take")
    }
    if report.notes.count < 12 {
      lower(to: .medium, "only \(report.notes.count) notes were found")
    }
    if report.notes.contains(where: { $0.attack == .swelling }) {
      lower(
        to: .medium,
        "notes that swell are placed at the middle of the swell, not at its first sound")
    }
    report.confidence = confidence
  }
}
