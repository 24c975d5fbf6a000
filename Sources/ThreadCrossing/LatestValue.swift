public import Synchronization

/// A cell from one writer to any number of readers, in which only the newest value matters.
///
/// One of the two ways across a thread. Values are written in turn into one of four slots, as
/// atomic words under the slot's number, and the newest whole one is then named. A reader never
/// waits for a writer: on one processor a reader of higher priority that interrupts a store finds
/// the value before it, where spinning until the store ends would never end. It reads again only
/// if the writer went round all slots meanwhile. A torn value is never used, nothing is a data
/// race, and old values are overwritten by design.
///
/// - Thread: `store` from one writer only, which never waits; `load` from any thread.
@safe public final class LatestValue<Element: BitwiseCopyable>: @unchecked Sendable {
  /// The writer's end without its owner, for code that must not count references.
  public let writer: LatestValueWriter<Element>
  private let initial: Element

  public init(_ initial: Element) {
    self.initial = initial
    let wordCount = max((MemoryLayout<Element>.size + 7) / 8, 1)
    // Word 0 counts the stores; each slot is its number and then the value.
    let total = 1 + 4 * (wordCount + 1)
    let words = UnsafeMutablePointer<Atomic<UInt64>>.allocate(capacity: total)
    for index in 0..<total {
      unsafe (words + index).initialize(to: Atomic<UInt64>(0))
    }
    let scratch = UnsafeMutableRawPointer.allocate(
      byteCount: wordCount * 8, alignment: max(MemoryLayout<Element>.alignment, 8))
    unsafe scratch.initializeMemory(as: UInt8.self, repeating: 0, count: wordCount * 8)
    unsafe writer = LatestValueWriter(words: words, wordCount: wordCount, scratch: scratch)
    writer.store(initial)
  }

  deinit {
    unsafe writer.words.deinitialize(count: 1 + 4 * (writer.wordCount + 1))
    unsafe writer.words.deallocate()
    unsafe writer.scratch.deallocate()
  }

  /// Publishes a value.
  @inlinable @inline(__always)
  public func store(_ value: Element) { writer.store(value) }

  /// The newest whole value.
  public func load() -> Element {
    var value = initial
    let size = MemoryLayout<Element>.size
    let words = unsafe writer.words
    while true {
      let newest = unsafe words[0].load(ordering: .acquiring)
      let slot = unsafe words + writer.start(ofSlotFor: newest)
      if unsafe slot[0].load(ordering: .acquiring) != newest { continue }
      unsafe withUnsafeMutableBytes(of: &value) { bytes in
        for index in 0..<writer.wordCount {
          var word = unsafe slot[index + 1].load(ordering: .acquiring)
          let start = index * 8
          let count = min(8, size - start)
          guard count > 0 else { break }
          if count == 8 {
            unsafe bytes.storeBytes(of: word, toByteOffset: start, as: UInt64.self)
            continue
          }
          unsafe withUnsafeBytes(of: &word) { source in
            for byte in 0..<count { unsafe bytes[start + byte] = source[byte] }
          }
        }
      }
      if unsafe slot[0].load(ordering: .relaxed) == newest { return value }
    }
  }

  /// Counts the stores since the cell was made: a reader compares it to see whether there is news.
  public var version: UInt64 { unsafe writer.words[0].load(ordering: .acquiring) }
}

/// The writer's end of a `LatestValue` as plain pointers, valid while the cell lives.
///
/// `store` carries no real-time annotation, because a generic body cannot be checked by itself;
/// each annotated caller has its specialised copy checked.
///
/// - Thread: one writer
@safe @frozen
public struct LatestValueWriter<Element: BitwiseCopyable>: @unchecked Sendable, BitwiseCopyable {
  @usableFromInline let words: UnsafeMutablePointer<Atomic<UInt64>>
  @usableFromInline let wordCount: Int
  // The writer's own copy, read back as words; padded to whole words.
  @usableFromInline let scratch: UnsafeMutableRawPointer

  init(
    words: UnsafeMutablePointer<Atomic<UInt64>>, wordCount: Int, scratch: UnsafeMutableRawPointer
  ) {
    unsafe self.words = unsafe words
    self.wordCount = wordCount
    unsafe self.scratch = unsafe scratch
  }

  @inlinable @inline(__always)
  public func store(_ value: Element) {
    unsafe scratch.assumingMemoryBound(to: Element.self)[0] = value
    let count = unsafe words[0].load(ordering: .relaxed) &+ 1
    let slot = unsafe words + start(ofSlotFor: count)
    // No number while writing: whoever sees one of the new words can see that too.
    unsafe slot[0].store(.max, ordering: .relaxed)
    var index = 0
    while index < wordCount {
      let word = unsafe scratch.assumingMemoryBound(to: UInt64.self)[index]
      unsafe slot[index &+ 1].store(word, ordering: .releasing)
      index &+= 1
    }
    unsafe slot[0].store(count, ordering: .releasing)
    unsafe words[0].store(count, ordering: .releasing)
  }

  @inlinable @inline(__always)
  func start(ofSlotFor count: UInt64) -> Int {
    1 &+ Int(truncatingIfNeeded: count & 3) &* (wordCount &+ 1)
  }
}
