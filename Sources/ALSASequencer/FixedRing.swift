/// A double-ended queue in memory that is taken once, for a thread that must not allocate.
///
/// - Thread: one owner
struct FixedRing<Element: BitwiseCopyable & Sendable>: Sendable {
  private var storage: [Element]
  private var head = 0
  private(set) var count = 0
  private let mask: Int

  /// - Parameter capacity: items, rounded up to a power of two.
  init(capacity: Int, filler: Element) {
    var size = 2
    while size < capacity { size *= 2 }
    // Writing the filler brings every page in.
    storage = Array(repeating: filler, count: size)
    mask = size - 1
  }

  var isFull: Bool { count > mask }
  var first: Element? { count > 0 ? storage[head] : nil }
  var last: Element? { count > 0 ? storage[(head &+ count &- 1) & mask] : nil }

  /// - Precondition: `index` is in 0 ..< count.
  subscript(index: Int) -> Element { storage[(head &+ index) & mask] }

  /// - Returns: false where it is full.
  mutating func append(_ element: Element) -> Bool {
    guard count <= mask else { return false }
    storage[(head &+ count) & mask] = element
    count += 1
    return true
  }

  /// - Returns: false where it is full.
  mutating func prepend(_ element: Element) -> Bool {
    guard count <= mask else { return false }
    head = (head &- 1) & mask
    storage[head] = element
    count += 1
    return true
  }

  mutating func removeFirst() {
    guard count > 0 else { return }
    head = (head &+ 1) & mask
    count -= 1
  }

  mutating func removeAll() { count = 0 }

  /// Puts another in place of each.
  mutating func replaceAll(_ other: (Element) -> Element) {
    var index = 0
    while index < count {
      storage[(head &+ index) & mask] = other(self[index])
      index += 1
    }
  }

  /// Keeps the order of what stays.
  mutating func removeAll(where isVoid: (Element) -> Bool) {
    var kept = 0
    var index = 0
    while index < count {
      let element = self[index]
      if !isVoid(element) {
        storage[(head &+ kept) & mask] = element
        kept += 1
      }
      index += 1
    }
    count = kept
  }
}
