public import MusicalTime

/// A fact with its frame, announced by the engine ahead of the instant at which it is due.
///
/// Facts leave in score order. An announced fact is not recalled, except by `stopped`, which voids
/// every pulse, click and beat at or after its frame.
///
/// - Thread: made on the audio thread, read by the one consumer of each queue.
@frozen
public enum EngineEvent: Sendable, BitwiseCopyable {
  case pulse(PulseEvent)
  case beat(BeatEvent)
  case click(ClickEvent)
  /// The transport starts: `frame` is beat one of bar 1.
  case started(StartEvent)
  /// The transport resumes: `frame` is that of the first pulse.
  case continued(ContinueEvent)
  /// The transport stops at `frame`; see the type for what it voids.
  case stopped(StopEvent)
  /// A tempo is in force from `frame` on.
  case tempo(TempoEvent)
  /// A meter is in force from the bar line at `frame` on.
  case meter(MeterEvent)
  /// The score position jumps at the bar line at `frame` while pulses run on.
  case jumped(JumpEvent)
  case section(SectionEvent)
  case trainer(TrainerEvent)
  case timer(TimerEvent)
  /// A command was taken; it acts from `frame` on.
  case effective(EffectiveEvent)
  /// A command could not be taken.
  case refused(RefusedEvent)
  /// Frames have another length from `frame` on; only in `EngineQueues.clockEvents`.
  case epoch(EpochEvent)
  /// No voice uses this sound bank any more: its owner may free it.
  case retiredSounds(Int32)
  /// The engine no longer reads this score: its owner may free it.
  case retiredScore(Int32)

  /// The frame at which the fact is due.
  public var frame: FrameIndex {
    switch self {
    case .pulse(let event): event.frame
    case .beat(let event): event.frame
    case .click(let event): event.frame
    case .started(let event): event.frame
    case .continued(let event): event.frame
    case .stopped(let event): event.frame
    case .tempo(let event): event.frame
    case .meter(let event): event.frame
    case .jumped(let event): event.frame
    case .section(let event): event.frame
    case .trainer(let event): event.frame
    case .timer(let event): event.frame
    case .effective(let event): event.frame
    case .refused(let event): event.frame
    case .epoch(let event): event.frame
    case .retiredSounds, .retiredScore: .distantPast
    }
  }
}
