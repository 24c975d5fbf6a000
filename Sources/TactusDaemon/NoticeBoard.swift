internal import RealtimeHost
internal import ThreadCrossing

/// Lines for the person, left by the device thread, which has no say of its own, and read by the
/// control thread.
///
/// - Thread: `put` from one thread; `take` from the control thread. Where more come than a person
///   could read, the oldest stay and the rest is counted.
final class NoticeBoard: Sendable {
  struct Notice: Sendable {
    var text: String
    var isWarning: Bool
  }

  private let notices = ParcelQueue<Notice>(capacity: 128)
  private let wakeUp: WakeUp

  init(wakeUp: WakeUp) { self.wakeUp = wakeUp }

  /// Lines that found no room.
  var lost: Int { notices.refused }

  func put(_ text: String, isWarning: Bool) {
    // A line that finds no room is counted by the queue.
    _ = notices.push(Notice(text: text, isWarning: isWarning))
    wakeUp.signal()
  }

  func take() -> Notice? { notices.pop() }
}
