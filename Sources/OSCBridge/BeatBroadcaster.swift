public import MusicalTime
public import RealtimeEngine

/// The way out for beats: the OSC server, or a recorder in a test.
///
/// - Thread: conductor
public protocol BeatOutlet: AnyObject {
  func send(_ bytes: [UInt8], topic: SubscriptionTopics)
  func send(_ bytes: [UInt8], to address: SocketAddress)
  func hasSubscribers(_ topic: SubscriptionTopics) -> Bool
}

extension OSCServer: BeatOutlet {}

/// Tells subscribers of each beat before it is heard, and lamps at the instant itself.
///
/// Subscribers get a time-tagged bundle as soon as the engine announces the beat; targets with a
/// profile get plain messages at the instant plus their offset, never ahead. It has no thread: the
/// control thread waits until `nextDeadline` and calls `service`.
///
/// - Thread: conductor
public final class BeatBroadcaster {
  /// A cancel and a stop are sent so often, so far apart.
  static let stopCopies = 3
  static let copyNanoseconds: Int64 = 20_000_000
  /// What is later than this is dropped: a flash after the beat is worse than none.
  static let latestNanoseconds: Int64 = 50_000_000

  public let run: Int32
  /// How often each beat is announced, 1 to 5, for networks that lose packets; 20 ms apart.
  public var copies = 1
  public var targets: [ProfileTarget] {
    didSet { phases = targets.map { _ in PhaseRamp() } }
  }
  /// Messages at the instant that were too late and dropped.
  public private(set) var dropped = 0
  /// The latest message at the instant that was sent, in nanoseconds.
  public private(set) var worstLateness: Int64 = 0

  private let clock: HostClock
  private weak var outlet: (any BeatOutlet)?
  private var queue = SendQueue()
  private var beats = AnnouncedSequence()
  private var subs = AnnouncedSequence()
  private var phases: [PhaseRamp]
  private var pace = BeatPace()

  /// - Parameter run: a random number for each start of the daemon.
  public init(
    outlet: any BeatOutlet, clock: HostClock = .system, run: Int32, targets: [ProfileTarget] = []
  ) {
    self.outlet = outlet
    self.clock = clock
    self.run = run
    self.targets = targets
    phases = targets.map { _ in PhaseRamp() }
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
    publish(
      message.message(BeatMessage.beatAddress), .beat, heardAt, event.frame, now)
    pace.announce(heardAt, quarterThousandths: event.quarterThousandths)
    for target in targets { schedule(message, event.frame, target) }
  }

  private func announce(_ event: ClickEvent, _ heardAt: MonotonicTime, _ now: MonotonicTime) {
    let message = BeatMessage(event, run: run, sequence: subs.next(event.frame), due: heardAt)
    publish(message.message(BeatMessage.subAddress), .sub, heardAt, event.frame, now)
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
      queue.add(
        SendQueue.Item(
          at: at.advanced(byNanoseconds: delay), bytes: OSCPacketWriter.bytes(message),
          recipient: .address(target.address),
          // What ends a flash is sent even where the flash was taken back.
          frame: delay == 0 ? frame : nil))
    }
  }

  // MARK: At the instant

  /// When `service` has something to send; nil where nothing waits.
  public var nextDeadline: MonotonicTime? {
    let ramps = zip(targets, phases).compactMap { target, ramp in
      ramp.nextDeadline(target, pace)
    }
    return (ramps + [queue.nextDeadline].compactMap { $0 }).min()
  }

  /// Sends what is due.
  public func service(now: MonotonicTime) {
    for item in queue.takeDue(now) {
      let lateness = now.nanoseconds(since: item.at)
      switch item.recipient {
      case .topic(let topic):
        outlet?.send(item.bytes, topic: topic)
      case .address(let address):
        if item.frame != nil, lateness > BeatBroadcaster.latestNanoseconds {
          dropped += 1
          continue
        }
        worstLateness = max(worstLateness, lateness)
        outlet?.send(item.bytes, to: address)
      }
    }
    for index in targets.indices {
      guard let phase = phases[index].takeDue(targets[index], pace, now: now),
        case .phase(let path, _) = targets[index].profile
      else { continue }
      outlet?.send(
        OSCPacketWriter.bytes(OSCMessage(path, .float(Float(phase)))),
        to: targets[index].address)
    }
    pace.forget(before: now)
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
