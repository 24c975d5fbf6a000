internal import MusicalTime

/// A clock's measurement as text, as a table for other programs, and as a picture.
///
/// - Thread: any
public struct ClockReport: Sendable {
  public let measurement: ClockMeasurement

  public init(_ measurement: ClockMeasurement) { self.measurement = measurement }

  /// For people: tempo, jitter, what was lost, and the histogram of intervals.
  public func text(bins: Int = 15) -> String {
    guard let figures = measurement.figures() else {
      return "\(measurement.instants.count) pulses: three at least are needed\n"
    }
    let stretches = measurement.stretches()
    var lines: [String] = []
    if stretches.count > 1 {
      lines.append(
        "the tempo changed \(stretches.count == 2 ? "once" : "\(stretches.count - 1) times"); each stretch by itself:"
      )
      for stretch in stretches {
        lines.append(
          "from \(Self.decimals(stretch.start, 3)) s to \(Self.decimals(stretch.end, 3)) s")
        guard let part = stretch.measurement.figures() else {
          lines.append("  \(stretch.measurement.instants.count) pulses: too few to measure")
          continue
        }
        lines += Self.lines(part, stretch.measurement).map { "  " + $0 }
      }
    } else {
      lines = Self.lines(figures, measurement)
    }
    let histogram = measurement.histogram(bins: bins)
    let highest = max(histogram.map(\.count).max() ?? 1, 1)
    for bin in histogram {
      // At least one mark where there is anything.
      let length = bin.count == 0 ? 0 : max(bin.count * 50 / highest, 1)
      lines.append(
        Self.padded(Self.decimals(bin.from / 1e6, 4), 12) + " ms "
          + Self.padded("\(bin.count)", 8) + " " + String(repeating: "#", count: length))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func lines(_ figures: ClockFigures, _ measurement: ClockMeasurement) -> [String] {
    var lines = [
      "pulses    \(figures.pulses), lost \(figures.lost), doubled \(figures.doubled)",
      "tempo     \(decimals(figures.tempo, 4)) quarter notes a minute"
        + (figures.tempoErrorPPM.map { ", error \(decimals($0, 2)) ppm" } ?? ""),
      "interval  " + spread(figures.intervals, 1e6, "ms", 4),
      "jitter    " + spread(figures.jitter, 1e3, "us", 1) + " (distance from the fitted line)",
    ]
    if let offset = figures.clickOffset {
      lines.append(
        "to click  " + spread(offset, 1e3, "us", 1) + " (the nearest pulse after the click; "
          + "\(measurement.clickOffsets.count) clicks)")
    }
    return lines
  }

  /// One line for each pulse: number, seconds since the first, interval in ms, and for the pulse
  /// nearest to a click how much later than the click it came.
  public func csv() -> String {
    var text = "pulse,seconds,interval_ms,after_click_us\n"
    guard let first = measurement.instants.first else { return text }
    var offsets = measurement.clickOffsets[...]
    var previous: MonotonicTime?
    for (index, instant) in measurement.instants.enumerated() {
      let seconds = Self.decimals(Double(instant.nanoseconds(since: first)) / 1e9, 9)
      let interval =
        previous.map { Self.decimals(Double(instant.nanoseconds(since: $0)) / 1e6, 6) } ?? ""
      var afterClick = ""
      while let offset = offsets.first, offset.pulse <= index {
        if offset.pulse == index { afterClick = Self.decimals(Double(offset.nanoseconds) / 1e3, 3) }
        offsets.removeFirst()
      }
      text += "\(index),\(seconds),\(interval),\(afterClick)\n"
      previous = instant
    }
    return text
  }

  /// The histogram of intervals as bars; with clicks, their offsets over time below it.
  public func svg(bins: Int = 60) -> String {
    let (width, height, margin) = (720, 320, 40)
    let offsets = clickPoints(width: width, top: height, margin: margin)
    let whole = offsets.isEmpty ? height : height * 2
    let histogram = measurement.histogram(bins: bins)
    let highest = max(histogram.map(\.count).max() ?? 1, 1)
    var text =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(width)\" height=\"\(whole)\" "
      + "viewBox=\"0 0 \(width) \(whole)\" font-family=\"sans-serif\" font-size=\"12\">\n"
      + "<rect width=\"\(width)\" height=\"\(whole)\" fill=\"white\"/>\n"
    let room = Double(width - 2 * margin)
    let step = room / Double(max(histogram.count, 1))
    for (index, bin) in histogram.enumerated() where bin.count > 0 {
      let tall = max(Double(height - 2 * margin) * Double(bin.count) / Double(highest), 1)
      text +=
        "<rect x=\"\(Self.decimals(Double(margin) + step * Double(index), 2))\" "
        + "y=\"\(Self.decimals(Double(height - margin) - tall, 2))\" "
        + "width=\"\(Self.decimals(max(step - 1, 1), 2))\" "
        + "height=\"\(Self.decimals(tall, 2))\" fill=\"steelblue\"/>\n"
    }
    text += "<path d=\"M\(margin) \(height - margin)H\(width - margin)\" stroke=\"black\"/>\n"
    let bottom = height - margin + 16
    if let least = histogram.first?.from {
      let most = measurement.figures()?.intervals.most ?? least
      text +=
        "<text x=\"\(margin)\" y=\"\(bottom)\">\(Self.decimals(least / 1e6, 4)) ms</text>\n"
        + "<text x=\"\(width - margin)\" y=\"\(bottom)\" text-anchor=\"end\">"
        + "\(Self.decimals(most / 1e6, 4)) ms</text>\n"
    }
    if let figures = measurement.figures() {
      text +=
        "<text x=\"\(margin)\" y=\"24\">\(figures.pulses) pulses at "
        + "\(Self.decimals(figures.tempo, 3)) a minute, jitter p99 "
        + "\(Self.decimals(figures.jitter.p99 / 1e3, 1)) us, max "
        + "\(Self.decimals(figures.jitter.most / 1e3, 1)) us, lost \(figures.lost), doubled "
        + "\(figures.doubled)</text>\n"
    }
    return text + offsets + "</svg>\n"
  }

  /// A point for each click: how much later than it the nearest pulse came.
  private func clickPoints(width: Int, top: Int, margin: Int) -> String {
    let offsets = measurement.clickOffsets
    guard let spread = measurement.figures()?.clickOffset, let first = measurement.instants.first,
      let last = measurement.instants.last
    else { return "" }
    // Whole microseconds, and room for a clock that never varies.
    let low = (spread.least / 1e3).rounded(.down) - 1
    let high = (spread.most / 1e3).rounded(.up) + 1
    let span = max(Double(last.nanoseconds(since: first)), 1)
    let bottom = top * 2 - margin
    let tall = Double(top - 2 * margin)
    var text =
      "<text x=\"\(margin)\" y=\"\(top + 24)\">\(offsets.count) clicks: the nearest pulse after "
      + "the click, p50 \(Self.decimals(spread.p50 / 1e3, 1)) us, p99 "
      + "\(Self.decimals(spread.p99 / 1e3, 1)) us</text>\n"
      + "<path d=\"M\(margin) \(top + margin)V\(bottom)H\(width - margin)\" fill=\"none\" "
      + "stroke=\"black\"/>\n"
      + "<text x=\"4\" y=\"\(top + margin)\">\(Self.decimals(high, 0)) us</text>\n"
      + "<text x=\"4\" y=\"\(bottom)\">\(Self.decimals(low, 0)) us</text>\n"
    for offset in offsets {
      let at = Double(measurement.instants[offset.pulse].nanoseconds(since: first)) / span
      let x = Double(margin) + at * Double(width - 2 * margin)
      let y = Double(bottom) - (Double(offset.nanoseconds) / 1e3 - low) / (high - low) * tall
      text +=
        "<circle cx=\"\(Self.decimals(x, 2))\" cy=\"\(Self.decimals(y, 2))\" r=\"2\" "
        + "fill=\"firebrick\"/>\n"
    }
    return text
  }

  private static func spread(
    _ spread: Spread, _ unit: Double, _ name: String, _ places: Int
  ) -> String {
    let parts: [(String, Double)] = [
      ("min", spread.least), ("p50", spread.p50), ("p99", spread.p99),
      ("p99.9", spread.permille999), ("max", spread.most),
    ]
    return parts.map { "\($0) \(decimals($1 / unit, places))" }.joined(separator: ", ")
      + " \(name)"
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(width - text.count, 0)) + text
  }

  /// A number with so many decimals, rounded half away from zero; `-` where it is none.
  static func decimals(_ value: Double, _ places: Int) -> String {
    var scale = 1.0
    for _ in 0..<places { scale *= 10 }
    let scaled = (abs(value) * scale).rounded(.toNearestOrAwayFromZero)
    guard scaled.isFinite, scaled < 9e15 else { return "-" }
    let whole = Int64(scaled)
    let sign = value < 0 && whole > 0 ? "-" : ""
    guard places > 0 else { return "\(sign)\(whole)" }
    let digits = String(whole)
    let filled = String(repeating: "0", count: max(places + 1 - digits.count, 0)) + digits
    return sign + filled.dropLast(places) + "." + filled.suffix(places)
  }
}
