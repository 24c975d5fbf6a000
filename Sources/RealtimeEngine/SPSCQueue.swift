public import Synchronization

/// A bounded queue from one thread to one other, in which every item matters.
///
/// One of the two ways across a thread. When it is full, `push` refuses and counts; nothing is
/// overwritten and nobody waits.
///
/// The methods carry no real-time annotation of their own, because a generic body cannot be
/// checked; each caller that is annotated has its specialised copy checked.
///
/// - Thread: `push` from one producer only, `pop` from one consumer only; both free of
///   allocation, locks and system calls.
@safe public final class SPSCQueue<Element: BitwiseCopyable>: @unchecked Sendable {
  @usableFromInline let storage: UnsafeMutablePointer<Element>
  @usableFromInline let mask: Int
  // Producer and consumer keep their own index on their own cache line.
  @usableFromInline let head = Atomic<Int>(0)
  @usableFromInline let padding: (Int, Int, Int, Int, Int, Int, Int) = (0, 0, 0, 0, 0, 0, 0)
  @usableFromInline let tail = Atomic<Int>(0)
  @usableFromInline let refusedCount = Atomic<Int>(0)

  /// - Parameter capacity: items, rounded up to a power of two.
  public init(capacity: Int) {
    var size = 2
    while size < capacity { size *= 2 }
    mask = size - 1
    unsafe storage = UnsafeMutablePointer<Element>.allocate(capacity: size)
    // Touch every page now, so that the audio thread never faults one in.
    unsafe UnsafeMutableRawPointer(storage).initializeMemory(
      as: UInt8.self, repeating: 0, count: size * MemoryLayout<Element>.stride)
  }

  deinit { unsafe storage.deallocate() }

  public var capacity: Int { mask + 1 }

  /// Items that found the queue full since it was made.
  public var refused: Int { refusedCount.load(ordering: .relaxed) }

  /// - Returns: false, and counts, where the queue is full.
  @inlinable @discardableResult
  public func push(_ element: Element) -> Bool {
    let position = head.load(ordering: .relaxed)
    guard position &- tail.load(ordering: .acquiring) <= mask else {
      refusedCount.wrappingAdd(1, ordering: .relaxed)
      return false
    }
    unsafe storage[position & mask] = element
    head.store(position &+ 1, ordering: .releasing)
    return true
  }

  /// - Returns: the oldest item, or nil where the queue is empty.
  @inlinable
  public func pop() -> Element? {
    let position = tail.load(ordering: .relaxed)
    guard position != head.load(ordering: .acquiring) else { return nil }
    let element = unsafe storage[position & mask]
    tail.store(position &+ 1, ordering: .releasing)
    return element
  }

  /// The oldest item without taking it (consumer only).
  @inlinable
  public func peek() -> Element? {
    let position = tail.load(ordering: .relaxed)
    guard position != head.load(ordering: .acquiring) else { return nil }
    return unsafe storage[position & mask]
  }

  @inlinable public var isEmpty: Bool {
    get {
      tail.load(ordering: .acquiring) == head.load(ordering: .acquiring)
    }
  }
}
