internal import CLinux
internal import Glibc
internal import MusicalTime
internal import RealtimeHost

/// Another program that lives as long as this one, and is started again where it ends.
///
/// Starting and reaping are jobs for a worker: a program may come from a slow disk. The control
/// thread waits for its end in poll.
///
/// - Thread: control
struct ChildKeeper {
  /// Nanoseconds to the next start after an end; doubled each time, as what fails at once would be
  /// started without end.
  static let defaultDelay: Int64 = 1_000_000_000
  static let longestDelay: Int64 = 60_000_000_000

  struct Started: Sendable {
    /// Negative: -errno.
    let process: Int32
    let descriptor: Int32
    /// Our end of the socket between us; -1 without one.
    var channel: Int32 = -1
  }

  let arguments: [String]
  /// Readable once the program has ended; -1 while none runs.
  private(set) var descriptor: Int32 = -1
  private var process: Int32 = 0
  private var startedAt = MonotonicTime.distantPast
  private let firstDelay: Int64
  private var delay: Int64
  /// When it is to be started.
  private(set) var startAt: MonotonicTime?
  private var isStarting = false
  private var isReaping = false

  /// Whether it is to run; where not, its end is its last.
  private(set) var isWanted = true

  /// - Parameter firstDelay: nanoseconds.
  init(arguments: [String], firstDelay: Int64 = ChildKeeper.defaultDelay, now: MonotonicTime) {
    self.arguments = arguments
    self.firstDelay = firstDelay
    delay = firstDelay
    startAt = now
  }

  // MARK: on the worker

  static func start(_ arguments: [String]) -> Started {
    let process = unsafe withPointers(to: arguments) { unsafe clinux_spawn($0, nil) }
    return Started(process: process, descriptor: process > 0 ? clinux_pidfd(process) : -1)
  }

  /// - Returns: the exit status; 128 and more for a signal, as a shell says it.
  static func reap(_ process: Int32, _ descriptor: Int32) -> Int32 {
    let status = clinux_reap(process)
    clinux_close(descriptor)
    return status
  }

  /// Starts it with a socket between it and us.
  static func startConnected(_ arguments: [String]) -> Started {
    var channel: Int32 = -1
    let process = unsafe withPointers(to: arguments) { unsafe clinux_spawn_connected($0, &channel) }
    return Started(
      process: process, descriptor: process > 0 ? clinux_pidfd(process) : -1, channel: channel)
  }

  private static func withPointers(
    to arguments: [String], _ body: ([UnsafePointer<CChar>?]) -> Int32
  ) -> Int32 {
    var pointers: [UnsafePointer<CChar>?] = unsafe arguments.map {
      unsafe UnsafePointer(strdup($0))
    }
    unsafe pointers.append(nil)
    defer { unsafe pointers.forEach { unsafe free(UnsafeMutablePointer(mutating: $0)) } }
    return unsafe body(pointers)
  }

  // MARK: on the control thread

  /// Whether to start it now; `hasStarted` follows.
  mutating func takeStart(_ now: MonotonicTime) -> Bool {
    guard let startAt, startAt <= now else { return false }
    self.startAt = nil
    isStarting = true
    return true
  }

  /// - Returns: what went wrong, in words.
  mutating func hasStarted(_ started: Started, now: MonotonicTime) -> String? {
    startedAt = now
    isStarting = false
    guard started.process > 0 else {
      return "cannot be started (errno \(-started.process))" + later(now)
    }
    process = started.process
    descriptor = started.descriptor
    return nil
  }

  /// Whether it has ended and is to be reaped; `hasEnded` follows.
  mutating func takeEnd() -> (process: Int32, descriptor: Int32)? {
    guard descriptor >= 0, !isReaping else { return nil }
    var end = clinux_poll(descriptor: descriptor, wanted: 1, came: 0)
    guard unsafe clinux_wait(&end, 1, 0) > 0 else { return nil }
    isReaping = true
    defer { descriptor = -1 }
    return (process, descriptor)
  }

  mutating func hasEnded(status: Int32, now: MonotonicTime) -> String {
    isReaping = false
    process = 0
    // One that lived for a while has a reason of its own to end.
    if now.nanoseconds(since: startedAt) >= ChildKeeper.longestDelay {
      delay = firstDelay
    }
    return "has ended with \(status)" + later(now)
  }

  /// The worker has no room: once more later.
  mutating func putOff(_ now: MonotonicTime) {
    isStarting = false
    _ = later(now)
  }

  /// Its end is to be its last; ending it is the caller's.
  mutating func release() {
    isWanted = false
    startAt = nil
  }

  /// Whether it runs, or is being started: there will be an end to reap.
  var isRunning: Bool { process > 0 || isStarting }

  /// For one that does not answer: its end comes as any other does.
  func kill() { if process > 0, descriptor >= 0 { _ = Glibc.kill(process, SIGKILL) } }

  private mutating func later(_ now: MonotonicTime) -> String {
    guard isWanted else { return "" }
    startAt = now.advanced(byNanoseconds: delay)
    defer { delay = min(delay * 2, ChildKeeper.longestDelay) }
    let seconds = ThousandthsText.text(delay / 1_000_000)
    return ": it is started again in \(seconds) s"
  }
}

extension ControlThread {
  /// Starts the child where it is due, and reaps it where it has ended.
  func serveChild() {
    let now = MonotonicClock.now()
    if child?.takeStart(now) == true, let arguments = child?.arguments {
      let isTaken = workshop.files.submit {
        let started = ChildKeeper.start(arguments)
        return .done { control in
          let problem = control.child?.hasStarted(started, now: MonotonicClock.now())
          if let problem { control.report(child: problem) }
        }
      }
      if !isTaken { child?.putOff(now) }
    }
    if let (process, descriptor) = child?.takeEnd() {
      // As many starts as ends: there is room for it, or the next turn finds some.
      let isTaken = workshop.files.submit {
        let status = ChildKeeper.reap(process, descriptor)
        return .done { control in
          let text = control.child?.hasEnded(status: status, now: MonotonicClock.now())
          if let text { control.report(child: text) }
        }
      }
      if !isTaken { child?.hasNotBeenReaped(descriptor) }
    }
  }

  private func report(child text: String) {
    say("\(child?.arguments.first ?? "a program") \(text)", isWarning: true)
  }
}

extension ChildKeeper {
  /// The worker had no room: it is asked again in the next turn.
  mutating func hasNotBeenReaped(_ descriptor: Int32) {
    self.descriptor = descriptor
    isReaping = false
  }
}
