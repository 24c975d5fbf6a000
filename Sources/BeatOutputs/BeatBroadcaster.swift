public import OSCProtocol
public import OSCWire
public import OSCService
public import MusicalTime
public import RealtimeEngine

/// The way out for beats: the OSC server, or a recorder in a test.
///
/// - Thread: control
public protocol BeatOutlet: AnyObject {
  func send(_ bytes: [UInt8], topic: SubscriptionTopics)
  func send(_ bytes: [UInt8], to address: SocketAddress)
  func hasSubscribers(_ topic: SubscriptionTopics) -> Bool
}

extension OSCServer: BeatOutlet {}

/// Tells subscribers of each beat before it is heard, and lamps at the instant itself.
///
/// Subscribers get a time-tagged bundle as soon as the engine announces the beat; targets with a
/// profile get plain messages at the instant plus their offset, never ahead, from the thread of
/// `sender`. What that cannot take, the control thread sends: it waits until `nextDeadline` and
/// calls `service`.
///
/// - Thread: control
public final class BeatBroadcaster {
  /// A cancel and a stop are sent so often, so far apart.
  static let stopCopies = 3
  static let copyNanoseconds: Int64 = 20_000_000
  /// What is later than this is dropped: a flash after the beat is worse than none.
  static let latestNanoseconds: Int64 = 50_000_000
  /// So far ahead phases are made for the sender's thread: half of what beats are announced ahead.
  static let phaseLead: Int64 = 50_000_000

  public let run: Int32
  /// Beats and subdivisions whose instant had passed when the engine told of them; nobody was told.
  public private(set) var overdue = 0
  /// How often each beat is announced, 1 to 5, for networks that lose packets; 20 ms apart.
  public var copies = 1
  public var targets: [ProfileTarget] {
    didSet { phases = targets.map { _ in PhaseRamp() } }
  }
  /// The thread for what is due at an instant.
  public var sender: TimedSender? {
    didSet { punctual = sender }
  }
  var punctual: (any InstantOutlet)?

  private let clock: OSCClock
  private weak var outlet: (any BeatOutlet)?
  private var queue = SendQueue()
  private var own = TimedSenderStatus()
  private var beats = AnnouncedSequence()
  private var subs = AnnouncedSequence()
  private var phases: [PhaseRamp]
  private var pace = BeatPace()

  /// - Parameter run: a random number for each start of the daemon.
  public init(
    outlet: any BeatOutlet, clock: OSCClock = .system, run: Int32, targets: [ProfileTarget] = []
  ) {
    self.outlet = outlet
    self.clock = clock
    self.run = run
    self.targets = targets
    phases = targets.map { _ in PhaseRamp() }
  }

  /// What was sent at an instant, by either thread.
  public var status: TimedSenderStatus {
    var status = sender?.status ?? TimedSenderStatus()
    status.sent += own.sent
    status.dropped += own.dropped
    status.overflowed += queue.overflowed
    status.worstLateness = max(status.worstLateness, own.worstLateness)
    return status
  }

  /// Takes a fact of the engine.
  ///
  /// - Parameter heardAt: when its frame is heard: FrameClock, output latency and the beats'
  ///   offset together.
  public func handle(_ event: EngineEvent, heardAt: MonotonicTime, now: MonotonicTime) {
    switch event {
    case .beat(let beat):
      announce(beat, heardAt, now)
    case .click(let click) where click.source == .subdivision:
      announce(click, heardAt, now)
    case .stopped(let stop):
      cancel(from: stop.frame, now)
    default:
      break
    }
  }

  private func announce(_ event: BeatEvent, _ heardAt: MonotonicTime, _ now: MonotonicTime) {
    let message = BeatMessage(
      event, run: run, sequence: beats.next(event.frame), due: heardAt)
    guard isTimely(heardAt, now) else { return }
    publish(
      message.message(BeatMessage.beatAddress), .beat, heardAt, event.frame, now)
    pace.announce(heardAt, quarterThousandths: event.quarterThousandths)
    guard !targets.isEmpty else { return }
    for target in targets { schedule(message, event.frame, target) }
    punctual?.wake()
  }

  private func announce(_ event: ClickEvent, _ heardAt: MonotonicTime, _ now: MonotonicTime) {
    let message = BeatMessage(event, run: run, sequence: subs.next(event.frame), due: heardAt)
    guard isTimely(heardAt, now) else { return }
    publish(message.message(BeatMessage.subAddress), .sub, heardAt, event.frame, now)
  }

  /// After a break (suspend, a stopped process) beats of the past come all at once: nobody wants
  /// to see them. Their numbers are used up, so that whoever counts knows that they are lost.
  private func isTimely(_ heardAt: MonotonicTime, _ now: MonotonicTime) -> Bool {
    guard now.nanoseconds(since: heardAt) > BeatBroadcaster.latestNanoseconds else { return true }
    overdue += 1
    return false
  }

  private func publish(
    _ message: OSCMessage, _ topic: SubscriptionTopics, _ heardAt: MonotonicTime,
    _ frame: FrameIndex, _ now: MonotonicTime
  ) {
    guard let outlet, outlet.hasSubscribers(topic) else { return }
    let bytes = OSCPacketWriter.bundle(clock.timetag(heardAt), [message])
    outlet.send(bytes, topic: topic)
    for copy in 1..<max(min(copies, 5), 1) {
      let at = now.advanced(byNanoseconds: Int64(copy) * BeatBroadcaster.copyNanoseconds)
      // A copy that comes when the beat is over helps nobody.
      guard at.nanoseconds < heardAt.nanoseconds else { break }
      queue.add(
        SendQueue.Item(at: at, bytes: bytes, recipient: .topic(topic), frame: frame))
    }
  }

