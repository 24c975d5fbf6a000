/// How late beats were fired, from early to very late.
///
/// - Unit: microseconds
/// - Thread: companion
public struct LatenessHistogram: Equatable, Sendable {
  /// Upper ends of the classes; the last class has none.
  public static let edges: [Int64] = [0, 50, 100, 200, 500, 1_000, 2_000, 4_000]
  public private(set) var counts = Array(repeating: 0, count: edges.count + 1)
  public private(set) var largest: Int64 = Int64.min

  public init() {}

  public var total: Int { counts.reduce(0, +) }

  public mutating func add(microseconds: Int64) {
    let index = LatenessHistogram.edges.firstIndex { microseconds <= $0 }
    counts[index ?? LatenessHistogram.edges.count] += 1
    largest = max(largest, microseconds)
  }

  /// A row a class, with a bar of at most forty signs.
  public var table: String {
    guard total > 0 else { return "no beat was fired\n" }
    let most = counts.max() ?? 1
    var text = ""
    for (index, count) in counts.enumerated() {
      let label =
        index < LatenessHistogram.edges.count
        ? "to \(LatenessHistogram.edges[index]) us" : "later"
      let padding = String(repeating: " ", count: max(0, 12 - label.count))
      let bar = String(repeating: "#", count: (count * 40 + most - 1) / most)
      text += "\(padding)\(label) \(count) \(bar)\n"
    }
    return text + "largest \(largest) us of \(total) beats\n"
  }
}
