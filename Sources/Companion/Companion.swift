internal import CLinux
internal import MetronomeModel
public import MusicalTime
internal import OSCProtocol
internal import OSCWire
internal import RealtimeHost

/// What a companion is started with.
public struct CompanionSettings: Sendable {
  /// Nil: wherever the finder says, and nobody until then.
  public var host: String? = "127.0.0.1"
  public var port: UInt16 = 9_700
  /// Whether it is only tried because no daemon was found on the network.
  public var isGuess = false
  /// Milliseconds after the announced instant; negative is earlier.
  public var offsetMilliseconds: Double = 0
  /// Milliseconds that a beat's effect lasts.
  public var lengthMilliseconds: Double = 40
  public var heldBeats = 8
  public var skipsMutedBars = true
  public var clock = CompanionClock()
  /// Told of each beat that fired: its announced instant, the instant at which it fired by the
  /// host's clock, and whether it was presumed.
  public var fired: (@Sendable (AnnouncedBeat, MonotonicTime, Bool) -> Void)?

  public init() {}
}

/// The reference for wristbands and lamps: finds the daemon, follows its clock, and fires each beat
/// at its announced instant.
///
/// - Thread: companion, one
public final class Companion {
  private let settings: CompanionSettings
  private let socket: CompanionSocket
  private let finder: DaemonFinder?
  /// For messages.
  private var daemon: String
  private var address: String?
  /// Whether nothing but a guess says that the daemon is there.
  private var isGuess: Bool
  /// Found, and not yet turned to.
  private var announced: AnnouncedDaemon?
  private let actuators: [any Actuator]
  private var estimator = ClockOffsetEstimator()
  /// Whether the daemon's clock is known well enough to fire by.
  private var knowsClock = false
  private var schedule: BeatSchedule
  public private(set) var histogram = LatenessHistogram()
  private var subscribed: Int64?
  /// When the last beat was heard of.
  private var lastBeat: Int64 = Int64.min / 2
  private var nextSync: Int64 = 0
  private var syncNumber: Int32 = 0
  private var awaited: [Int32: Int64] = [:]
  private var restAt: Int64?
  private var lastHeard: Int64
  private var isHeard = false
  private let say: (String) -> Void
  private var complaints: Set<String> = []

  /// - Parameter finder: what says where the daemon is, and when it moves.
  /// - Throws: where the daemon's host cannot be found.
  public init(
    _ settings: CompanionSettings, actuators: [any Actuator], finder: DaemonFinder? = nil,
    say: @escaping (String) -> Void
  ) throws(ActuatorError) {
    self.settings = settings
    self.actuators = actuators
    self.say = say
    self.finder = finder
    address = settings.host
    isGuess = settings.isGuess
    daemon =
      settings.host.map { $0.contains(":") ? "[\($0)]" : $0 }.map { "\($0):\(settings.port)" } ?? ""
    socket = try CompanionSocket()
    if let host = settings.host { try socket.aim(host: host, port: settings.port) }
    schedule = BeatSchedule(heldBeats: settings.heldBeats)
    schedule.skipsMutedBars = settings.skipsMutedBars
    lastHeard = settings.clock.now().nanoseconds
  }

  public var counters: BeatSchedule.Counters { schedule.counters }
  public var isSynchronised: Bool { estimator.isSynchronised }
  public var driftPPM: Double { estimator.driftPPM }
  public var uncertainty: Int64 { estimator.uncertainty }

  /// Follows the daemon until `isDone` says so; it is asked at least ten times a second.
  public func run(until isDone: () -> Bool) {
    while !isDone() { turn() }
    socket.send(OSCMessage("/tactus/unsubscribe"))
    for actuator in actuators { actuator.rest() }
  }

  private func turn() {
    let now = settings.clock.now().nanoseconds
    if let found = finder?.service() { announced = found }
    // The one on this machine, tried because none was announced, does well while it is heard.
    if let found = announced, !(isGuess && isHeard) {
      announced = nil
      turn(to: found, now)
    }
    converse(now)
    wait(until: nextInstant(now))
    for message in socket.receive() { take(message) }
    fireDue()
    let after = settings.clock.now().nanoseconds
    if let end = restAt, after >= end {
      for actuator in actuators { actuator.rest() }
      restAt = nil
    }
  }

  /// Follows the daemon where it is now, or another that has taken its place.
  private func turn(to found: AnnouncedDaemon, _ now: Int64) {
    let isElsewhere = found.address != address
    socket.send(OSCMessage("/tactus/unsubscribe"))
    do throws(ActuatorError) { try socket.aim(host: found.address, port: found.port) } catch {
      return complain("\(error)")
    }
    address = found.address
    daemon = found.description
    say("found \(daemon)")
    if isElsewhere {
      // Another clock ticks there: what is known of the old one says nothing.
      estimator = ClockOffsetEstimator()
      knowsClock = false
      schedule.forget()
      awaited.removeAll()
    }
    isGuess = false
    isHeard = false
    lastHeard = now
    subscribed = nil
    nextSync = now
  }

