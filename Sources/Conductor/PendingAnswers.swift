import MusicalTime
import RealtimeEngine

/// Which commands the engine has yet to answer, and for whom.
///
/// A request may have needed several engine commands (a preset): it is answered when the last of
/// them is, with the latest frame. Where another request then moves the boundary that the answer
/// named, the engine says so, and the request is answered again.
///
/// - Thread: control
struct PendingAnswers: Sendable {
  /// What a command changes: facts about it that are older than its frame are stale.
  enum Subject: Int, Sendable, CaseIterable {
    case transport, tempo, ramp, meter, sounds, timer, song, other
  }

  /// The answer that a request has earned.
  enum Answer: Equatable, Sendable {
    case effective(request: UInt32, frame: FrameIndex)
    case refused(request: UInt32, Refusal)
    /// The boundary that the answer named has moved to this frame.
    case moved(request: UInt32, frame: FrameIndex)
  }

  private struct Command: Sendable {
    let group: UInt32
    let subject: Subject
    /// nil until it is sent.
    var sent: Sent?
  }

  /// A command on its way to the engine.
  struct Sent: Sendable {
    let ordinal: Int64
    let notBefore: FrameIndex
    let isUrgent: Bool

    /// Whether the engine had taken it when it published `status`.
    func isTaken(_ status: EngineStatus) -> Bool {
      ordinal <= (isUrgent ? status.lastUrgent : status.lastCommand) && notBefore < status.frame
    }
  }

  private struct Group: Sendable {
    let request: UInt32
    var remaining: Int
    var identifiers: [UInt32] = []
    var frame = FrameIndex.distantPast
    var refusal: Refusal?
  }

  private struct Standing: Sendable {
    /// The latest command on this subject while it is unanswered.
    var unanswered: UInt32?
    /// Where the latest answered one landed.
    var frame = FrameIndex.distantPast
    /// The latest command on this subject, whether or not anybody asks for its answer.
    var sent: Sent?
  }

  private struct Answered: Sendable {
    let identifiers: [UInt32]
    let request: UInt32
    var frame: FrameIndex
  }

  /// More than the engine keeps waiting for their boundaries.
  private static let mostAnswered = 32

  private var answered: [Answered] = []
  private var commands: [UInt32: Command] = [:]
  private var groups: [UInt32: Group] = [:]
  private var standings: [Standing] = Array(repeating: Standing(), count: Subject.allCases.count)
  private var lastIdentifier: UInt32 = 0
  private var lastOrdinal: Int64 = 0

  var count: Int { commands.count }

  /// A new identifier for an engine command that belongs to `group`.
  mutating func expect(_ subject: Subject, group: UInt32, request: UInt32) -> UInt32 {
    let identifier = nextIdentifier()
    commands[identifier] = Command(group: group, subject: subject)
    groups[group, default: Group(request: request, remaining: 0)].remaining += 1
    groups[group]?.identifiers.append(identifier)
    standings[subject.rawValue].unanswered = identifier
    return identifier
  }

  /// The command as it is sent: counted, and known to be on its way.
  mutating func dispatch(
    _ action: EngineCommand.Action, about subject: Subject, identifier: UInt32,
    notBefore: FrameIndex, boundary: EngineCommand.Boundary
  ) -> EngineCommand {
    lastOrdinal += 1
    let command = EngineCommand(
      action, identifier: identifier, notBefore: notBefore, boundary: boundary,
      ordinal: lastOrdinal)
    let sent = Sent(
      ordinal: lastOrdinal, notBefore: notBefore, isUrgent: command.isUrgent)
    commands[identifier]?.sent = sent
    standings[subject.rawValue].sent = sent
    return command
  }

  /// A command that found no room: the engine will never take it.
  mutating func withdraw(_ command: EngineCommand) {
    for subject in standings.indices where standings[subject].sent?.ordinal == command.ordinal {
      standings[subject].sent = nil
    }
  }

  /// Whether the engine has yet to take or to answer the latest command on a subject: what it says
  /// of the subject is older than what was asked for.
  func isUnderway(_ subject: Subject, _ status: EngineStatus) -> Bool {
    let standing = standings[subject.rawValue]
    return standing.unanswered != nil || standing.sent.map { !$0.isTaken(status) } == true
  }

  /// Commands that the engine has taken and whose answers never came, oldest first.
  func lost(_ status: EngineStatus) -> [UInt32] {
    commands.filter { $0.value.sent?.isTaken(status) == true }
      .sorted { ($0.value.sent?.ordinal ?? 0) < ($1.value.sent?.ordinal ?? 0) }
      .map(\.key)
  }

  /// A new name for a group of commands.
  mutating func nextIdentifier() -> UInt32 {
    // 0 means that nobody asks; after 2^32 commands the count goes round, past those in use.
    repeat {
      lastIdentifier &+= 1
    } while lastIdentifier == 0
      || commands[lastIdentifier] != nil || groups[lastIdentifier] != nil
    return lastIdentifier
  }

  /// The subject of an unanswered command.
  func subject(of identifier: UInt32) -> Subject? { commands[identifier]?.subject }

  /// Whether no newer command on its subject has been sent.
  func isLatest(_ identifier: UInt32) -> Bool {
    guard let subject = commands[identifier]?.subject else { return false }
    return standings[subject.rawValue].unanswered == identifier
  }

  /// Takes the engine's answer; gives the request's answer where this was the last one due, and
  /// once more where the engine takes back what it answered before.
  mutating func answer(
    _ identifier: UInt32, at frame: FrameIndex, refusal: Refusal? = nil
  ) -> Answer? {
    guard let command = commands.removeValue(forKey: identifier) else {
      return refusal == nil ? correct(identifier, at: frame) : nil
    }
    let subject = command.subject.rawValue
    if refusal == nil { standings[subject].frame = max(standings[subject].frame, frame) }
    if standings[subject].unanswered == identifier { standings[subject].unanswered = nil }
    guard var group = groups[command.group] else { return nil }
    group.remaining -= 1
    group.frame = max(group.frame, frame)
    group.refusal = group.refusal ?? refusal
    guard group.remaining == 0 else {
      groups[command.group] = group
      return nil
    }
    groups[command.group] = nil
    if let refusal = group.refusal { return .refused(request: group.request, refusal) }
    remember(group)
    return .effective(request: group.request, frame: group.frame)
  }

  private mutating func remember(_ group: Group) {
    guard group.request != 0 else { return }
    if answered.count >= PendingAnswers.mostAnswered { answered.removeFirst() }
    answered.append(
      Answered(identifiers: group.identifiers, request: group.request, frame: group.frame))
  }

  private mutating func correct(_ identifier: UInt32, at frame: FrameIndex) -> Answer? {
    guard let index = answered.lastIndex(where: { $0.identifiers.contains(identifier) }),
      answered[index].frame != frame
    else { return nil }
    answered[index].frame = frame
    return .moved(request: answered[index].request, frame: frame)
  }

  /// Whether a fact at `frame` is older than the latest request on its subject.
  func isStale(_ subject: Subject, at frame: FrameIndex) -> Bool {
    let standing = standings[subject.rawValue]
    return standing.unanswered != nil || frame < standing.frame
  }

  /// Where the latest answered standing on a subject landed.
  func landing(of subject: Subject) -> FrameIndex { standings[subject.rawValue].frame }
}
