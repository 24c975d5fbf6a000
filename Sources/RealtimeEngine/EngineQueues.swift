public import MusicalTime
public import ThreadCrossing

/// The queues at the edge of the audio thread.
///
/// Both directions hold every item; when one is full the push is refused, counted and reported by
/// the daemon, never silent.
///
/// - Thread: the audio thread is the consumer of `commands` and the producer of the others.
@safe public final class EngineQueues: @unchecked Sendable {
  /// From the conductor; see `send`.
  public let commands: SPSCQueue<EngineCommand>
  /// The lane of Stop, panic and mute, which pass what waits or is held.
  public let urgentCommands: SPSCQueue<EngineCommand>
  /// Every fact, to the conductor's thread.
  public let events: SPSCQueue<EngineEvent>
  /// Pulses, beats and transport only, to the MIDI thread.
  public let clockEvents: SPSCQueue<EngineEvent>
  /// What is true at the end of the latest block, for the conductor's thread.
  public let status = LatestValue(EngineStatus())
  fileprivate let counts: UnsafeMutablePointer<FactCounts>

  public init(commandCapacity: Int = 512, eventCapacity: Int = 8192) {
    commands = SPSCQueue(capacity: commandCapacity)
    urgentCommands = SPSCQueue(capacity: commandCapacity)
    events = SPSCQueue(capacity: eventCapacity)
    clockEvents = SPSCQueue(capacity: eventCapacity)
    unsafe counts = UnsafeMutablePointer<FactCounts>.allocate(capacity: 1)
    unsafe counts.initialize(to: FactCounts())
  }

  deinit { unsafe counts.deallocate() }

  /// Sends a command on its lane.
  ///
  /// - Returns: false, and counts, where the lane is full.
  /// - Thread: control
  public func send(_ command: EngineCommand) -> Bool {
    command.isUrgent ? urgentCommands.push(command) : commands.push(command)
  }

  /// Whether a command waits that can be taken at a frame, for whoever drives the engine.
  ///
  /// - Thread: audio
  public func hasCommand(dueBy frame: FrameIndex) -> Bool {
    if let command = urgentCommands.peek(), command.notBefore <= frame { return true }
    guard let command = commands.peek() else { return false }
    return command.notBefore <= frame
  }

  /// Counts what somebody must act on soon: facts other than pulses, and the end of the music.
  /// Pulses come many a beat and long before they are due.
  ///
  /// - Thread: audio
  public var news: Int { unsafe counts.pointee.news }
}

/// Facts that the engine made.
struct FactCounts {
  var news = 0
  var made: Int64 = 0
  /// Of those, the ones that found room in the queue to the conductor.
  var queued: Int64 = 0
  /// What is due within is over before anybody could act on it.
  var quietFrom = FrameIndex.distantPast
  var quietUntil = FrameIndex.distantPast
}

/// Where the engine announces: the producer's ends of both event queues and of the status.
@safe struct EventOutlet: @unchecked Sendable, BitwiseCopyable {
  private let events: SPSCQueueEnds<EngineEvent>
  private let clockEvents: SPSCQueueEnds<EngineEvent>
  private let status: LatestValueWriter<EngineStatus>
  private let counts: UnsafeMutablePointer<FactCounts>

  init(_ queues: EngineQueues) {
    events = queues.events.ends
    clockEvents = queues.clockEvents.ends
    status = queues.status.writer
    unsafe counts = unsafe queues.counts
  }

  @_noAllocation @_noLocks
  func announce(_ event: EngineEvent) {
    unsafe counts.pointee.made &+= 1
    if isQuiet(event) { return }
    // What finds no room is missing from the count, which tells the conductor.
    if events.push(event) { unsafe counts.pointee.queued &+= 1 }
    switch event {
    case .pulse:
      clockEvents.push(event)
      return
    case .beat, .started, .continued, .stopped, .jumped, .tempo:
      clockEvents.push(event)
    default:
      break
    }
    noteNews()
  }

  /// Tells the consumer of pulses that the frames of what it has are of the old length.
  @_noAllocation @_noLocks
  func announce(epoch: EpochEvent) {
    clockEvents.push(.epoch(epoch))
    noteNews()
  }

  /// Nothing is announced of what is due in a long hole but what changes the transport and what
  /// answers: the status tells the rest.
  @_noAllocation @_noLocks
  private func isQuiet(_ event: EngineEvent) -> Bool {
    let until = unsafe counts.pointee.quietUntil
    guard until.value != FrameIndex.distantPast.value else { return false }
    let frame: FrameIndex
    switch event {
    case .pulse(let fact): frame = fact.frame
    case .beat(let fact): frame = fact.frame
    case .click(let fact): frame = fact.frame
    case .tempo(let fact): frame = fact.frame
    case .meter(let fact): frame = fact.frame
    case .jumped(let fact): frame = fact.frame
    case .section(let fact): frame = fact.frame
    case .trainer(let fact): frame = fact.frame
    default: return false
    }
    return unsafe frame < until && frame >= counts.pointee.quietFrom
  }

  /// Until `endQuiet` nothing is announced of what is due in between.
  @_noAllocation @_noLocks
  func beQuiet(from: FrameIndex, until: FrameIndex) {
    unsafe counts.pointee.quietFrom = from
    unsafe counts.pointee.quietUntil = until
  }

  @_noAllocation @_noLocks
  func endQuiet() { unsafe counts.pointee.quietUntil = .distantPast }

  /// Something that somebody must act on soon.
  @_noAllocation @_noLocks
  func noteNews() { unsafe counts.pointee.news &+= 1 }

  @_noAllocation @_noLocks
  func fill(_ status: inout EngineStatus) {
    unsafe status.factsMade = counts.pointee.made
    unsafe status.factsQueued = counts.pointee.queued
  }

  @_noAllocation @_noLocks
  func publish(_ value: EngineStatus) { status.store(value) }
}
