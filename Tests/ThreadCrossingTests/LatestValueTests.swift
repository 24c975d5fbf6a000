import Glibc
import Synchronization
import Testing

@testable import ThreadCrossing

@Suite struct LatestValueTests {
  /// 36 bytes: four and a half words, so that the last word is a part.
  struct Reading: BitwiseCopyable, Sendable, Equatable {
    var a: Int64 = 0
    var b: Int64 = 0
    var c: Int64 = 0
    var d: Int64 = 0
    var e: Int32 = 0

    init(_ number: Int64) {
      a = number
      b = number * 2
      c = number * 3
      d = -number
      e = Int32(truncatingIfNeeded: number)
    }

    var isWhole: Bool { self == Reading(a) }
  }

  @Test func `the newest value is read, any number of times`() {
    let cell = LatestValue(Reading(1))
    #expect(cell.load() == Reading(1))
    cell.store(Reading(2))
    cell.store(Reading(3))
    #expect(cell.load() == Reading(3))
    #expect(cell.load() == Reading(3))
  }

  @Test func `a reader that interrupts a store finds the value before it and does not wait`() {
    let cell = LatestValue(Reading(1))
    cell.store(Reading(2))
    // As far as a store has got when a thread of higher priority takes the processor.
    let writer = cell.writer
    let count = writer.words[0].load(ordering: .relaxed) + 1
    let slot = writer.words + writer.start(ofSlotFor: count)
    slot[0].store(.max, ordering: .relaxed)
    slot[1].store(99, ordering: .relaxed)
    #expect(cell.load() == Reading(2))
  }

  @Test func `the version tells whether there is news`() {
    let cell = LatestValue(Reading(0))
    let before = cell.version
    #expect(cell.version == before)
    cell.store(Reading(1))
    cell.store(Reading(2))
    #expect(cell.version == before + 2)
  }

  @Test func `a reader on another thread sees whole values that never go back`() {
    let cell = LatestValue(Reading(0))
    let last: Int64 = 50_000
    let torn = SharedCount()
    let backwards = SharedCount()
    atTheSameTime(
      { for number in 1...last { cell.store(Reading(number)) } },
      {
        var newest: Int64 = 0
        while newest < last {
          let reading = cell.load()
          if !reading.isWhole { torn.add(1) }
          if reading.a < newest { backwards.add(1) }
          newest = reading.a
        }
      })
    #expect(torn.total == 0)
    #expect(backwards.total == 0)
    #expect(cell.load() == Reading(last))
  }
}
