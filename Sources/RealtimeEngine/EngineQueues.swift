public import ThreadCrossing

/// The queues at the edge of the audio thread.
///
/// Both directions hold every item; when one is full the push is refused, counted and reported by
/// the daemon, never silent.
///
/// - Thread: the audio thread is the consumer of `commands` and the producer of the others.
@safe public final class EngineQueues: @unchecked Sendable {
  /// From the conductor.
  public let commands: SPSCQueue<EngineCommand>
  /// Every fact, to the conductor's thread.
  public let events: SPSCQueue<EngineEvent>
  /// Pulses, beats and transport only, to the MIDI thread.
  public let clockEvents: SPSCQueue<EngineEvent>
  fileprivate let newsCount: UnsafeMutablePointer<Int>

  public init(commandCapacity: Int = 512, eventCapacity: Int = 8192) {
    commands = SPSCQueue(capacity: commandCapacity)
    events = SPSCQueue(capacity: eventCapacity)
    clockEvents = SPSCQueue(capacity: eventCapacity)
    unsafe newsCount = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    unsafe newsCount.initialize(to: 0)
  }

  deinit { unsafe newsCount.deallocate() }

  /// Facts other than pulses that were announced so far: those that somebody must act on soon.
  /// Pulses come many a beat and long before they are due.
  ///
  /// - Thread: audio
  public var news: Int { unsafe newsCount.pointee }
}

/// Where the engine announces: the producer's ends of both event queues.
@safe struct EventOutlet: @unchecked Sendable, BitwiseCopyable {
  let events: SPSCQueueEnds<EngineEvent>
  let clockEvents: SPSCQueueEnds<EngineEvent>
  private let newsCount: UnsafeMutablePointer<Int>

  init(_ queues: EngineQueues) {
    events = queues.events.ends
    clockEvents = queues.clockEvents.ends
    unsafe newsCount = unsafe queues.newsCount
  }

  @_noAllocation @_noLocks
  func announce(_ event: EngineEvent) {
    events.push(event)
    switch event {
    case .pulse:
      clockEvents.push(event)
      return
    case .beat, .started, .continued, .stopped, .jumped, .tempo:
      clockEvents.push(event)
    default:
      break
    }
    unsafe newsCount.pointee &+= 1
  }
}
