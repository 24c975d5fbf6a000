internal import CLinux
internal import LinkSession
internal import MusicalTime
internal import RealtimeHost

/// What `tactus-link` does while the daemon wants it: tells the session our beats at their instants,
/// and the daemon what the session is.
///
/// - Thread: the process's first one
final class LinkLoop {
  enum Ending { case daemonEnded, libraryFailed }

  /// Nanoseconds between two reports where nothing changes: a remeasured clock moves the session's
  /// line without a word of the library's.
  static let reportNanoseconds: Int64 = 100_000_000
  /// Beats that wait at most: two seconds of 999 a minute are 34.
  static let mostBeats = 64

  private let channel: LinkChannel
  private let wakeUp = WakeUp()
  private var library: LinkLibrary?
  private var leading = LinkLeading()
  private var beats: [LinkBeat] = []
  private var quantum = 4.0
  private var reportAt = MonotonicTime.distantPast

  init(channel: LinkChannel) { self.channel = channel }

  func run(signals: Int32) -> Ending {
    while true {
      wait(signals)
      if clinux_signal_next(signals) != 0 { return .daemonEnded }
      let hasNews = wakeUp.drain()
      if let ending = takeOrders() { return ending }
      tellBeats()
      report(atOnce: hasNews)
    }
  }

  private func wait(_ signals: Int32) {
    var polls = [signals, channel.descriptor, wakeUp.descriptor].map {
      clinux_poll(descriptor: $0, wanted: 1, came: 0)
    }
    var limit = LinkLoop.reportNanoseconds
    let now = MonotonicClock.now()
    for deadline in [beats.first?.at, library == nil ? nil : reportAt] {
      guard let deadline else { continue }
      limit = min(limit, max(0, deadline.nanoseconds(since: now)))
    }
    unsafe polls.withUnsafeMutableBufferPointer { buffer in
      _ = unsafe clinux_wait(buffer.baseAddress, Int32(buffer.count), limit)
    }
  }

  private func takeOrders() -> Ending? {
    while true {
      switch channel.receive() {
      case .none: return nil
      case .ended: return .daemonEnded
      case .message(let words):
        guard let order = LinkOrder(words) else { continue }
        guard obey(order) else { return .libraryFailed }
      }
    }
  }

  /// - Returns: false where the library fails.
  private func obey(_ order: LinkOrder) -> Bool {
    switch order {
    case .settings(let settings):
      if library == nil {
        library = LinkLibrary(
          quarterMicroseconds: settings.quarterMicroseconds, eventDescriptor: wakeUp.descriptor)
      }
      quantum = settings.quantum
      return library?.share(playing: settings.sharesPlaying) ?? false
    case .beat(let beat):
      if beats.count >= LinkLoop.mostBeats { beats.removeFirst() }
      let place = beats.lastIndex { $0.at <= beat.at }.map { $0 + 1 } ?? 0
      beats.insert(beat, at: place)
    case .cancel:
      beats.removeAll()
    case .tempo(let length, let claim):
      guard let library else { return true }
      let now = MonotonicClock.now()
      let view = library.view(at: now, quantum: quantum)
      let (change, takeOver) = leading.take(tempo: length, claim, view)
      if let length = change?.quarterMicroseconds {
        library.tell(quarterMicroseconds: length, at: now)
      }
      if let takeOver { channel.send(LinkReport.putBack(takeOver).message) }
    case .playing(let isOn, let time):
      library?.tell(playing: isOn, at: time)
    }
    return true
  }

  /// Each beat at its instant: a session has one line only, and what is told ahead holds at once.
  private func tellBeats() {
    guard let library else { return }
    while let beat = beats.first, beat.at <= MonotonicClock.now() {
      beats.removeFirst()
      let view = library.view(at: beat.at, quantum: beat.quantum)
      let (change, takeOver) = leading.take(beat, view)
      if let change { library.tell(change, of: beat) }
      if let takeOver { channel.send(LinkReport.putBack(takeOver).message) }
    }
  }

  private func report(atOnce: Bool) {
    guard let library else { return }
    let now = MonotonicClock.now()
    guard atOnce || now >= reportAt else { return }
    reportAt = now.advanced(byNanoseconds: LinkLoop.reportNanoseconds)
    channel.send(LinkReport.session(library.view(at: now, quantum: quantum)).message)
  }
}
