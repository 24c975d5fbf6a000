internal import OSCProtocol
internal import OSCWire
internal import MusicalTime

/// Packets to be sent at an instant, in its order.
///
/// - Thread: control
struct SendQueue {
  struct Item {
    var at: MonotonicTime
    var bytes: [UInt8]
    var recipient: Recipient
    /// What a stop from this frame on takes back; nil is never taken back.
    var frame: FrameIndex?
  }

  enum Recipient: Equatable {
    case topic(SubscriptionTopics)
    case address(SocketAddress)
  }

  /// More than 64 targets with subdivisions at 999 beats a minute have within two seconds.
  static let capacity = 8_192

  private var items: [Item] = []
  private(set) var overflowed = 0

  var nextDeadline: MonotonicTime? { items.first?.at }
  var count: Int { items.count }

  mutating func add(_ item: Item) {
    guard items.count < SendQueue.capacity else {
      overflowed += 1
      return
    }
    // Mostly the newest is the last: look from the end.
    var index = items.count
    while index > 0, items[index - 1].at.nanoseconds > item.at.nanoseconds { index -= 1 }
    items.insert(item, at: index)
  }

  mutating func takeDue(_ now: MonotonicTime) -> [Item] {
    var count = 0
    while count < items.count, items[count].at.nanoseconds <= now.nanoseconds { count += 1 }
    guard count > 0 else { return [] }
    let due = Array(items.prefix(count))
    items.removeFirst(count)
    return due
  }

  mutating func cancel(from frame: FrameIndex) {
    items.removeAll { item in item.frame.map { $0.value >= frame.value } ?? false }
  }

  /// What ends a flash, whenever it would be due.
  mutating func takeFlashEnds() -> [Item] {
    var ends: [Item] = []
    items.removeAll { item in
      guard item.frame == nil, case .address = item.recipient else { return false }
      ends.append(item)
      return true
    }
    return ends
  }
}
