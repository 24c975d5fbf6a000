import Sweeps

/// The correlation of every sweep as a picture (SVG): one row a sweep, the accepted peaks marked.
///
/// - Thread: any
public enum CalibrationPicture {
  private static let left = 60.0
  private static let width = 800.0
  private static let rowHeight = 28.0
  private static let top = 48.0

  /// - Parameter spacingSeconds: of the sweeps, which is the width of the picture in time.
  public static func svg(_ result: CalibrationResult, spacingSeconds: Double) -> String {
    let height = top + rowHeight * Double(result.sweeps.count) + 40
    var text =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(n(left + width + 20))\" "
      + "height=\"\(n(height))\" font-family=\"sans-serif\" font-size=\"12\">\n"
    text += "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    text += "<text x=\"\(n(left))\" y=\"20\">\(result.headline)"
    if let milliseconds = result.latencyMilliseconds {
      text += ", round trip \(CalibrationText.number(milliseconds, 3)) ms"
    }
    text += "</text>\n"
    let bottom = top + rowHeight * Double(result.sweeps.count)
    for tick in 0...10 {
      let seconds = SweepSchedule.earliestSeconds + spacingSeconds * Double(tick) / 10
      let x = left + width * Double(tick) / 10
      text += "<path d=\"M\(n(x)) \(n(top))V\(n(bottom))\" stroke=\"#ddd\"/>\n"
      text +=
        "<text x=\"\(n(x))\" y=\"\(n(bottom + 18))\" text-anchor=\"middle\">"
        + "\(CalibrationText.number(seconds * 1_000, 0)) ms</text>\n"
    }
    for (index, sweep) in result.sweeps.enumerated() {
      let base = top + rowHeight * Double(index + 1) - 4
      text +=
        "<text x=\"\(n(left - 8))\" y=\"\(n(base))\" text-anchor=\"end\">\(index + 1)</text>\n"
      let points = sweep.picture.enumerated().map { column, value in
        "\(n(left + width * (Double(column) + 0.5) / Double(sweep.picture.count))),"
          + n(base - Double(value) * (rowHeight - 6))
      }
      text +=
        "<polyline points=\"\(points.joined(separator: " "))\" fill=\"none\" stroke=\"#678\"/>\n"
      guard let sighting = sweep.sighting else { continue }
      let seconds = sighting.lagFrames / result.rate - SweepSchedule.earliestSeconds
      let x = left + width * seconds / spacingSeconds
      let y = base - sighting.correlation * (rowHeight - 6)
      let colour = sweep.isAccepted ? "#080" : "#c00"
      text += "<circle cx=\"\(n(x))\" cy=\"\(n(y))\" r=\"4\" fill=\"\(colour)\"/>\n"
    }
    return text + "</svg>\n"
  }

  private static func n(_ value: Double) -> String { CalibrationText.number(value, 1) }
}
