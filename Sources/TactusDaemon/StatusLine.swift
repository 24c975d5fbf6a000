internal import CLinux
internal import Glibc
internal import MetronomeModel
internal import RealtimeHost

/// What the daemon says: on a terminal one living line, with news that scroll by above it; on
/// anything else the news alone.
///
/// A terminal that was stopped (Ctrl-S), a pipe that nobody reads and a journal that hangs take
/// nothing for as long as they like. So a worker writes; what it cannot write in time is dropped
/// and counted.
///
/// - Thread: control
struct StatusLine {
  /// Lines on their way at the most: more than a screen.
  private static let capacity = 256

  let isTerminal: Bool
  private let writer: Worker<Void>
  private var shown = ""
  private var reportedLosses = 0

  init(news: WakeUp) {
    isTerminal = clinux_terminal_columns(1) > 0
    writer = Worker(name: "tactus-words", capacity: StatusLine.capacity, news: news)
  }

  /// Lines that nobody took in time.
  var lost: Int { writer.refused }

  /// Prints a line that stays.
  mutating func print(_ text: String, isWarning: Bool = false) {
    takeBack()
    let clears = isTerminal && !shown.isEmpty
    shown = ""
    // Where it finds no room it is counted as lost, and that is said later.
    _ = writer.submit {
      if clears { StatusLine.write("\r\u{1B}[K", to: 1) }
      StatusLine.write(text + "\n", to: isWarning ? 2 : 1)
    }
  }

  /// Redraws the living line where it changed and the last one has been written.
  mutating func show(_ text: @autoclosure () -> String) {
    takeBack()
    guard writer.pending == 0 else { return }
    if writer.refused > reportedLosses {
      let count = writer.refused - reportedLosses
      reportedLosses = writer.refused
      print("tactusd: \(count) lines were lost: the output did not take them", isWarning: true)
    }
    guard isTerminal else { return }
    let line = text()
    guard line != shown else { return }
    let isSent = writer.submit {
      let columns = Int(clinux_terminal_columns(1))
      StatusLine.write("\r\(line.prefix(max(columns - 1, 20)))\u{1B}[K", to: 1)
    }
    if isSent { shown = line }
  }

  /// Leaves the terminal with the cursor on a fresh line.
  ///
  /// - Returns: false while lines are still being written.
  mutating func finish() -> Bool {
    takeBack()
    if isTerminal, !shown.isEmpty {
      shown = ""
      _ = writer.submit { StatusLine.write("\n", to: 1) }
    }
    return writer.pending == 0
  }

  private func takeBack() { while writer.take() != nil {} }

  private static func write(_ text: String, to descriptor: Int32) {
    var text = text
    text.withUTF8 { bytes in
      var sent = 0
      while sent < bytes.count, let base = bytes.baseAddress {
        let count = unsafe Glibc.write(descriptor, base + sent, bytes.count - sent)
        if count < 0, errno == EINTR { continue }
        if count < 0, errno == EAGAIN {
          // Whoever shares it has made it non-blocking.
          var room = clinux_poll(descriptor: descriptor, wanted: 4, came: 0)
          _ = unsafe clinux_wait(&room, 1, -1)
          continue
        }
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
