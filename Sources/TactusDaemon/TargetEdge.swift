internal import BeatOutputs
internal import MetronomeModel
internal import OSCProtocol
internal import OSCService
internal import OSCWire
internal import RealtimeHost

/// Lamps, tablets and other programs that are told without asking: those of the command line, which
/// stay, and those of the preset in force.
///
/// - Thread: control
struct Targets {
  var fixedBeats: [NamedTarget] = []
  var presetBeats: [NamedTarget] = []
  var fixedFeedback: [FeedbackTarget] = []
  var presetFeedback: [FeedbackTarget] = []
  var hosts = HostBook()

  var beats: [NamedTarget] { fixedBeats + presetBeats }
  var feedback: [FeedbackTarget] { fixedFeedback + presetFeedback }

  var names: Set<HostName> {
    Set(
      beats.map { HostName(host: $0.host, port: $0.port) }
        + feedback.compactMap { target in
          UInt16(exactly: target.port).map { HostName(host: target.host, port: $0) }
        })
  }
}

extension ControlThread {
  /// Puts the targets to use that can be found; the others follow when they are.
  func useTargets() {
    let now = MonotonicClock.now()
    targets.hosts.need(targets.names, now: now)
    lookUpHosts()
    if let server = gateway?.server {
      server.setFixedTargets(
        targets.feedback.compactMap { target in
          guard let port = UInt16(exactly: target.port),
            let address = targets.hosts.address(of: HostName(host: target.host, port: port))
          else { return nil }
          return (address, SubscriptionTopics(target.topics))
        })
    }
    useBeatTargets()
  }

  /// The first ones get a thread that sends to them on time.
  private func useBeatTargets() {
    guard let beats, let server = gateway?.server else { return }
    let found = targets.beats.compactMap { target in
      targets.hosts.address(of: HostName(host: target.host, port: target.port))
        .map { target.at($0) }
    }
    if beats.targets != found { beats.targets = found }
    guard !found.isEmpty, beats.sender == nil else { return }
    do throws(RealtimeThread.Failure) {
      beats.sender = try server.startTimedSender()
    } catch {
      say("\(error): lamps may be late by what the control thread is", isWarning: true)
    }
  }

  /// Lets the names be looked up that are due.
  func lookUpHosts() {
    for name in targets.hosts.takeDue(MonotonicClock.now()) {
      let isTaken = workshop.hosts.submit {
        let address = SocketAddress(resolving: name.host, port: Int(name.port))
        return .done { $0.take(name, address) }
      }
      if !isTaken { _ = targets.hosts.take(name, nil, now: MonotonicClock.now()) }
    }
  }

  private func take(_ name: HostName, _ address: SocketAddress?) {
    switch targets.hosts.take(name, address, now: MonotonicClock.now()) {
    case .unknown:
      say("'\(name)' cannot be found yet: it is looked for again and again", isWarning: true)
      return
    case .found(_, let address):
      if targets.hosts.wasUnknown(name) { say("'\(name)' is found at \(address)") }
    case .moved(_, let address): say("'\(name)' has moved to \(address)")
    case nil: return
    }
    useTargets()
  }
}
