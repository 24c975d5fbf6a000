public import ThreadCrossing

/// The queues at the edge of the audio thread.
///
/// Both directions hold every item; when one is full the push is refused, counted and reported by
/// the daemon, never silent.
///
/// - Thread: the audio thread is the consumer of `commands` and the producer of the others.
public final class EngineQueues: Sendable {
  /// From the conductor.
  public let commands: SPSCQueue<EngineCommand>
  /// Every fact, to the conductor's thread.
  public let events: SPSCQueue<EngineEvent>
  /// Pulses, beats and transport only, to the MIDI thread.
  public let clockEvents: SPSCQueue<EngineEvent>

  public init(commandCapacity: Int = 512, eventCapacity: Int = 8192) {
    commands = SPSCQueue(capacity: commandCapacity)
    events = SPSCQueue(capacity: eventCapacity)
    clockEvents = SPSCQueue(capacity: eventCapacity)
  }
}

/// Where the engine announces: the producer's ends of both event queues.
@frozen
@usableFromInline struct EventOutlet: Sendable, BitwiseCopyable {
  let events: SPSCQueueEnds<EngineEvent>
  let clockEvents: SPSCQueueEnds<EngineEvent>

  init(_ queues: EngineQueues) {
    events = queues.events.ends
    clockEvents = queues.clockEvents.ends
  }

  @_noAllocation @_noLocks
  func announce(_ event: EngineEvent) {
    events.push(event)
    switch event {
    case .pulse, .beat, .started, .continued, .stopped, .jumped, .tempo:
      clockEvents.push(event)
    default:
      break
    }
  }
}
