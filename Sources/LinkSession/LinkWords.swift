/// The fixed size of what passes between the daemon and `tactus-link`: eight words, in the byte order
/// of the machine that both run on.
///
/// A socket that keeps message boundaries carries them, so that neither side ever waits for the
/// rest of one.
///
/// - Thread: any
public struct LinkWords: Equatable, Sendable {
  public static let count = 8
  public static let byteCount = count * 8
  /// In the first word above the kind: another build of either program is not understood.
  static let version: Int64 = 1

  public private(set) var words: [Int64]

  /// - Parameter kind: 0 to 255.
  init(kind: Int64, _ values: [Int64]) {
    words = [LinkWords.version << 8 | kind] + values
    words += Array(repeating: 0, count: max(0, LinkWords.count - words.count))
  }

  /// - Returns: nil where it is not exactly one message of this version.
  public init?(bytes: [UInt8]) {
    guard bytes.count == LinkWords.byteCount else { return nil }
    words = (0..<LinkWords.count).map { index in
      Int64(
        bitPattern: (0..<8).reduce(UInt64(0)) { $0 | UInt64(bytes[index * 8 + $1]) << (8 * $1) })
    }
    guard words[0] >> 8 == LinkWords.version else { return nil }
  }

  public var bytes: [UInt8] {
    words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * Int64($0))) } }
  }

  var kind: Int64 { words[0] & 0xFF }

  func double(_ index: Int) -> Double { Double(bitPattern: UInt64(bitPattern: words[index])) }
}

extension Double {
  var word: Int64 { Int64(bitPattern: bitPattern) }
}
