public import MusicalTime
internal import RealtimeHost

/// Listens to a MIDI clock and measures it, by the instants at which the kernel received it.
///
/// - Thread: any one
public final class ClockListener {
  public private(set) var measurement: ClockMeasurement
  /// What is listened to, as it is named; empty where others connect to us.
  public private(set) var sources: [String] = []
  /// Messages other than pulses, in order, as they are called.
  public private(set) var transport: [(instant: MonotonicTime, name: String)] = []

  private let handle: SequencerHandle
  private let queue: SequencerQueue
  private var timeline = QueueTimeline()
  private var nextObservation = MonotonicTime.distantPast
  private static let mostTransport = 10_000

  /// Opens a port `Tactus measure:In` and connects it.
  ///
  /// - Parameter pattern: whose clock, as `PortPattern` has it; nil waits for others to connect.
  /// - Throws: where there is no sequencer, or nothing matches (ENOENT, 2).
  public init(
    from pattern: String?, nominalTempo: Double? = nil,
    library: any SequencerLibrary = SystemSequencer()
  ) throws(SequencerError) {
    measurement = ClockMeasurement(nominalTempo: nominalTempo)
    handle = try SequencerHandle(name: "Tactus measure", library: library)
    // Stamps are finer than a tick.
    queue = try SequencerQueue(handle, name: "Tactus measure", hertz: 100)
    let port = try handle.createPort("In", direction: .input, stampQueue: queue.number)
    // The queue steps by a tick or less just after its start: let that pass before anything comes.
    for _ in 0..<4 {
      MonotonicClock.sleep(until: MonotonicClock.now().advanced(byNanoseconds: 15_000_000))
      queue.observe(&timeline)
    }
    guard let pattern else { return }
    let ports = library.ports().filter { $0.address.client != handle.client }
    var ordinals = DeviceOrdinals()
    ordinals.observe(ports)
    let matches = PortPattern(pattern).matches(in: ports, sources: true) {
      ordinals.ordinal(of: $0)
    }
    guard !matches.isEmpty else {
      let present = ports.filter(\.givesOutput).map(ordinals.name)
      throw SequencerError(
        call: "search", code: 2,
        subject: "no MIDI port '\(pattern)' that sends; there are: "
          + present.joined(separator: ", "))
    }
    for match in matches {
      let result = library.connect(
        SequencerConnection(
          from: match.address, to: SequencerAddress(client: handle.client, port: port)))
      guard result >= 0 else {
        throw SequencerError(call: "snd_seq_connect", code: -result, subject: match.clientName)
      }
      sources.append(ordinals.name(of: match))
    }
  }

  /// When the clicks sounded, from who plays them.
  public func use(clicks: [MonotonicTime]) { measurement.use(clicks: clicks) }

  /// Takes in what has arrived, and waits for more until the instant.
  public func listen(until end: MonotonicTime) {
    while true {
      let now = MonotonicClock.now()
      service(now: now)
      guard now < end else { return }
      // The kernel stamps; how late they are read does not matter.
      MonotonicClock.sleep(until: min(end, now.advanced(byNanoseconds: 20_000_000)))
    }
  }

  func service(now: MonotonicTime) {
    if now >= nextObservation {
      queue.observe(&timeline)
      nextObservation = now.advanced(byNanoseconds: timeline.observationInterval)
    }
    while let result = handle.library.input() {
      guard case .success(let event) = result else { continue }
      // The queue's own time is even; its rate against the clock is mended by the timeline.
      let instant = timeline.mono(at: event.queueNanoseconds)
      switch event.kind {
      case .clock: measurement.add(pulse: instant)
      case .start: note("start", instant)
      case .resume: note("continue", instant)
      case .stop: note("stop", instant)
      case .songPosition(let beats): note("position \(beats)", instant)
      case .noteOn(let channel, let note, _):
        // A click that someone turns into a note, for the offset.
        measurement.add(click: instant)
        self.note("note \(note) channel \(channel + 1)", instant)
      default: break
      }
    }
  }

  private func note(_ name: String, _ instant: MonotonicTime) {
    guard transport.count < ClockListener.mostTransport else { return }
    transport.append((instant, name))
  }
}
