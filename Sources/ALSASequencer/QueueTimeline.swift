internal import MusicalTime
internal import RealtimeHost

/// Where a kernel queue stands against CLOCK_MONOTONIC.
///
/// The queue counts the ticks of its own timer; its rate is measured, not believed. A value: both
/// times are arguments.
struct QueueTimeline: Sendable, BitwiseCopyable {
  private var first: (mono: Int64, queue: Int64)?
  private var anchor: (mono: Int64, queue: Int64) = (0, 0)
  /// Queue nanoseconds per 2^40 monotonic nanoseconds, less 2^40.
  private var drift: Int64 = 0

  private var observations = 0

  private static let scale: Int64 = 1 << 40
  /// More than this between two readings, in nanoseconds, and a thousandth of the time between
  /// them, is no drift.
  private static let step: Int64 = 100_000
  /// Over less than this the width of a reading would pass for a drift.
  private static let baseline: Int64 = 2_000_000_000

  /// Takes in that the queue stood at `queue` at `mono`.
  ///
  /// A queue whose timer is shared steps by up to one tick when it starts, and again when others
  /// start or end: after a step the line begins anew.
  ///
  /// - Parameter width: nanoseconds within which the reading was made.
  mutating func observe(queue: Int64, mono: MonotonicTime, width: Int64 = 0) {
    let seen = (mono: mono.nanoseconds, queue: queue)
    observations += 1
    let error = queue &- queueTime(at: mono)
    let allowed = QueueTimeline.step &+ width &+ abs(seen.mono &- anchor.mono) / 1000
    guard let first, abs(error) <= allowed else {
      self.first = seen
      anchor = seen
      return
    }
    let passed = seen.mono &- first.mono
    if passed >= QueueTimeline.baseline {
      let ahead = Int128(seen.queue &- first.queue) - Int128(passed)
      drift = Int64(truncatingIfNeeded: ahead * Int128(QueueTimeline.scale) / Int128(passed))
    }
    anchor = seen
  }

  /// How long from one reading to the next, in nanoseconds: soon at first, because of the step.
  var observationInterval: Int64 { observations < 8 ? 25_000_000 : 500_000_000 }

  /// The queue's reading at an instant.
  func queueTime(at mono: MonotonicTime) -> Int64 {
    let passed = mono.nanoseconds &- anchor.mono
    let correction = Int128(passed) * Int128(drift) / Int128(QueueTimeline.scale)
    return anchor.queue &+ passed &+ Int64(truncatingIfNeeded: correction)
  }

  /// The instant of a reading.
  func mono(at queueTime: Int64) -> MonotonicTime {
    let passed = queueTime &- anchor.queue
    let correction =
      Int128(passed) * Int128(drift) / Int128(QueueTimeline.scale + drift)
    return MonotonicTime(
      nanoseconds: anchor.mono &+ passed &- Int64(truncatingIfNeeded: correction))
  }

  /// How much faster than CLOCK_MONOTONIC the queue runs, in parts per thousand million.
  var driftPPB: Int64 {
    Int64(truncatingIfNeeded: Int128(drift) * 1_000_000_000 / Int128(QueueTimeline.scale))
  }
}

/// A running kernel queue.
///
/// - Thread: made on the control thread; `observe` by one thread.
final class SequencerQueue: Sendable {
  let number: Int32
  /// Ticks a second that its timer was granted.
  let resolutionHertz: Int32
  private let handle: SequencerHandle

  /// The kernel's sequencer runs its timer at 6250 Hz at most.
  static let finestHertz: UInt32 = 6250

  /// - Parameter hertz: ticks a second; what is read or stamped is finer than a tick.
  init(
    _ handle: SequencerHandle, name: String, hertz: UInt32 = SequencerQueue.finestHertz
  ) throws(SequencerError) {
    let library = handle.library
    let created = library.createQueue(name: name)
    guard created >= 0 else {
      throw SequencerError(call: "snd_seq_alloc_queue", code: -created, subject: "MIDI queue")
    }
    let granted = library.setQueueResolution(created, hertz: hertz)
    let started = library.startQueue(created)
    guard started >= 0 else {
      _ = library.freeQueue(created)
      throw SequencerError(call: "snd_seq_start_queue", code: -started, subject: "MIDI queue")
    }
    self.handle = handle
    number = created
    // The kernel's own default is 1000 Hz.
    resolutionHertz = granted > 0 ? granted : 1000
  }

  deinit { _ = handle.library.freeQueue(number) }

  private static let widestReading: Int64 = 500_000

  /// Reads the queue between two looks at the clock and keeps the closest of a few readings.
  func observe(_ timeline: inout QueueTimeline) {
    var best = Int64.max
    var reading: (queue: Int64, mono: Int64)?
    for _ in 0..<4 {
      let before = MonotonicClock.now()
      let queue = handle.library.queueTime(number)
      let width = MonotonicClock.now().nanoseconds(since: before)
      guard queue >= 0, width < best else { continue }
      best = width
      reading = (queue, before.nanoseconds &+ width / 2)
    }
    // A reading that was interrupted says nothing.
    guard let reading, best <= SequencerQueue.widestReading else { return }
    timeline.observe(
      queue: reading.queue, mono: MonotonicTime(nanoseconds: reading.mono), width: best)
  }
}
