import Glibc
import Synchronization
import Testing
import ThreadCrossing

@Suite struct SPSCQueueTests {
  struct Item: BitwiseCopyable, Sendable {
    var number: Int
    // Three more words that must arrive with the number.
    var twice: Int
    var thrice: Int
    var negative: Int

    init(_ number: Int) {
      self.number = number
      twice = 2 * number
      thrice = 3 * number
      negative = -number
    }

    var isWhole: Bool { twice == 2 * number && thrice == 3 * number && negative == -number }
  }

  @Test(arguments: [(1, 2), (2, 2), (3, 4), (64, 64), (65, 128)])
  func `a capacity is rounded up to a power of two`(asked: Int, got: Int) {
    #expect(SPSCQueue<Int>(capacity: asked).capacity == got)
  }

  @Test func `a full queue refuses and counts, and keeps what it holds`() {
    let queue = SPSCQueue<Int>(capacity: 4)
    for number in 0..<4 { #expect(queue.push(number)) }
    #expect(!queue.push(4))
    #expect(!queue.push(5))
    #expect(queue.refused == 2)
    for number in 0..<4 {
      #expect(queue.peek() == number)
      #expect(queue.pop() == number)
    }
    #expect(queue.pop() == nil)
    #expect(queue.isEmpty)
    #expect(queue.push(6))
    #expect(queue.pop() == 6)
  }

  @Test(arguments: [2, 8, 1024])
  func `every item comes whole and in order to the other thread`(capacity: Int) {
    let queue = SPSCQueue<Item>(capacity: capacity)
    let count = 50_000
    let wrong = SharedCount()
    let seen = SharedCount()
    atTheSameTime(
      {
        var number = 0
        while number < count {
          if queue.push(Item(number)) { number += 1 } else { sched_yield() }
        }
      },
      {
        var number = 0
        while number < count {
          guard let item = queue.pop() else {
            sched_yield()
            continue
          }
          if item.number != number || !item.isWhole { wrong.add(1) }
          seen.add(1)
          number += 1
        }
      })
    #expect(wrong.total == 0)
    #expect(seen.total == count)
    #expect(queue.isEmpty)
  }

  /// The sanitizer's run is worth something only if it sees what it is there for: under it, a hand-over
  /// without release and acquire ends the process with the status that TSAN_OPTIONS names.
  @Test func `ThreadSanitizer reports a hand-over without ordering`() async {
    let watched = getenv("TACTUS_TSAN") != nil
    await #expect(processExitsWith: watched ? .exitCode(66) : .success) {
      let slot = UnorderedSlot()
      atTheSameTime(
        { for number in 1...1000 { slot.put(number) } },
        { while slot.take() < 1000 {} })
    }
  }
}

/// What `SPSCQueue` must not be: the item is published by a relaxed store.
private final class UnorderedSlot: @unchecked Sendable {
  private let item = UnsafeMutablePointer<Int>.allocate(capacity: 1)
  private let published = Atomic<Int>(0)

  init() { item.initialize(to: 0) }

  func put(_ number: Int) {
    item.pointee = number
    published.store(number, ordering: .relaxed)
  }

  func take() -> Int {
    published.load(ordering: .relaxed) > 0 ? item.pointee : 0
  }
}
