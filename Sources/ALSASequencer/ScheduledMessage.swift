public import MusicalTime

/// A message that waits in a port's queue for the instant of its frame.
struct ScheduledMessage: Sendable, BitwiseCopyable {
  enum Anchor: UInt8, Sendable, BitwiseCopyable {
    /// Due at the frame's instant plus `shift`.
    case frame
    /// Due as soon as it is at the head of the queue.
    case immediate
  }

  var message: MIDIMessage
  var destination: MIDIDestination
  var anchor: Anchor
  /// Decides the instant, and whether a Stop voids it.
  var frame: FrameIndex
  /// Nanoseconds from the frame's instant: the port's offset less any lead.
  var shift: Int64
  /// Frames since the pulse before it in the same run; 0 for the first.
  var gap: Int64
  /// Pulses in the song, for what must know where it is.
  var songPulse: Int64

  static var filler: ScheduledMessage {
    ScheduledMessage(
      message: .clock, destination: .subscribers, anchor: .frame, frame: FrameIndex(0), shift: 0,
      gap: 0, songPulse: 0)
  }

  var isClock: Bool {
    if case .clock = message { return true }
    return false
  }

  var isStop: Bool {
    if case .stop = message { return true }
    return false
  }

  /// When it would leave if nothing before it were late.
  func due(_ clock: FrameClock) -> MonotonicTime {
    switch anchor {
    case .frame: clock.time(of: frame).advanced(byNanoseconds: shift)
    case .immediate: .distantPast
    }
  }
}

/// A message with the instant at which it is due.
public struct TimedMIDIMessage: Sendable, BitwiseCopyable {
  public var message: MIDIMessage
  public var destination: MIDIDestination
  /// `.distantPast` is at once.
  public var due: MonotonicTime
  /// The pulse, beat or stop that it belongs to.
  public var frame: FrameIndex
}

/// What a clock port has sent and not sent since it was made.
///
/// - Thread: any
@frozen
public struct MIDIClockCounters: Sendable, BitwiseCopyable {
  public var pulses: Int64 = 0
  /// Pulses that left a millisecond or more after their instant.
  public var latePulses: Int64 = 0
  /// Pulses that were too many to be sent late.
  public var droppedPulses: Int64 = 0
  public var starts: Int64 = 0
  public var continues: Int64 = 0
  public var stops: Int64 = 0
  public var songPositions: Int64 = 0
  /// F2 that was not sent because the place is over 16383 MIDI beats.
  public var songPositionsOmitted: Int64 = 0
  public var notes: Int64 = 0
  /// Beat notes that came too late to make sense.
  public var droppedNotes: Int64 = 0
  /// The largest lateness of a pulse, in nanoseconds.
  public var largestLateness: Int64 = 0
  /// When the newest pulse left, in nanoseconds of CLOCK_MONOTONIC.
  public var newestPulse: Int64 = 0
  /// Messages the system refused to take.
  public var refused: Int64 = 0
  public init() {}
}
