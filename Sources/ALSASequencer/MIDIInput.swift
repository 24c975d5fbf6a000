public import MetronomeModel
public import MusicalTime
internal import RealtimeHost

/// Our input ports: `Control`, where pedals and pads arrive, and `Sync`, where another's clock
/// does.
///
/// Whatever arrives, the work of one call is bounded, and nothing of it touches the MIDI thread.
///
/// - Thread: control
public final class MIDIInput {
  public enum Report: Equatable, Sendable {
    /// Of a hand (a port that plays), at an instant.
    case command(ControlCommand, hand: UInt64, at: MonotonicTime)
    case learned(MIDIMapping.Rule)
    case follow(ClockFollower.Report)
    /// Our own clock arrives at an input, named.
    case echo(from: String, into: String)
    /// A clock arrives where none is followed, and none where one is.
    case clockAtControl
    /// More arrives than anyone plays; messages a second. At most once a minute.
    case storm(port: String, perSecond: Int)
    /// The kernel had to drop messages for us. At most once a minute.
    case overrun

    /// In words, for what is told and not acted on.
    public var text: String? {
      switch self {
      case .command, .follow: nil
      case .learned(let rule): "learned: '\(rule.trigger.text)' is now '\(rule.action.text)'"
      case .echo(let from, let into):
        "the clock of MIDI port '\(from)' comes back into '\(into)': break the loop"
      case .clockAtControl:
        "a MIDI clock arrives at port 'Control' and is not followed there: connect it to 'Sync', or "
          + "name its sender with --follow CLIENT"
      case .storm(let port, let perSecond):
        "MIDI port '\(port)' gets \(perSecond) messages a second: check what is connected to it"
      case .overrun: "MIDI input is faster than it can be read: messages were lost"
      }
    }
  }

  public var control: MIDIControl
  public private(set) var follower = ClockFollower()
  /// Whether the clock at `Sync` is followed.
  public private(set) var isFollowing = false
  public let controlPort: UInt8
  public let syncPort: UInt8

  private let handle: SequencerHandle
  /// Stamps what arrives, while a clock is followed: it costs a timer of a hundred ticks a second.
  private var queue: SequencerQueue?
  private let ownCounters: () -> [(name: String, counters: MIDIClockCounters)]
  private var timeline = QueueTimeline()
  private var nextObservation = MonotonicTime.distantPast
  private var echoes: [String: EchoDetector] = [:]
  private var counts: [UInt8: Int] = [:]
  private var countsSince = MonotonicTime.distantPast
  private var newestSync = MonotonicTime.distantPast
  private var quietUntil: [String: MonotonicTime] = [:]

  /// Events of one call: the rest waits for the next.
  static let mostEvents = 256
  /// 999 quarters a minute are 400 pulses a second; five such clocks are a fault.
  static let storm = 2000
  private static let second: Int64 = 1_000_000_000

  /// - Parameters:
  ///   - ownCounters: what our clock ports have sent, to know an echo.
  public init(
    handle: SequencerHandle, read: @escaping MIDIControl.CommandReader,
    ownCounters: @escaping () -> [(name: String, counters: MIDIClockCounters)]
  ) throws(SequencerError) {
    self.handle = handle
    self.ownCounters = ownCounters
    control = MIDIControl(read: read)
    controlPort = try handle.createPort("Control", direction: .input)
    syncPort = try handle.createPort("Sync", direction: .input)
  }

  /// For poll: readable when `service` has something to do.
  public var descriptor: Int32 { handle.library.descriptor }

  public func follow(_ isOn: Bool) {
    guard isOn != isFollowing else { return }
    isFollowing = isOn
    follower = ClockFollower()
    newestSync = .distantPast
    if isOn, queue == nil {
      // Without it the instants are those of reading: a follower all the same, if a coarse one.
      queue = try? SequencerQueue(handle, name: "Tactus input", hertz: 100)
    }
    let number = isOn ? queue?.number : nil
    for port in [controlPort, syncPort] {
      _ = handle.library.setStampQueue(number, of: port)
    }
  }

  /// A person has changed our tempo: what goes along with that is our own clock.
  public func tempoWasChanged() {
    for key in echoes.keys { echoes[key]?.tempoWasChanged() }
  }

  /// Compares a pulse of ours with the leader's, where one is followed.
  public func compare(songPulse: Int64, due: MonotonicTime, isBeat: Bool) -> [Report] {
    guard isFollowing else { return [] }
    return follower.compare(songPulse: songPulse, due: due, isBeat: isBeat).map(Report.follow)
  }

