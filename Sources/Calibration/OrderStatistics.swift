/// Medians, which a single wild value does not move.
public enum OrderStatistics {
  /// - Precondition: else 0 is returned: `values` is not empty.
  public static func median(_ values: [Double]) -> Double {
    guard !values.isEmpty else { return 0 }
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }

  /// Median absolute deviation from the median, unscaled.
  public static func deviation(_ values: [Double]) -> Double {
    let centre = median(values)
    return median(values.map { abs($0 - centre) })
  }

  /// Median of the slopes of all pairs (Theil and Sen): up to 29 % of wild points do not move it.
  public static func slope(_ points: [(x: Double, y: Double)]) -> Double {
    var slopes: [Double] = []
    for (index, first) in points.enumerated() {
      for second in points[(index + 1)...] where second.x != first.x {
        slopes.append((second.y - first.y) / (second.x - first.x))
      }
    }
    return median(slopes)
  }
}
