/// The notes of a take as a picture (SVG): bars from left to right, early below, late above.
///
/// - Thread: any
public enum TimingPicture {
  private static let left = 60.0
  private static let width = 860.0
  private static let top = 40.0
  private static let height = 320.0
  private static let colours = ["#06c", "#c60", "#080", "#808", "#088", "#880", "#444", "#c06"]

  public static func svg(_ report: TimingReport) -> String {
    var text =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(n(left + width + 20))\" "
      + "height=\"\(n(top + height + 60))\" font-family=\"sans-serif\" font-size=\"12\">\n"
    text += "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    text += "<text x=\"\(n(left))\" y=\"20\">\(report.lines.first ?? "")</text>\n"
    guard let first = report.notes.map(\.bar).min(), let last = report.notes.map(\.bar).max() else {
      return text + "</svg>\n"
    }
    // At least 10 ms either way, so that a steady player looks steady.
    let most = max(10, report.notes.map { abs($0.offsetMilliseconds) }.max() ?? 10)
    let beats = Double(report.notes.map(\.beat).max() ?? 1)
    func x(_ bar: Double) -> Double {
      left + width * (bar - Double(first)) / Double(last - first + 1)
    }
    func y(_ milliseconds: Double) -> Double { top + height / 2 * (1 - milliseconds / most) }
    for share in [-1.0, -0.5, 0, 0.5, 1] {
      let line = y(share * most)
      text +=
        "<path d=\"M\(n(left)) \(n(line))H\(n(left + width))\" "
        + "stroke=\"\(share == 0 ? "#000" : "#ddd")\"/>\n"
      text +=
        "<text x=\"\(n(left - 6))\" y=\"\(n(line + 4))\" text-anchor=\"end\">"
        + "\(ReportNumber.signed(share * most, 0)) ms</text>\n"
    }
    let step = max(1, (last - first + 1) / 16)
    for bar in stride(from: first, through: last, by: step) {
      text +=
        "<text x=\"\(n(x(Double(bar))))\" y=\"\(n(top + height + 18))\">\(bar)</text>\n"
    }
    text +=
      "<text x=\"\(n(left))\" y=\"\(n(top + height + 40))\">bar; late is above the line, early "
      + "below; a colour for each beat</text>\n"
    for note in report.notes {
      let place = Double(note.bar) + (Double(note.beat - 1) + 0.5) / beats
      let colour = colours[(note.beat - 1) % colours.count]
      text +=
        "<circle cx=\"\(n(x(place)))\" cy=\"\(n(y(note.offsetMilliseconds)))\" r=\"3\" "
        + "fill=\"\(note.sub == 0 ? colour : "none")\" stroke=\"\(colour)\"/>\n"
    }
    return text + "</svg>\n"
  }

  private static func n(_ value: Double) -> String { ReportNumber.text(value, 1) }
}
