internal import MusicalTime

/// Messages of bundles whose time has not come, in the order of their release.
///
/// - Thread: conductor
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

  private var groups: [Group] = []
  private var countByClient: [ClientIdentity: Int] = [:]
  private var total = 0

  var nextRelease: MonotonicTime? { groups.first?.releaseAt }
  var count: Int { total }

  /// - Returns: false where the client or all clients together hold too many.
  mutating func add(_ group: Group) -> Bool {
    let held = countByClient[group.client, default: 0]
    guard held + group.messages.count <= HeldMessages.perClient,
      total + group.messages.count <= HeldMessages.inAll
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
    countByClient[group.client] = held + group.messages.count
    total += group.messages.count
    return true
  }

  mutating func takeDue(_ now: MonotonicTime) -> Group? {
    guard let first = groups.first, first.releaseAt.nanoseconds <= now.nanoseconds else {
      return nil
    }
    groups.removeFirst()
    total -= first.messages.count
    let left = countByClient[first.client, default: 0] - first.messages.count
    countByClient[first.client] = left > 0 ? left : nil
    return first
  }
}
