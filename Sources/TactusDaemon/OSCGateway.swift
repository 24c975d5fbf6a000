internal import Conductor
internal import MetronomeModel
internal import MusicalTime
internal import OSCProtocol
internal import OSCService
internal import OSCWire
internal import RealtimeEngine
internal import ThreadCrossing

/// Between the OSC server and the Conductor: requests down, answers and changes up.
///
/// - Thread: control
final class OSCGateway: CommandSink {
  let server: OSCServer
  private unowned let control: ControlThread
  private var asked: [UInt32: (client: ClientIdentity, address: String)] = [:]
  /// Those that were told when they act: another wish may move that yet.
  private var told: [(request: UInt32, client: ClientIdentity, address: String)] = []
  private var nextRequest: UInt32 = 1

  init(server: OSCServer, control: ControlThread) {
    self.server = server
    self.control = control
    server.sink = self
    server.notice = { [unowned control] text in control.say(text, isWarning: true) }
    for message in PublishedValues.everything(control.conductor.state) {
      server.publish(message.address, message.arguments)
    }
  }

  // MARK: Requests

  func perform(_ requests: [ControlRequest]) {
    for request in requests {
      let identifier = remember(request)
      var notBefore = FrameIndex.distantPast
      if let due = request.due { notBefore = control.clock.load().frame(at: due) }
      let arrival = ControlInstant(
        time: request.receivedAt, frame: control.clock.load().frame(at: request.receivedAt))
      control.perform(
        control.conductor.submit(
          request.command, request: identifier, now: arrival, notBefore: notBefore,
          // A bundle of several is written by a program: it means what it repeats.
          hand: requests.count == 1 ? request.client.series : nil))
    }
  }

  private func remember(_ request: ControlRequest) -> UInt32 {
    let identifier = nextRequest
    nextRequest = nextRequest == UInt32.max ? 1 : nextRequest + 1
    // Answers come within a bar or two; more than this many open ones are a flood.
    if asked.count > 4096 { asked.removeAll() }
    asked[identifier] = (request.client, request.address)
    return identifier
  }

  // MARK: Answers

  func accepted(_ request: UInt32) { asked[request] = nil }

  func effective(_ request: UInt32, at instant: MonotonicTime) {
    guard let (client, address) = asked.removeValue(forKey: request) else { return }
    if told.count >= 32 { told.removeFirst() }
    told.append((request, client, address))
    server.answerEffective(client, address, at: instant)
  }

  /// The same answer once more, with the instant at which it does act.
  func moved(_ request: UInt32, to instant: MonotonicTime) {
    guard let earlier = told.last(where: { $0.request == request }) else { return }
    server.answerEffective(earlier.client, earlier.address, at: instant)
  }

  /// Comes before the answer, which ends the request.
  func notice(_ request: UInt32, _ text: String) {
    guard let (client, address) = asked[request] else { return }
    server.send(OSCMessage("/tactus/notice", .string(address), .string(text)), to: client)
  }

  func refused(_ request: UInt32, _ refusal: Refusal) {
    guard let (client, address) = asked.removeValue(forKey: request) else { return }
    let code: OSCRefusal.Code =
      switch refusal.code {
      case .value: .range
      case .state: .conflict
      case .name: .unknown
      case .storage, .engine: .unavailable
      }
    server.refuse(client, address, OSCRefusal(code, refusal.reason))
  }

  // MARK: Changes

  func changed(_ key: StateKey) {
    for message in PublishedValues.messages(of: key, in: control.conductor.state) {
      server.publish(message.address, message.arguments)
    }
  }

  func publish(_ message: OSCMessage) { server.publish(message.address, message.arguments) }

  // MARK: Questions

  func answer(_ query: InformationQuery) -> [OSCMessage] {
    switch query {
    case .info: control.information()
    case .stats: control.statistics()
    case .presets: [OSCMessage("/tactus/preset/list", control.presetNames().map { .string($0) })]
    case .setlists:
      [OSCMessage("/tactus/setlist/list", control.setlistNames().map { .string($0) })]
    case .sections:
      [
        OSCMessage(
          "/tactus/section/list", control.conductor.sectionNames.map { .string($0) })
      ]
    }
  }
}
