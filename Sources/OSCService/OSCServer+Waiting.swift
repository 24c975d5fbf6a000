internal import MusicalTime
internal import OSCProtocol
public import OSCWire

/// A question that came behind something which is not answered yet.
struct WaitingQuestion {
  let intent: OSCIntent
  let address: String
  let permission: OSCAddressRow.Permission
  let since: MonotonicTime
  /// When its client was last told that it waits.
  var reportedAt: MonotonicTime
}

extension OSCIntent {
  /// Whether its answer tells of what was asked before.
  var comesAfterAnswers: Bool {
    switch self {
    case .ask, .state, .information, .ping: true
    default: false
    }
  }
}

extension OSCServer {
  /// Questions that one client may have waiting.
  static let questionsPerClient = 64
  /// Clients with waiting questions at the most.
  static let waitingClients = 128
  /// Nanoseconds that a question waits at the most.
  static let questionPatience: Int64 = 10_000_000_000
  /// Nanoseconds after which a client is told that its ping waits, and told again.
  static let questionNotice: Int64 = 500_000_000

  /// A pong is true: it comes after the answers to all that its client asked before it. So do
  /// values and lists.
  ///
  /// - Returns: whether the question waits, or was refused.
  func postpone(
    _ intent: OSCIntent, of address: String, _ client: ClientIdentity,
    _ permission: OSCAddressRow.Permission, _ now: MonotonicTime
  ) -> Bool {
    let count = questions[client]?.count ?? 0
    guard intent.comesAfterAnswers, count > 0 || mustWait(intent, client) else { return false }
    guard count < OSCServer.questionsPerClient,
      count > 0 || questions.count < OSCServer.waitingClients
    else {
      refuse(
        client, address,
        OSCRefusal(.tooMany, "too many questions wait for an earlier command: try again"))
      return true
    }
    questions[client, default: []].append(
      WaitingQuestion(
        intent: intent, address: address, permission: permission, since: now, reportedAt: now))
    return true
  }

  /// Whether something that this client asked for is not judged or not answered yet.
  private func mustWait(_ intent: OSCIntent, _ client: ClientIdentity) -> Bool {
    guard let record = clients[client] else { return sink?.isWaiting(client) == true }
    // A list that waits for its time keeps back no value, only the pong.
    if case .ping = intent, !record.waitingBundles.isEmpty { return true }
    return record.hasWaitingValues || sink?.isWaiting(client) == true
  }

  /// Something that this client asked for has been answered: its questions may go on.
  public func answersGiven(to client: ClientIdentity) { serveQuestions(of: client, clock.now()) }

  func serveQuestions(_ now: MonotonicTime) {
    for client in questions.keys { serveQuestions(of: client, now) }
  }

  private func serveQuestions(of client: ClientIdentity, _ now: MonotonicTime) {
    while let question = questions[client]?.first {
      if mustWait(question.intent, client) {
        guard now.nanoseconds(since: question.since) >= OSCServer.questionPatience else {
          tellThatItWaits(client, now)
          return
        }
        refuse(
          client, question.address,
          OSCRefusal(
            .unavailable,
            "what was asked for before is not answered after \(OSCServer.questionPatience / 1_000_000_000) s: it may act yet; ask for its value"
          ))
      }
      questions[client]?.removeFirst()
      if questions[client]?.isEmpty == true { questions[client] = nil }
      answer(question.intent, of: question.address, client, question.permission, now)
    }
  }

  /// Whoever waits for a pong hears that somebody is there.
  private func tellThatItWaits(_ client: ClientIdentity, _ now: MonotonicTime) {
    guard let first = questions[client]?.first,
      now.nanoseconds(since: first.reportedAt) >= OSCServer.questionNotice
    else { return }
    questions[client]?[0].reportedAt = now
    send(
      OSCMessage(
        "/tactus/notice", .string("/tactus/ping"),
        .string("the answer to an earlier command is still to come")), to: client)
  }

  /// When a question that waits is to be looked at, although nothing comes.
  var questionDeadline: MonotonicTime? {
    questions.values.compactMap(\.first).map { question in
      min(
        question.since.advanced(byNanoseconds: OSCServer.questionPatience),
        question.reportedAt.advanced(byNanoseconds: OSCServer.questionNotice))
    }.min()
  }

  /// What a query of this client came to, where the sink had to read it first.
  public func answer(_ messages: [OSCMessage], to client: ClientIdentity) {
    send(
      OSCPacketWriter.bundle(.immediately, messages), to: destination(of: client, port: nil))
  }
}
