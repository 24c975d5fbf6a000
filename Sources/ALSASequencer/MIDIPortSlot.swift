internal import MusicalTime
internal import ThreadCrossing

/// A clock port as the MIDI thread holds it.
///
/// - Thread: made on the control thread, then the MIDI thread's until it is retired.
final class MIDIPortSlot {
  let port: UInt8
  var stream: MIDIClockStream
  let published: LatestValue<MIDIClockCounters>
  /// Frames of the pulses that the kernel queue may still hold, to take them back at a Stop.
  var handedOver: FixedRing<FrameIndex>
  var refused: Int64 = 0
  var hasNews = false

  init(
    port: UInt8, stream: MIDIClockStream, published: LatestValue<MIDIClockCounters>
  ) {
    self.port = port
    self.stream = stream
    self.published = published
    // A queue's lookahead of 40 ms holds 16 pulses at 999 quarters a minute.
    handedOver = FixedRing(capacity: 64, filler: FrameIndex(0))
  }

  func publish() {
    guard hasNews else { return }
    hasNews = false
    var counters = stream.counters
    counters.refused += refused
    published.store(counters)
  }
}

/// What the control thread asks of the MIDI thread.
enum MIDIThreadCommand: Sendable, BitwiseCopyable {
  /// A `MIDIPortSlot`, retained.
  case add(slot: UInt8, pointer: UInt)
  case remove(slot: UInt8)
  case configure(slot: UInt8, MIDIStreamSettings)
  case reconnected(slot: UInt8, MIDIDestination)
  case perturb(slot: UInt8, ClockPerturbation?)
  case latency(nanoseconds: Int64)
  /// FC and notes off on every port, then the end.
  case finish
}

/// How messages reach the kernel.
///
/// - Thread: any
@frozen
public enum MIDIPath: UInt8, Sendable, BitwiseCopyable {
  /// The thread waits for each instant and sends unqueued.
  case direct
  /// A kernel queue keeps the instants, because the thread may be late.
  case queue
}

/// What is to be known about the MIDI thread.
///
/// - Thread: any
@frozen
public struct MIDIOutputStatus: Sendable, BitwiseCopyable {
  public var path: MIDIPath = .direct
  /// SCHED_FIFO priority; 0 is the ordinary scheduler.
  public var priority: Int32 = 0
  /// Ticks a second of the kernel queue; 0 where none is used.
  public var queueHertz: Int32 = 0
  /// How much faster than CLOCK_MONOTONIC the queue runs, in parts per thousand million.
  public var queueDriftPPB: Int64 = 0
  /// The largest lateness of a wake-up, in nanoseconds.
  public var largestWakeLateness: Int64 = 0
  /// Page faults of the MIDI thread since it began to play: none, where memory is locked.
  public var pageFaults: Int64 = 0
  public init() {}
}
