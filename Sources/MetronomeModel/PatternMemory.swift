public import MusicalTime

/// The pattern that each meter was last played with.
///
/// - Thread: any
public struct PatternMemory: Equatable, Sendable {
  /// Meters remembered at most: nobody uses more, and whoever sends more does not fill the memory.
  public static let capacity = 64

  /// Latest last.
  public private(set) var entries: [Entry] = []

  public struct Entry: Equatable, Sendable {
    public let meter: Meter
    public let pattern: AccentPattern
  }

  public init() {}

  /// The last-used pattern of a meter, else its default.
  public func pattern(for meter: Meter) -> AccentPattern {
    entries.last { $0.meter == meter }?.pattern ?? .standard(for: meter)
  }

  /// Remembers a pattern of as many beats as the meter has; any other is left alone.
  public mutating func remember(_ pattern: AccentPattern, for meter: Meter) {
    guard pattern.count == meter.beatCount else { return }
    entries.removeAll { $0.meter == meter }
    entries.append(Entry(meter: meter, pattern: pattern))
    if entries.count > PatternMemory.capacity { entries.removeFirst() }
  }
}
