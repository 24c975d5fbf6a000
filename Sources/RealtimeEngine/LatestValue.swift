public import Synchronization

/// A cell from one writer to any number of readers, in which only the newest value matters.
///
/// One of the two ways across a thread. The value travels as atomic words under a sequence
/// number: a reader that met a writer half-way sees the sequence move and reads again, so a torn
/// value is never used and nothing is a data race. Old values are overwritten by design.
///
/// - Thread: `store` from one writer only, which never waits; `load` from any thread.
@safe public final class LatestValue<Element: BitwiseCopyable>: @unchecked Sendable {
  @usableFromInline let words: UnsafeMutablePointer<Atomic<UInt64>>
  @usableFromInline let wordCount: Int
  @usableFromInline let sequence = Atomic<UInt64>(0)
  // The writer's own copy, read back as words; padded to whole words.
  @usableFromInline let scratch: UnsafeMutableRawPointer
  @usableFromInline let initial: Element

  public init(_ initial: Element) {
    self.initial = initial
    wordCount = max((MemoryLayout<Element>.size + 7) / 8, 1)
    unsafe words = UnsafeMutablePointer<Atomic<UInt64>>.allocate(capacity: wordCount)
    for index in 0..<wordCount {
      unsafe (words + index).initialize(to: Atomic<UInt64>(0))
    }
    unsafe scratch = UnsafeMutableRawPointer.allocate(
      byteCount: wordCount * 8, alignment: max(MemoryLayout<Element>.alignment, 8))
    unsafe scratch.initializeMemory(as: UInt8.self, repeating: 0, count: wordCount * 8)
    store(initial)
  }

  deinit {
    unsafe words.deinitialize(count: wordCount)
    unsafe words.deallocate()
    unsafe scratch.deallocate()
  }

  /// Publishes a value.
  @inlinable
  public func store(_ value: Element) {
    unsafe scratch.storeBytes(of: value, as: Element.self)
    // Odd while writing. A word that a reader sees implies that it can see the odd sequence too.
    let start = sequence.load(ordering: .relaxed)
    sequence.store(start &+ 1, ordering: .relaxed)
    for index in 0..<wordCount {
      let word = unsafe scratch.load(fromByteOffset: index &* 8, as: UInt64.self)
      unsafe words[index].store(word, ordering: .releasing)
    }
    sequence.store(start &+ 2, ordering: .releasing)
  }

  /// The newest whole value.
  public func load() -> Element {
    var value = initial
    let size = MemoryLayout<Element>.size
    while true {
      let before = sequence.load(ordering: .acquiring)
      if before & 1 == 1 { continue }
      unsafe withUnsafeMutableBytes(of: &value) { bytes in
        for index in 0..<wordCount {
          var word = unsafe words[index].load(ordering: .acquiring)
          let start = index * 8
          let count = min(8, size - start)
          guard count > 0 else { break }
          unsafe withUnsafeBytes(of: &word) { source in
            for byte in 0..<count { unsafe bytes[start + byte] = source[byte] }
          }
        }
      }
      if sequence.load(ordering: .relaxed) == before { return value }
    }
  }

  /// Counts the stores since the cell was made: a reader compares it to see whether there is news.
  public var version: UInt64 { sequence.load(ordering: .acquiring) / 2 }
}
