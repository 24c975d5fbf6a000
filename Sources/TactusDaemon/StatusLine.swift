internal import CLinux
internal import Glibc
internal import MetronomeModel

/// The one living line of a daemon on a terminal; news scroll by above it.
///
/// On anything that is not a terminal there is no living line, only the news.
///
/// - Thread: control
struct StatusLine {
  let isTerminal: Bool
  private var shown = ""

  init() { isTerminal = clinux_terminal_columns(1) > 0 }

  /// Prints a line that stays.
  mutating func print(_ text: String, isWarning: Bool = false) {
    if isTerminal, !shown.isEmpty {
      write("\r\u{1B}[K", to: 1)
      shown = ""
    }
    write(text + "\n", to: isWarning ? 2 : 1)
  }

  /// Redraws the living line where it changed.
  mutating func show(_ text: @autoclosure () -> String) {
    guard isTerminal else { return }
    let columns = Int(clinux_terminal_columns(1))
    let line = String(text().prefix(max(columns - 1, 20)))
    guard line != shown else { return }
    write("\r\(line)\u{1B}[K", to: 1)
    shown = line
  }

  /// Leaves the terminal with the cursor on a fresh line.
  mutating func finish() {
    guard isTerminal, !shown.isEmpty else { return }
    write("\n", to: 1)
    shown = ""
  }

  private func write(_ text: String, to descriptor: Int32) {
    var text = text
    text.withUTF8 { bytes in
      var sent = 0
      while sent < bytes.count, let base = bytes.baseAddress {
        let count = unsafe Glibc.write(descriptor, base + sent, bytes.count - sent)
        // A terminal that is gone takes nothing: the music goes on without it.
        guard count > 0 else { return }
        sent += count
      }
    }
  }
}

extension MetronomeState {
  /// Bar, beat and tempo as a musician reads them: `> 3.2  4/4  120`.
  var oneLine: String {
    let mark =
      switch transport {
      case .stopped: "[]"
      case .countingIn: "->"
      case .rolling: isMuted ? "x>" : " >"
      }
    var text = "\(mark) bar \(bar) beat \(beat)  \(meter)  \(tempo)"
    if ramp != nil { text += "  ramp" }
    if let timerMinutes { text += "  timer \(timerMinutes) min" }
    if let preset { text += "  \(preset)" }
    return text
  }
}
