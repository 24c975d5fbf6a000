internal import OSCProtocol
internal import OSCWire
internal import MusicalTime

/// So much a second and no more; what was not used in a second is lost.
///
/// - Thread: control
struct MessageRate {
  let perSecond: Double
  let most: Double
  private var tokens: Double
  private var refilledAt: Int64?

  init(perSecond: Double, most: Double) {
    self.perSecond = perSecond
    self.most = most
    tokens = most
  }

  /// Takes one message out of the rate.
  mutating func take(_ now: MonotonicTime) -> Bool {
    let elapsed = Double(max(now.nanoseconds &- (refilledAt ?? now.nanoseconds), 0)) / 1e9
    tokens = min(tokens + elapsed * perSecond, most)
    refilledAt = now.nanoseconds
    guard tokens >= 1 else { return false }
    tokens -= 1
    return true
  }

  /// Milliseconds until there is room for one, rounded up; at least 1.
  var millisecondsToNext: Int { max(1, Int((1 - tokens) / perSecond * 1_000 + 0.999)) }
}

/// What is remembered of a client.
///
/// - Thread: control
struct ClientRecord {
  /// Messages a second and client.
  static let messageRate: Double = 1_000
  /// Nanoseconds between two bundles of the same kind to one client: 5 a second.
  static let bundleInterval: Int64 = 200_000_000

  var lastMessage: Int64
  /// The port that it named for answers.
  var replyPort: UInt16?
  var rate = MessageRate(perSecond: messageRate, most: messageRate)
  /// The newest value of each address that came over the rate, and its place in the order.
  private var waiting: [String: (order: Int, message: OSCMessage)] = [:]
  private var nextOrder = 0
  /// Errors for what came over the rate; what they could not tell is told by the next one.
  var rateErrors = MessageRate(perSecond: 10, most: 10)
  var unreported: (count: Int, address: String)?
  /// When a bundle of each kind may be sent again, and which kinds wait for it.
  var bundleAllowedAt: [BundleKind: Int64] = [:]
  var waitingBundles: Set<BundleKind> = []

  enum BundleKind: Hashable {
    case state
    case information(InformationQuery)
    case subscribers

    /// Its address below `/tactus/`.
    var path: String {
      switch self {
      case .state: "state"
      case .information(.info): "info"
      case .information(.stats): "stats"
      case .information(.presets): "preset/list"
      case .information(.setlists): "setlist/list"
      case .information(.entries): "setlist/items"
      case .information(.songs): "map/list"
      case .information(.sections): "section/list"
      case .information(.learned): "midi/learned/list"
      case .information(.takes): "take/list"
      case .information(.calibrations): "calibrate/list"
      case .subscribers: "subscriber/list"
      }
    }
  }

  init(now: MonotonicTime) {
    lastMessage = now.nanoseconds
  }

  /// The newest value of an address waits for its turn; a value is small, and there are not many
  /// addresses.
  ///
  /// - Returns: false where it cannot wait, and is to be refused.
  mutating func keep(_ message: OSCMessage) -> Bool {
    guard message.weight <= 1024, waiting.count < 256 || waiting[message.address] != nil else {
      return false
    }
    waiting[message.address] = (nextOrder, message)
    nextOrder &+= 1
    return true
  }

  /// A newer value of this address is done: the one that waited is older.
  mutating func forget(_ address: String) { waiting[address] = nil }

  mutating func forgetAll() { waiting = [:] }

  var hasWaitingValues: Bool { !waiting.isEmpty }

  /// The values that wait, in the order in which they came.
  mutating func takeValues(where isAllowed: (OSCMessage) -> Bool) -> [OSCMessage] {
    guard !waiting.isEmpty else { return [] }
    var taken: [OSCMessage] = []
    for (_, message) in waiting.values.sorted(by: { $0.order < $1.order }) {
      guard isAllowed(message) else { continue }
      taken.append(message)
      waiting[message.address] = nil
    }
    return taken
  }

  /// Whether something is to be done for it later.
  var hasWork: Bool { !waiting.isEmpty || !waitingBundles.isEmpty || unreported != nil }

  var isIdle: Bool { !hasWork && replyPort == nil }
}

/// The clients that were heard of lately; bounded, the oldest idle one makes room.
///
/// - Thread: control
struct ClientTable {
  static let capacity = 512

  private var records: [ClientIdentity: ClientRecord] = [:]
  /// In the order of their coming, as a ring.
  private var order: [ClientIdentity] = []
  private var hand = 0
  /// Clients with something to do later.
  var pending: Set<ClientIdentity> = []

  /// All the room at once: a daemon that meets a new port with every call does not grow over days.
  init() {
    records.reserveCapacity(ClientTable.capacity + 1)
    order.reserveCapacity(ClientTable.capacity)
  }

  var count: Int { records.count }

  subscript(client: ClientIdentity) -> ClientRecord? { records[client] }

  /// Changes the record of a client, made where it is new.
  mutating func update<Result>(
    _ client: ClientIdentity, now: MonotonicTime, _ change: (inout ClientRecord) -> Result
  ) -> Result {
    if records[client] == nil { admit(client) }
    return change(&records[client, default: ClientRecord(now: now)])
  }

  private mutating func admit(_ client: ClientIdentity) {
    guard order.count >= ClientTable.capacity else {
      order.append(client)
      return
    }
    // A few steps of the hand find an idle one; a flood from many ports must not cost more.
    for _ in 0..<8 {
      hand = (hand + 1) % order.count
      if records[order[hand]]?.isIdle ?? true { break }
    }
    records[order[hand]] = nil
    pending.remove(order[hand])
    order[hand] = client
  }

  mutating func forget(_ client: ClientIdentity) {
    records[client]?.replyPort = nil
    records[client]?.forgetAll()
    records[client]?.waitingBundles = []
    pending.remove(client)
  }
}
