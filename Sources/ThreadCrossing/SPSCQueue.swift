public import Synchronization

/// A bounded queue from one thread to one other, in which every item matters.
///
/// One of the two ways across a thread. When it is full, `push` refuses and counts; nothing is
/// overwritten and nobody waits.
///
/// - Thread: `push` from one producer only, `pop` from one consumer only; both free of
///   allocation, locks and system calls.
@safe public final class SPSCQueue<Element: BitwiseCopyable>: @unchecked Sendable {
  /// The queue without its owner, for code that must not count references.
  public let ends: SPSCQueueEnds<Element>

  /// - Parameter capacity: items, rounded up to a power of two.
  public init(capacity: Int) {
    var size = 2
    while size < capacity { size *= 2 }
    let storage = UnsafeMutablePointer<Element>.allocate(capacity: size)
    // Touch every page now, so that the audio thread never faults one in.
    unsafe UnsafeMutableRawPointer(storage).initializeMemory(
      as: UInt8.self, repeating: 0, count: size * MemoryLayout<Element>.stride)
    let counters = UnsafeMutablePointer<Atomic<Int>>.allocate(
      capacity: SPSCQueueEnds<Element>.counterWords)
    for index in 0..<SPSCQueueEnds<Element>.counterWords {
      unsafe (counters + index).initialize(to: Atomic<Int>(0))
    }
    unsafe ends = SPSCQueueEnds(storage: storage, mask: size - 1, counters: counters)
  }

  deinit {
    unsafe ends.counters.deinitialize(count: SPSCQueueEnds<Element>.counterWords)
    unsafe ends.counters.deallocate()
    unsafe ends.storage.deallocate()
  }

  public var capacity: Int { ends.mask + 1 }

  /// Items that found the queue full since it was made.
  public var refused: Int { ends.refused }

  public var isEmpty: Bool { ends.isEmpty }

  /// Items that still fit in (producer only).
  public var room: Int { ends.room }

  /// - Returns: false, and counts, where the queue is full.
  @inlinable @inline(__always) @discardableResult
  public func push(_ element: Element) -> Bool { ends.push(element) }

  /// - Returns: the oldest item, or nil where the queue is empty.
  @inlinable @inline(__always)
  public func pop() -> Element? { ends.pop() }

  /// The oldest item without taking it (consumer only).
  @inlinable @inline(__always)
  public func peek() -> Element? { ends.peek() }
}

/// Both ends of an `SPSCQueue` as plain pointers, valid while the queue lives.
///
/// The methods carry no real-time annotation, because a generic body cannot be checked by itself;
/// each annotated caller has its specialised copy checked.
///
/// - Thread: as `SPSCQueue`
@safe @frozen
public struct SPSCQueueEnds<Element: BitwiseCopyable>: @unchecked Sendable, BitwiseCopyable {
  @usableFromInline let storage: UnsafeMutablePointer<Element>
  @usableFromInline let mask: Int
  // Head, tail and refused count, each on a cache line of its own (8 words of 8 bytes).
  @usableFromInline let counters: UnsafeMutablePointer<Atomic<Int>>

  @usableFromInline static var counterWords: Int { 24 }

  init(
    storage: UnsafeMutablePointer<Element>, mask: Int,
    counters: UnsafeMutablePointer<Atomic<Int>>
  ) {
    unsafe self.storage = unsafe storage
    self.mask = mask
    unsafe self.counters = unsafe counters
  }

  public var refused: Int { unsafe counters[16].load(ordering: .relaxed) }

  @inlinable public var isEmpty: Bool {
    unsafe counters[8].load(ordering: .acquiring) == counters[0].load(ordering: .acquiring)
  }

  public var room: Int {
    let count =
      unsafe counters[0].load(ordering: .relaxed) &- counters[8].load(ordering: .acquiring)
    return mask &+ 1 &- count
  }

  @inlinable @inline(__always) @discardableResult
  public func push(_ element: Element) -> Bool {
    let position = unsafe counters[0].load(ordering: .relaxed)
    guard unsafe position &- counters[8].load(ordering: .acquiring) <= mask else {
      unsafe counters[16].wrappingAdd(1, ordering: .relaxed)
      return false
    }
    unsafe storage[position & mask] = element
    unsafe counters[0].store(position &+ 1, ordering: .releasing)
    return true
  }

  @inlinable @inline(__always)
  public func pop() -> Element? {
    let position = unsafe counters[8].load(ordering: .relaxed)
    guard unsafe position != counters[0].load(ordering: .acquiring) else { return nil }
    let element = unsafe storage[position & mask]
    unsafe counters[8].store(position &+ 1, ordering: .releasing)
    return element
  }

  @inlinable @inline(__always)
  public func peek() -> Element? {
    let position = unsafe counters[8].load(ordering: .relaxed)
    guard unsafe position != counters[0].load(ordering: .acquiring) else { return nil }
    return unsafe storage[position & mask]
  }
}
