public import MetronomeModel
public import MusicalTime
public import RealtimeEngine
public import RealtimeHost
public import ThreadCrossing

/// The clock ports of client `Tactus`, and the thread that serves them.
///
/// The thread stands above the audio thread, waits for the absolute instant of the next message
/// and sends it unqueued; without real-time rights a kernel queue keeps the instants instead.
///
/// - Thread: control, but for `wakeUp`, which the audio thread signals after it has announced.
public final class MIDIClockOutput {
  /// Clock ports at the most; each holds about 100 KB.
  public static let mostPorts = 32

  /// To be signalled when facts or a new FrameClock are there.
  public let wakeUp: WakeUp
  public let handle: SequencerHandle
  /// What the system allowed the thread; nil before `start`.
  public private(set) var grant: RealtimeGrant?

  private let commands = SPSCQueue<MIDIThreadCommand>(capacity: 256)
  private let retired = SPSCQueue<UInt>(capacity: 64)
  private let published = LatestValue(MIDIOutputStatus())
  private let facts: SPSCQueue<EngineEvent>
  private let clock: LatestValue<FrameClock>
  private var ports: [Int: Port] = [:]
  /// What found the queue full, in order; it goes before anything newer.
  private var waiting: [MIDIThreadCommand] = []
  private var thread: RealtimeThread?
  private var body: MIDIThreadBody?
  private var queue: SequencerQueue?

  private struct Port {
    var configuration: MIDIPortConfiguration
    var number: UInt8
    var counters: LatestValue<MIDIClockCounters>
  }

  /// - Parameters:
  ///   - facts: `EngineQueues.clockEvents`; this is its consumer.
  ///   - clock: where the audio thread publishes its FrameClock.
  public init(
    handle: SequencerHandle, facts: SPSCQueue<EngineEvent>, clock: LatestValue<FrameClock>,
    wakeUp: WakeUp = WakeUp()
  ) {
    self.handle = handle
    self.facts = facts
    self.clock = clock
    self.wakeUp = wakeUp
  }

  /// Starts the thread; ports may be added before and after.
  ///
  /// - Parameter allowsRealtime: false takes the kernel queue whatever the system allows.
  /// - Throws: where no thread can be had.
  public func start(allowsRealtime: Bool = true) throws(RealtimeThread.Failure) {
    guard thread == nil else { return }
    let loop = MIDIClockLoop(
      handle: handle, facts: facts, clock: clock, commands: commands, retired: retired)
    let body = MIDIThreadBody(loop: loop, wakeUp: wakeUp, published: published)
    self.body = body
    let started = try RealtimeThread.start(
      name: "tactus-midi", priority: allowsRealtime ? .midi : nil
    ) { body.run() }
    thread = started
    grant = started.grant
    var path = MIDIPath.direct
    if !started.grant.isRealtime, let queue = try? SequencerQueue(handle, name: "Tactus") {
      self.queue = queue
      path = .queue
    }
    body.begin(path, grant: started.grant, queue: queue)
    wakeUp.signal()
  }

  /// Adds a port and makes it known to the system; in play its receivers are told the place.
  ///
  /// - Throws: a setting out of range, a name that is taken, too many ports, or what the system
  ///   says.
  public func add(_ configuration: MIDIPortConfiguration) throws(MIDIPortError) {
    if let problem = configuration.problem { throw .setting(problem) }
    guard self.port(named: configuration.name) == nil else {
      throw .nameTaken(configuration.name)
    }
    guard let index = (0..<MIDIClockOutput.mostPorts).first(where: { ports[$0] == nil }) else {
      throw .tooMany(configuration.name, most: MIDIClockOutput.mostPorts)
    }
    let number: UInt8
    do {
      number = try handle.createPort(configuration.name, direction: .output)
    } catch {
      throw .system(error)
    }
    let counters = LatestValue(MIDIClockCounters())
    let slot = MIDIPortSlot(
      port: number, stream: MIDIClockStream(settings: MIDIStreamSettings(configuration)),
      published: counters)
    ports[index] = Port(configuration: configuration, number: number, counters: counters)
    let pointer = UInt(bitPattern: unsafe Unmanaged.passRetained(slot).toOpaque())
    send(.add(slot: UInt8(index), pointer: pointer))
  }

  /// Takes a port away; FC and its notes off leave first.
  public func remove(_ name: String) throws(MIDIPortError) {
    guard let index = port(named: name) else { throw unknown(name) }
    send(.remove(slot: UInt8(index)))
    ports[index] = nil
  }

  /// New settings for a port, from the first pulse not yet announced; nothing is interrupted.
  public func configure(_ configuration: MIDIPortConfiguration) throws(MIDIPortError) {
    if let problem = configuration.problem { throw .setting(problem) }
    guard let index = port(named: configuration.name) else { throw unknown(configuration.name) }
    ports[index]?.configuration = configuration
    send(.configure(slot: UInt8(index), MIDIStreamSettings(configuration)))
  }

