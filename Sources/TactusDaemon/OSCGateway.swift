internal import Conductor
internal import MetronomeModel
internal import MusicalTime
internal import OSCProtocol
internal import OSCService
internal import OSCWire
internal import RealtimeEngine
internal import RealtimeHost
internal import TakeRecorder
internal import ThreadCrossing

/// Between the OSC server and the Conductor: requests down, answers and changes up.
///
/// - Thread: control
final class OSCGateway: CommandSink {
  let server: OSCServer
  private unowned let control: ControlThread
  private var asked: [UInt32: (client: ClientIdentity, address: String)] = [:]
  /// Those that were told when they act: another command may move that yet.
  private var reported: [(request: UInt32, client: ClientIdentity, address: String)] = []
  private var nextRequest: UInt32 = 1
  /// How many requests of a client have no answer yet.
  private var open: [ClientIdentity: Int] = [:]
  /// Lists that are being read, by who asked.
  private var lists: [ClientIdentity: Int] = [:]
  /// Clients none of whose requests waits any more.
  private var settled: [ClientIdentity] = []

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
    let bundle = control.nextBundle()
    for request in requests {
      guard let identifier = remember(request) else {
        server.refuse(
          request.client, request.address,
          OSCRefusal(
            .tooMany,
            "\(OSCGateway.mostOpen) requests wait for their answers: try again in a second"))
        continue
      }
      var notBefore = FrameIndex.distantPast
      if let due = request.due { notBefore = control.clock.load().frame(at: due) }
      let arrival = ControlInstant(
        time: request.receivedAt, frame: control.clock.load().frame(at: request.receivedAt))
      control.perform(
        control.conductor.submit(
          request.command, request: identifier, bundle: bundle, now: arrival,
          notBefore: notBefore,
          // A bundle of several is written by a program: it means what it repeats.
          hand: requests.count == 1 ? request.client.series : nil))
    }
  }

  /// Answers come within a bar or two; more open ones than this are a flood.
  private static let mostOpen = 4_096

  /// - Returns: nil where too many wait already: an answer that is forgotten would be a lie.
  private func remember(_ request: ControlRequest) -> UInt32? {
    guard asked.count < OSCGateway.mostOpen else { return nil }
    let identifier = nextRequest
    nextRequest = nextRequest == UInt32.max ? 1 : nextRequest + 1
    asked[identifier] = (request.client, request.address)
    open[request.client, default: 0] += 1
    return identifier
  }

  /// Who asked, in words.
  func asker(of request: UInt32) -> String {
    asked[request].map { "\($0.client)" } ?? "this machine"
  }

  // MARK: Answers

  /// A request has got its answer, or needs none.
  private func close(_ request: UInt32) -> (client: ClientIdentity, address: String)? {
    guard let found = asked.removeValue(forKey: request) else { return nil }
    let left = (open[found.client] ?? 1) - 1
    open[found.client] = left > 0 ? left : nil
    if !isWaiting(found.client) { settled.append(found.client) }
    return found
  }

  func isWaiting(_ client: ClientIdentity) -> Bool {
    open[client] != nil || lists[client] != nil
  }

  /// Lets those go on whose answers have all been given.
  func settle() {
    let clients = settled
    settled = []
    for client in clients where !isWaiting(client) { server.answersGiven(to: client) }
  }

  func accepted(_ request: UInt32) { _ = close(request) }

  func effective(_ request: UInt32, at instant: MonotonicTime) {
    guard let (client, address) = close(request) else { return }
    if reported.count >= 32 { reported.removeFirst() }
    reported.append((request, client, address))
    server.answerEffective(client, address, at: instant)
  }

  /// The same answer once more, with the instant at which it does act.
  func moved(_ request: UInt32, to instant: MonotonicTime) {
    guard let earlier = reported.last(where: { $0.request == request }) else { return }
    server.answerEffective(earlier.client, earlier.address, at: instant)
  }

  /// Comes before the answer, which ends the request.
  func notice(_ request: UInt32, _ text: String) {
    guard let (client, address) = asked[request] else { return }
    server.send(OSCMessage("/tactus/notice", .string(address), .string(text)), to: client)
  }

  func refused(_ request: UInt32, _ refusal: Refusal) {
    guard let (client, address) = close(request) else { return }
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

  /// Lists are read from their folders at each question.
  func reads(_ query: InformationQuery, for client: ClientIdentity) -> Bool {
    let library = control.library
    let address: String
    let read: @Sendable () -> [String]
    switch query {
    case .presets: (address, read) = ("/tactus/preset/list", { library.presetNames })
    case .setlists: (address, read) = ("/tactus/setlist/list", { library.setlistNames })
    case .songs: (address, read) = ("/tactus/map/list", { library.mapNames })
    case .takes:
      guard let folder = control.listen?.settings.takes else { return false }
      (address, read) = ("/tactus/take/list", { folder.newest(200) })
    default: return false
    }
    let isTaken = control.workshop.files.submit {
      let names = read()
      return .done { control in
        control.gateway?.listed(OSCMessage(address, names.map { .string($0) }), client)
      }
    }
    if isTaken {
      lists[client, default: 0] += 1
    } else {
      server.refuse(
        client, address, OSCRefusal(.tooMany, "too many files wait already, try again later"))
    }
    return true
  }

  private func listed(_ list: OSCMessage, _ client: ClientIdentity) {
    server.answer([list], to: client)
    guard let count = lists[client] else { return }
    lists[client] = count > 1 ? count - 1 : nil
    if !isWaiting(client) { settled.append(client) }
  }

  func answer(_ query: InformationQuery) -> [OSCMessage] {
    switch query {
    case .info: control.information()
    case .stats: control.statistics()
    // Read first, and answered then.
    case .presets, .setlists, .songs, .takes: []
    case .calibrations:
      [
        OSCMessage(
          "/tactus/calibrate/list",
          (control.listen?.calibrationTexts ?? []).map { .string($0) })
      ]
    case .entries:
      [
        OSCMessage(
          "/tactus/setlist/items", control.conductor.setlistEntryNames.map { .string($0) })
      ]
    case .learned: [OSCMessage("/tactus/midi/learned/list", control.learnedTexts())]
    case .sections:
      [
        OSCMessage(
          "/tactus/section/list", control.conductor.sectionNames.map { .string($0) })
      ]
    }
  }
}