  private func cancel(from frame: FrameIndex, _ now: MonotonicTime) {
    queue.cancel(from: frame)
    punctual?.cancel(from: frame)
    punctual?.wake()
    pace.stop()
    for index in phases.indices { phases[index].stop() }
    let stop = OSCMessage("/tactus/stop", .int32(1))
    let beatCancel = beats.cancel(from: frame, run: run).message(BeatCancel.beatAddress)
    let subCancel = subs.cancel(from: frame, run: run).message(BeatCancel.subAddress)
    repeatedly(OSCPacketWriter.bundle(.immediately, [beatCancel, stop]), .beat, now)
    repeatedly(OSCPacketWriter.bundle(.immediately, [subCancel]), .sub, now)
  }

  private func repeatedly(
    _ bytes: [UInt8], _ topic: SubscriptionTopics, _ now: MonotonicTime
  ) {
    outlet?.send(bytes, topic: topic)
    for copy in 1..<BeatBroadcaster.stopCopies {
      queue.add(
        SendQueue.Item(
          at: now.advanced(byNanoseconds: Int64(copy) * BeatBroadcaster.copyNanoseconds),
          bytes: bytes, recipient: .topic(topic), frame: nil))
    }
  }

  private func schedule(_ beat: BeatMessage, _ frame: FrameIndex, _ target: ProfileTarget) {
    guard target.plays(beat) else { return }
    let at = beat.due.advanced(byNanoseconds: target.offsetNanoseconds)
    for (message, delay) in target.profile.messages(for: beat) {
      send(
        SendQueue.Item(
          at: at.advanced(byNanoseconds: delay), bytes: OSCPacketWriter.bytes(message),
          recipient: .address(target.address),
          // What ends a flash is sent even where the flash was taken back.
          frame: delay == 0 ? frame : nil), to: target.address)
    }
  }

  private func send(_ item: SendQueue.Item, to address: SocketAddress) {
    if punctual?.take(item, to: address) != true { queue.add(item) }
  }

  // MARK: At the instant

  /// When `service` has something to send; nil where nothing waits.
  public var nextDeadline: MonotonicTime? {
    let lead = punctual == nil ? 0 : BeatBroadcaster.phaseLead
    let ramps = zip(targets, phases).compactMap { target, ramp in
      ramp.nextDeadline(target, pace)?.advanced(byNanoseconds: -lead)
    }
    return (ramps + [queue.nextDeadline].compactMap { $0 }).min()
  }

  /// Sends what is due, and makes what is due soon.
  public func service(now: MonotonicTime) {
    makePhases(now)
    for item in queue.takeDue(now) {
      switch item.recipient {
      case .topic(let topic):
        outlet?.send(item.bytes, topic: topic)
      case .address(let address):
        let lateness = now.nanoseconds(since: item.at)
        if item.frame != nil, lateness > BeatBroadcaster.latestNanoseconds {
          own.dropped += 1
          continue
        }
        own.sent += 1
        own.worstLateness = max(own.worstLateness, lateness)
        outlet?.send(item.bytes, to: address)
      }
    }
    pace.forget(before: now)
  }

  private func makePhases(_ now: MonotonicTime) {
    let lead = punctual == nil ? 0 : BeatBroadcaster.phaseLead
    var isMade = false
    for (index, target) in targets.enumerated() {
      guard case .phase(let path, _) = target.profile else { continue }
      while let (at, phase) = phases[index].next(
        target, pace, now: now, until: now.advanced(byNanoseconds: lead))
      {
        isMade = true
        send(
          SendQueue.Item(
            at: at, bytes: OSCPacketWriter.bytes(OSCMessage(path, .float(Float(phase)))),
            recipient: .address(target.address),
            // Any stop takes it back: there is no beat any more whose phase it could be.
            frame: .distantFuture), to: target.address)
      }
    }
    if isMade { punctual?.wake() }
  }

  /// No lamp stays lit when the daemon ends.
  public func end() {
    sender?.end()
    for item in queue.takeFlashEnds() {
      if case .address(let address) = item.recipient { outlet?.send(item.bytes, to: address) }
    }
  }
}

/// Sequence numbers with the frames that they stand for, as far back as a stop can reach.
private struct AnnouncedSequence {
  private var upcoming: Int32 = 1
  private var announced: [(sequence: Int32, frame: FrameIndex)] = []
  /// Two seconds of the longest horizon at 999 beats of 9 clicks a minute: 300.
  private static let memory = 512

  mutating func next(_ frame: FrameIndex) -> Int32 {
    let sequence = upcoming
    upcoming = upcoming == .max ? 1 : upcoming + 1
    if announced.count >= AnnouncedSequence.memory {
      announced.removeFirst(AnnouncedSequence.memory / 2)
    }
    announced.append((sequence, frame))
    return sequence
  }

  mutating func cancel(from frame: FrameIndex, run: Int32) -> BeatCancel {
    let void = announced.filter { $0.frame.value >= frame.value }
    announced.removeAll()
    return BeatCancel(
      run: run, first: void.first?.sequence ?? upcoming,
      last: void.last?.sequence ?? upcoming &- 1)
  }
}
