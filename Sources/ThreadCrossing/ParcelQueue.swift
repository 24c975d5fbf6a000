/// An `SPSCQueue` for values that own memory: text, arrays, closures.
///
/// Not for threads that must be on time: each push allocates, each pop frees.
///
/// - Thread: `push` from one producer only, `pop` from one consumer only.
@safe public final class ParcelQueue<Element: Sendable>: @unchecked Sendable {
  private let queue: SPSCQueue<Unmanaged<Parcel<Element>>>

  /// - Parameter capacity: items, rounded up to a power of two.
  public init(capacity: Int) { unsafe queue = SPSCQueue(capacity: capacity) }

  deinit { while pop() != nil {} }

  public var capacity: Int { unsafe queue.capacity }

  /// Items that found the queue full since it was made.
  public var refused: Int { unsafe queue.refused }

  /// - Returns: false, and counts, where the queue is full.
  public func push(_ element: Element) -> Bool {
    let parcel = unsafe Unmanaged.passRetained(Parcel(element))
    if unsafe queue.push(parcel) { return true }
    unsafe parcel.release()
    return false
  }

  /// - Returns: the oldest item, or nil where the queue is empty.
  public func pop() -> Element? {
    unsafe queue.pop().map { unsafe $0.takeRetainedValue().element }
  }
}

private final class Parcel<Element: Sendable>: Sendable {
  let element: Element
  init(_ element: Element) { self.element = element }
}
