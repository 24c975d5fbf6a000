internal import RealtimeHost
internal import Synchronization

/// Lines for the person, left by threads of the daemon that have no say of their own (the device
/// thread), and read by the control thread.
///
/// Words are not facts of the music, so a lock is good enough: no thread that must be on time ever
/// comes here.
///
/// - Thread: any
final class NoticeBoard: Sendable {
  struct Notice: Sendable {
    var text: String
    var isWarning: Bool
  }

  // More than a person could read; the oldest stay.
  private static let capacity = 100
  private let notices = Mutex<[Notice]>([])
  private let wakeUp: WakeUp

  init(wakeUp: WakeUp) { self.wakeUp = wakeUp }

  func put(_ text: String, isWarning: Bool) {
    notices.withLock { list in
      if list.count < NoticeBoard.capacity { list.append(Notice(text: text, isWarning: isWarning)) }
    }
    wakeUp.signal()
  }

  func take() -> [Notice] {
    notices.withLock { list in
      let taken = list
      list.removeAll()
      return taken
    }
  }
}