  /// Makes the ports those of a list, without touching what stays.
  ///
  /// - Returns: what could not be done, in words.
  public func apply(_ configurations: [MIDIPortConfiguration]) -> [MIDIPortError] {
    var errors: [MIDIPortError] = []
    let wanted = Set(configurations.map(\.name))
    for name in portNames where !wanted.contains(name) {
      do { try remove(name) } catch { errors.append(error) }
    }
    var seen: Set<String> = []
    for configuration in configurations {
      guard seen.insert(configuration.name).inserted else {
        errors.append(.nameTaken(configuration.name))
        continue
      }
      do {
        if let old = self.configuration(of: configuration.name) {
          if old != configuration { try configure(configuration) }
        } else {
          try add(configuration)
        }
      } catch { errors.append(error) }
    }
    return errors
  }

  /// Tells a receiver that has come, or come back, where the music is, by the port's policy.
  public func reconnected(_ name: String, to destination: MIDIDestination) {
    guard let index = port(named: name) else { return }
    send(.reconnected(slot: UInt8(index), destination))
  }

  /// Puts faults into a port's clock, for people who build receivers; nil ends them.
  public func perturb(_ name: String, _ perturbation: ClockPerturbation?) throws(MIDIPortError) {
    guard let index = port(named: name) else { throw unknown(name) }
    send(.perturb(slot: UInt8(index), perturbation))
  }

  /// Output latency that all outputs share, as measured.
  public func setLatency(nanoseconds: Int64) { send(.latency(nanoseconds: nanoseconds)) }

  /// Frees what removed ports held, and hands on what found the queue full; now and then.
  public func service() {
    handOn()
    var isAny = false
    while let pointer = retired.pop() {
      isAny = true
      guard let raw = unsafe UnsafeRawPointer(bitPattern: pointer) else { continue }
      let slot = unsafe Unmanaged<MIDIPortSlot>.fromOpaque(raw).takeRetainedValue()
      handle.deletePort(slot.port)
    }
    // The thread takes no commands while it cannot hand removed ports back.
    if isAny { wakeUp.signal() }
  }

  /// Sends FC and notes off on every port, waits until they have left, and ends the thread.
  public func stop() {
    guard let thread else { return }
    send(.finish)
    // It needs a step or two, and more where ports that were removed still have to be taken back.
    while body?.hasEnded == false {
      service()
      MonotonicClock.sleep(until: MonotonicClock.now().advanced(byNanoseconds: 1_000_000))
    }
    thread.join()
    body = nil
    self.thread = nil
    service()
  }

  // MARK: What there is

  public var portNames: [String] {
    ports.sorted { $0.key < $1.key }.map(\.value.configuration.name)
  }

  public func configuration(of name: String) -> MIDIPortConfiguration? {
    port(named: name).flatMap { ports[$0]?.configuration }
  }

  public func configurations() -> [MIDIPortConfiguration] {
    ports.sorted { $0.key < $1.key }.map(\.value.configuration)
  }

  public func address(of name: String) -> SequencerAddress? {
    port(named: name).flatMap { ports[$0] }.map {
      SequencerAddress(client: handle.client, port: $0.number)
    }
  }

  public func counters(of name: String) -> MIDIClockCounters? {
    port(named: name).flatMap { ports[$0]?.counters.load() }
  }

  public var status: MIDIOutputStatus { published.load() }

  /// By how many milliseconds the engine must announce ahead so that no message of any port comes
  /// late: the largest early offset with FA's lead.
  public var leadMilliseconds: Double {
    ports.values.map { MIDIStreamSettings.leadMilliseconds($0.configuration) }.max() ?? 0
  }

  /// Whether the engine has to announce pulses while it is stopped.
  public var wantsFreeClock: Bool { ports.values.contains { $0.configuration.clock == .always } }

  private func port(named name: String) -> Int? {
    ports.first { $0.value.configuration.name == name }?.key
  }

  private func unknown(_ name: String) -> MIDIPortError { .unknown(name, known: portNames) }

  private func send(_ command: MIDIThreadCommand) {
    waiting.append(command)
    handOn()
  }

  private func handOn() {
    guard !waiting.isEmpty else { return }
    let taken = waiting.prefix { commands.push($0) }.count
    waiting.removeFirst(taken)
    wakeUp.signal()
  }
}

/// Why a clock port could not be made or changed.
public enum MIDIPortError: Error, Equatable, Sendable, CustomStringConvertible {
  case setting(String)
  case nameTaken(String)
  case unknown(String, known: [String])
  case tooMany(String, most: Int)
  case system(SequencerError)

  public var description: String {
    switch self {
    case .setting(let problem): problem
    case .nameTaken(let name):
      "port '\(name)' is there already: give the other one a name of its own"
    case .unknown(let name, let known):
      "no MIDI port '\(name)'; there are: \(known.isEmpty ? "none" : known.joined(separator: ", "))"
    case .tooMany(let name, let most):
      "port '\(name)' would be one more than the \(most) clock ports that are allowed: remove one"
    case .system(let error): error.description
    }
  }
}