  /// Reads what has arrived.
  public func service(now: MonotonicTime) -> [Report] {
    if now >= nextObservation {
      queue?.observe(&timeline)
      nextObservation = now.advanced(byNanoseconds: timeline.observationInterval)
    }
    var reports: [Report] = []
    for _ in 0..<MIDIInput.mostEvents {
      guard let result = handle.library.input() else { break }
      switch result {
      case .failure: tell("overrun", .overrun, now, &reports)
      case .success(let event): take(event, now, &reports)
      }
    }
    reports += control.endTurn().map { MIDIInput.report($0, now) }
    if isFollowing { reports += follower.check(now: now).map(Report.follow) }
    watchRate(now, &reports)
    return reports
  }

  private func take(_ event: SequencerEvent, _ now: MonotonicTime, _ reports: inout [Report]) {
    counts[event.port, default: 0] += 1
    let time = instant(event, now)
    if event.kind == .clock { listenForEcho(event.port, time, &reports) }
    if event.port == syncPort {
      if event.kind == .clock { newestSync = time }
      if isFollowing { reports += follow(event.kind, time).map(Report.follow) }
      return
    }
    guard event.port == controlPort else { return }
    if event.kind == .clock, isFollowing,
      time.nanoseconds(since: newestSync) > 2 * MIDIInput.second
    {
      tell("clock", .clockAtControl, now, &reports)
    }
    guard let gesture = event.gesture else { return }
    let hand = UInt64(event.source.client) << 8 | UInt64(event.source.port)
    reports += control.take(gesture, at: time, hand: hand).map { MIDIInput.report($0, time) }
  }

  private func follow(_ kind: SequencerEvent.Kind, _ time: MonotonicTime) -> [ClockFollower.Report]
  {
    switch kind {
    case .clock: follower.clock(at: time)
    case .start: follower.start()
    case .resume: follower.resume()
    case .stop: follower.stop()
    case .songPosition(let beats): follower.songPosition(beats)
    default: []
    }
  }

  /// When the kernel had it; the present where no queue stamps it.
  private func instant(_ event: SequencerEvent, _ now: MonotonicTime) -> MonotonicTime {
    guard queue != nil, event.queueNanoseconds > 0 else { return now }
    let time = timeline.mono(at: event.queueNanoseconds)
    // A stamp from the future or from long ago is none.
    let age = now.nanoseconds(since: time)
    return age >= -MIDIInput.second / 100 && age < MIDIInput.second ? min(time, now) : now
  }

  private func listenForEcho(
    _ port: UInt8, _ time: MonotonicTime, _ reports: inout [Report]
  ) {
    let into = port == syncPort ? "Sync" : "Control"
    for (name, counters) in ownCounters() where counters.pulses > 0 {
      let isEcho = echoes["\(name) \(into)", default: EchoDetector()].observe(
        arrival: time, lastSent: MonotonicTime(nanoseconds: counters.newestPulse),
        pulses: counters.pulses, isFollowing: isFollowing)
      if isEcho { reports.append(.echo(from: name, into: into)) }
    }
  }

  private func watchRate(_ now: MonotonicTime, _ reports: inout [Report]) {
    let passed = now.nanoseconds(since: countsSince)
    guard passed >= MIDIInput.second else { return }
    for (port, count) in counts where passed < 10 * MIDIInput.second {
      let perSecond = Int(Double(count) / (Double(passed) / 1e9))
      guard perSecond >= MIDIInput.storm else { continue }
      let name = port == syncPort ? "Sync" : "Control"
      tell("storm \(name)", .storm(port: name, perSecond: perSecond), now, &reports)
    }
    counts.removeAll(keepingCapacity: true)
    countsSince = now
  }

  private func tell(
    _ key: String, _ report: Report, _ now: MonotonicTime, _ reports: inout [Report]
  ) {
    if let until = quietUntil[key], now < until { return }
    quietUntil[key] = now.advanced(byNanoseconds: 60 * MIDIInput.second)
    reports.append(report)
  }

  private static func report(_ outcome: MIDIControl.Outcome, _ time: MonotonicTime) -> Report {
    switch outcome {
    case .command(let command, let hand): .command(command, hand: hand, at: time)
    case .learned(let rule): .learned(rule)
    }
  }
}
