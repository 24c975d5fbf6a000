internal import OSCProtocol
internal import OSCWire
internal import MusicalTime

/// Messages of bundles whose time has not come, in the order of their release.
///
/// - Thread: control
struct HeldMessages {
  struct Group {
    var releaseAt: MonotonicTime
    var due: MonotonicTime
    var client: ClientIdentity
    var permission: OSCAddressRow.Permission
    var receivedAt: MonotonicTime
    var timetag: OSCTimetag
    var messages: [OSCMessage]
  }

  /// Messages that one client may have waiting.
  static let perClient = 256
  /// Messages that may wait in all, so that many clients do not fill the memory.
  static let inAll = 4_096
  /// Bytes that one client may have waiting, and all together: commands are small, but a packet of
  /// 64 KB may hold anything.
  static let bytesPerClient = 65_536
  static let bytesInAll = 1_048_576

  private struct Load {
    var messages = 0
    var bytes = 0

    static func + (left: Load, right: Load) -> Load {
      Load(messages: left.messages + right.messages, bytes: left.bytes + right.bytes)
    }

    static func - (left: Load, right: Load) -> Load {
      Load(messages: left.messages - right.messages, bytes: left.bytes - right.bytes)
    }
  }

  private var groups: [Group] = []
  private var loadByClient: [ClientIdentity: Load] = [:]
  private var total = Load()

  var nextRelease: MonotonicTime? { groups.first?.releaseAt }
  var count: Int { total.messages }

  /// - Returns: false where the client or all clients together hold too many.
  mutating func add(_ group: Group) -> Bool {
    let added = HeldMessages.load(of: group)
    let held = loadByClient[group.client, default: Load()] + added
    let all = total + added
    guard held.messages <= HeldMessages.perClient, held.bytes <= HeldMessages.bytesPerClient,
      all.messages <= HeldMessages.inAll, all.bytes <= HeldMessages.bytesInAll
    else { return false }
    // Behind those of the same instant: they came first.
    var low = 0
    var high = groups.count
    while low < high {
      let middle = (low + high) / 2
      if groups[middle].releaseAt.nanoseconds <= group.releaseAt.nanoseconds {
        low = middle + 1
      } else {
        high = middle
      }
    }
    groups.insert(group, at: low)
    loadByClient[group.client] = held
    total = all
    return true
  }

  private static func load(of group: Group) -> Load {
    Load(
      messages: group.messages.count, bytes: group.messages.reduce(0) { $0 + $1.weight })
  }

  mutating func takeDue(_ now: MonotonicTime) -> Group? {
    guard let first = groups.first, first.releaseAt.nanoseconds <= now.nanoseconds else {
      return nil
    }
    groups.removeFirst()
    let gone = HeldMessages.load(of: first)
    total = total - gone
    let left = loadByClient[first.client, default: Load()] - gone
    loadByClient[first.client] = left.messages > 0 ? left : nil
    return first
  }
}
