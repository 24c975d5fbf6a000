/// Finds what a person may have meant.
///
/// - Thread: any
public enum NearestName {
  /// The candidate that differs least from `name`; nil where none is near.
  public static func of(_ name: String, among candidates: [String]) -> String? {
    // Long input is noise, and the table below grows with it.
    guard (1...64).contains(name.utf8.count) else { return nil }
    var best: (name: String, distance: Int)?
    for candidate in candidates {
      let distance = self.distance(Array(name.utf8), Array(candidate.utf8))
      if distance < best?.distance ?? Int.max { best = (candidate, distance) }
    }
    guard let best else { return nil }
    // One slip in three letters, at least two, is still a slip of the fingers.
    return best.distance <= max(2, name.utf8.count / 3) ? best.name : nil
  }

  /// Insertions, deletions, replacements and swaps of neighbours that lead from one to the other.
  static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...other.count)
    for (row, byte) in one.enumerated() {
      var current = [row + 1]
      for (column, otherByte) in other.enumerated() {
        var cost = last[column] + (byte == otherByte ? 0 : 1)
        cost = min(cost, last[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, byte == other[column - 1], one[row - 1] == otherByte {
          cost = min(cost, beforeLast[column - 1] + 1)
        }
        current.append(cost)
      }
      beforeLast = last
      last = current
    }
    return last[other.count]
  }
}