  /// Renews the lease, and asks for the time: quickly at first, then once a second.
  private func converse(_ now: Int64) {
    // A daemon that was started anew answers, but knows no subscriber: whoever hears of no beats
    // asks for them again.
    let renewal: Int64 = now - lastBeat < 2_000_000_000 ? 20_000_000_000 : 1_000_000_000
    if subscribed.map({ now - $0 >= renewal }) ?? true {
      socket.send(
        OSCMessage("/tactus/subscribe", .int32(0), .string("beat"), .int32(60)))
      subscribed = now
    }
    if now >= nextSync {
      syncNumber &+= 1
      // An answer that has not come in ten seconds is lost.
      awaited = awaited.filter { now - $0.value < 10_000_000_000 }
      let sent = settings.clock.now().nanoseconds
      awaited[syncNumber] = sent
      socket.send(OSCMessage("/tactus/sync", .int32(syncNumber), .int64(sent)))
      nextSync = now + syncInterval
    }
    if isHeard, now - lastHeard > 5_000_000_000 {
      isHeard = false
      say("the daemon is silent: holding the pulse, and asking again")
    }
  }

  /// Eight exchanges fit into the time by which the first beat is announced ahead.
  private var syncInterval: Int64 {
    switch estimator.exchangeCount {
    case 8...: 1_000_000_000
    case 1... where isHeard: 12_000_000
    default: 100_000_000
    }
  }

  private func nextInstant(_ now: Int64) -> Int64 {
    var next = min(now + 100_000_000, nextSync)
    if let due = schedule.nextDue { next = min(next, localDue(due)) }
    if let restAt { next = min(next, restAt) }
    return next
  }

  /// The instant of a beat by our clock, its offset included.
  private func localDue(_ remote: Int64) -> Int64 {
    guard knowsClock else { return Int64.max / 4 }
    return estimator.local(ofRemote: remote).nanoseconds
      + Int64(settings.offsetMilliseconds * 1e6)
  }

  /// Waits for a packet until a millisecond before the instant, then for the instant itself.
  private func wait(until instant: Int64) {
    let host = settings.clock.host(of: MonotonicTime(nanoseconds: instant))
    let left = host.nanoseconds(since: MonotonicClock.now())
    if left > 1_500_000 {
      // A finder that has no more news has the descriptor -1, which is passed over.
      var polls = [
        clinux_poll(descriptor: socket.descriptor, wanted: 1, came: 0),
        clinux_poll(descriptor: finder?.descriptor ?? -1, wanted: 1, came: 0),
      ]
      if unsafe clinux_wait(&polls, 2, left - 1_000_000) > 0 { return }
    }
    if host > MonotonicClock.now() { MonotonicClock.sleep(until: host) }
  }

  private func take(_ message: OSCMessage) {
    let now = settings.clock.now().nanoseconds
    lastHeard = now
    if !isHeard {
      isHeard = true
      say("following \(daemon)")
    }
    switch message.address {
    case "/tactus/beat":
      if let beat = AnnouncedBeat(message) {
        lastBeat = now
        schedule.take(
          beat,
          now: estimator.isSynchronised
            ? now + estimator.offset(at: MonotonicTime(nanoseconds: now)) : nil)
      }
    case "/tactus/beat/cancel":
      guard message.arguments.count >= 2, case .int32(let run) = message.arguments[0],
        case .int32(let sequence) = message.arguments[1]
      else { return }
      var last: Int32?
      if message.arguments.count > 2, case .int32(let named) = message.arguments[2] {
        last = named
      }
      schedule.cancel(
        run: run, from: sequence, through: last,
        now: now + estimator.offset(at: MonotonicTime(nanoseconds: now)))
    case "/tactus/sync":
      takeSync(message, now)
    case "/tactus/error":
      complain("the daemon refused: \(message.arguments.last?.text ?? "")")
    default: break
    }
  }

  private func takeSync(_ message: OSCMessage, _ now: Int64) {
    guard message.arguments.count >= 4, case .int32(let number) = message.arguments[0],
      case .int64(let sent) = message.arguments[1], awaited[number] == sent,
      case .int64(let received) = message.arguments[2],
      case .int64(let returned) = message.arguments[3]
    else { return }
    awaited[number] = nil
    estimator.take(
      SyncExchange(
        sent: sent, remoteReceived: received, remoteSent: returned, received: now))
    if !knowsClock, estimator.isKnown(to: schedule.tolerance) {
      knowsClock = true
      schedule.clockIsKnown(now: now + estimator.offset(at: MonotonicTime(nanoseconds: now)))
    }
  }

  private func fireDue() {
    guard knowsClock else { return }
    let offset = Int64(settings.offsetMilliseconds * 1e6)
    while let due = schedule.nextDue {
      let now = settings.clock.now().nanoseconds
      guard localDue(due) <= now else { return }
      let remote = now + estimator.offset(at: MonotonicTime(nanoseconds: now)) - offset
      guard let firing = schedule.fire(now: max(remote, due)) else { continue }
      for actuator in actuators {
        if let problem = actuator.fire(firing) { complain(problem) }
      }
      let instant = MonotonicClock.now()
      histogram.add(microseconds: (now - localDue(firing.beat.due)) / 1_000)
      settings.fired?(firing.beat, instant, firing.isPresumed)
      // Beats that come faster than their effects end would melt into one.
      restAt = now + min(Int64(settings.lengthMilliseconds * 1e6), schedule.interval * 3 / 4)
    }
  }

  private func complain(_ text: String) {
    if complaints.count < 100, complaints.insert(text).inserted { say(text) }
  }
}
