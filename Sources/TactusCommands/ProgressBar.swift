/// A line that grows while a long thing is done; nothing at all where there is no terminal.
struct ProgressBar {
  private let columns: Int
  private var shown = -1

  init(columns: Int) { self.columns = columns }

  /// What to print now; nil where nothing has changed.
  mutating func line(done: Int64, total: Int64) -> String? {
    guard columns >= 12, total > 0 else { return nil }
    let percent = Int(max(0, min(done, total)) * 100 / total)
    guard percent != shown else { return nil }
    shown = percent
    let width = min(columns - 9, 50)
    let full = percent * width / 100
    let bar = String(repeating: "#", count: full) + String(repeating: "-", count: width - full)
    return "\r[\(bar)] \(percent) %"
  }

  /// Takes the line away.
  func clear() -> String { shown < 0 ? "" : "\r\u{1B}[K" }
}

/// Lengths of time for people: `1:30.000`.
enum TimeText {
  static func text(milliseconds: Int64) -> String {
    func padded(_ value: Int64, _ digits: Int) -> String {
      let text = "\(value)"
      return String(repeating: "0", count: max(0, digits - text.count)) + text
    }
    let seconds = milliseconds / 1000
    let tail = "\(padded(seconds % 60, 2)).\(padded(milliseconds % 1000, 3))"
    guard seconds >= 3600 else { return "\(seconds / 60):\(tail)" }
    return "\(seconds / 3600):\(padded(seconds / 60 % 60, 2)):\(tail)"
  }
}
