internal import OSCProtocol
internal import OSCWire
internal import MusicalTime

/// Somebody who is told of what changes, and what is still to be told.
///
/// - Thread: control
struct Subscriber {
  let destination: OSCDestination
  /// Who asked; nil for a fixed target.
  let owner: ClientIdentity?
  var topics: SubscriptionTopics
  var leaseNanoseconds: Int64
  /// nil never expires.
  var expires: MonotonicTime?

  /// Bytes that it may be sent until it has said anything but its subscription: whoever forges the
  /// source of one packet has no more than these sent to a third party.
  private var budget: Int?
  static let unprovenBytes = 20_480

  /// When each address was last sent to it.
  private var sentAt: [Int: Int64] = [:]
  private var waiting: Set<Int> = []
  /// What it sent last itself, and when, on addresses that it is moving.
  private var moves: [Int: (at: Int64, arguments: [OSCValue])] = [:]

  /// 30 a second for each address.
  static let interval: Int64 = 1_000_000_000 / 30 + 1
  /// A client moves a value until so long after its last message.
  static let moveNanoseconds: Int64 = 500_000_000

  init(
    destination: OSCDestination, owner: ClientIdentity?, topics: SubscriptionTopics,
    leaseNanoseconds: Int64, now: MonotonicTime
  ) {
    self.destination = destination
    self.owner = owner
    self.topics = topics
    self.leaseNanoseconds = leaseNanoseconds
    expires = owner == nil ? nil : now.advanced(byNanoseconds: leaseNanoseconds)
    // A connection and this machine cannot be forged.
    if let owner, !owner.isLocal, owner.connection == 0 { budget = Subscriber.unprovenBytes }
  }

  mutating func renew(_ now: MonotonicTime) {
    if expires != nil { expires = now.advanced(byNanoseconds: leaseNanoseconds) }
  }

  /// It has sent something else, or its subscription again.
  mutating func prove() { budget = nil }

  /// Takes so many bytes out of what it may be sent.
  ///
  /// - Returns: false where that is used up.
  mutating func spend(_ bytes: Int) -> Bool {
    guard let left = budget else { return true }
    guard bytes <= left else { return false }
    budget = left - bytes
    return true
  }

  mutating func valueChanged(_ slot: Int) {
    if topics.contains(.state) { waiting.insert(slot) }
  }

  /// It sent this value itself: it hears nothing of the address while it goes on moving, and the
  /// final value where that is another.
  mutating func moved(_ slot: Int, _ arguments: [OSCValue], now: MonotonicTime) {
    guard topics.contains(.state) else { return }
    moves[slot] = (now.nanoseconds, arguments)
    waiting.insert(slot)
  }

  /// It was sent everything.
  mutating func snapshotSent(_ slots: Int, now: MonotonicTime) {
    waiting.formIntersection(moves.keys)
    for slot in 0..<slots { sentAt[slot] = now.nanoseconds }
  }

  private func allowedAt(_ slot: Int) -> Int64 {
    let byRate = sentAt[slot].map { $0 + Subscriber.interval } ?? .min
    let byMove = moves[slot].map { $0.at + Subscriber.moveNanoseconds } ?? .min
    return max(byRate, byMove)
  }

  /// When the next waiting value may be sent; nil where none waits.
  var nextDeadline: MonotonicTime? {
    waiting.lazy.map { allowedAt($0) }.min().map { MonotonicTime(nanoseconds: max($0, 0)) }
  }

  /// Takes the values that may be sent now.
  mutating func takeDue(_ board: FeedbackBoard, now: MonotonicTime) -> [Int] {
    guard !waiting.isEmpty else { return [] }
    var due: [Int] = []
    for slot in waiting where allowedAt(slot) <= now.nanoseconds {
      waiting.remove(slot)
      let move = moves.removeValue(forKey: slot)
      guard let arguments = board.slots[slot].arguments else { continue }
      if let move, (sentAt[slot] ?? .min) <= move.at,
        Subscriber.says(move.arguments, arguments)
      {
        continue
      }
      sentAt[slot] = now.nanoseconds
      due.append(slot)
    }
    return due.sorted()
  }

  /// Whether what a client sent is what the value now is: as far as it went, and numbers whatever
  /// their type. A millionth covers the way through 32-bit floats and decibels.
  static func says(_ sent: [OSCValue], _ value: [OSCValue]) -> Bool {
    guard !sent.isEmpty else { return false }
    return zip(sent, value).allSatisfy { sent, value in
      if let left = sent.number, let right = value.number {
        return abs(left - right) <= 1e-6 * max(1, abs(right))
      }
      return sent == value
    }
  }
}
