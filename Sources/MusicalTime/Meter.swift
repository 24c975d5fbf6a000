/// A meter as it was written, with the beats that it counts.
///
/// `7/8` has seven beats of an eighth; `2+2+3/8` the same seven, grouped; `6/8.` has two beats of
/// a dotted quarter, because the dot says that three written units make one beat.
///
/// - Unit: beats; group starts are a bit mask, bit n for 0-based beat n.
/// - Thread: any
@frozen
public struct Meter: Hashable, Sendable, BitwiseCopyable {
  /// Beats in a bar, 1 to 64.
  public let beatCount: UInt8
  /// The written denominator: 1, 2, 4, 8, 16 or 32.
  public let denominator: UInt8
  /// Whether three written units make one beat (`6/8.`).
  public let compound: Bool
  /// Whether the groups were written out (`2+2+3/8`), and so belong to the meter's text.
  public let grouped: Bool
  /// First beats of groups; bit 0 is always set.
  public let groupStarts: UInt64

  public static let maximumBeats = 64

  @inlinable public static var common: Meter {
    @_noAllocation @_noLocks get {
      Meter(unchecked: 4, denominator: 4, compound: false, grouped: false, groupStarts: 1)
    }
  }

  @inlinable @_noAllocation @_noLocks
  public init(
    unchecked beatCount: UInt8, denominator: UInt8, compound: Bool, grouped: Bool,
    groupStarts: UInt64
  ) {
    self.beatCount = beatCount
    self.denominator = denominator
    self.compound = compound
    self.grouped = grouped
    self.groupStarts = groupStarts
  }

  /// A meter of `numerator` written units; 6, 9, 12, ... over 8 group by three of themselves.
  public init(_ numerator: Int, _ denominator: Int, compound: Bool = false) throws(MeterError) {
    try self.init(groups: [numerator], denominator: denominator, compound: compound)
  }

  /// A meter from its written groups: `[2, 2, 3]` over 8.
  public init(
    groups: [Int], denominator: Int, compound: Bool = false
  ) throws(MeterError) {
    guard [1, 2, 4, 8, 16, 32].contains(denominator) else {
      throw .denominator(denominator)
    }
    guard groups.allSatisfy({ (1...Meter.maximumBeats).contains($0) }) else {
      throw .numerator(groups.first { !(1...Meter.maximumBeats).contains($0) } ?? 0)
    }
    let written = groups.reduce(0, +)
    if compound, groups.contains(where: { $0 % 3 != 0 }) { throw .notInThrees(written) }
    let unit = compound ? 3 : 1
    let count = written / unit
    guard (1...Meter.maximumBeats).contains(count) else { throw .numerator(written) }

    var starts: UInt64 = 1
    if groups.count > 1 {
      var beat = 0
      for group in groups {
        starts |= 1 << UInt64(beat)
        beat += group / unit
      }
    } else if !compound, denominator == 8, written > 3, written % 3 == 0 {
      for beat in stride(from: 0, to: count, by: 3) { starts |= 1 << UInt64(beat) }
    }
    self.init(
      unchecked: UInt8(count), denominator: UInt8(denominator), compound: compound,
      grouped: groups.count > 1, groupStarts: starts)
  }

  /// Reads `4/4`, `2+2+3/8`, `6/8.`.
  public init(text: some StringProtocol) throws(MeterError) {
    let sides = text.split(separator: "/", omittingEmptySubsequences: false)
    guard sides.count == 2, text.utf8.count <= 100 else { throw .text(String(text.prefix(100))) }
    let compound = sides[1].hasSuffix(".")
    guard let denominator = Int(compound ? sides[1].dropLast() : sides[1]) else {
      throw .text(String(text))
    }
    var groups: [Int] = []
    for part in sides[0].split(separator: "+", omittingEmptySubsequences: false) {
      guard let group = Int(part) else { throw .text(String(text)) }
      groups.append(group)
    }
    try self.init(groups: groups, denominator: denominator, compound: compound)
  }

  /// The note value of one beat.
  @inlinable public var beat: NoteValue {
    @_noAllocation @_noLocks get {
      // Three units of 1/8 are a dotted quarter: twice as long as the written unit, and a dot.
      compound && denominator > 1
        ? NoteValue(unchecked: denominator / 2, dotted: true)
        : NoteValue(unchecked: denominator, dotted: false)
    }
  }

  @inlinable public var beatLength: ScorePosition {
    @_noAllocation @_noLocks get {
      // `x/1.` would need a dotted breve, which NoteValue cannot name.
      ScorePosition(
        ticks: ScorePosition.ticksPerQuarter &* (compound ? 12 : 4) / Int64(denominator))
    }
  }

  @inlinable public var barLength: ScorePosition {
    @_noAllocation @_noLocks get {
      ScorePosition(ticks: beatLength.ticks &* Int64(beatCount))
    }
  }

  @inlinable @_noAllocation @_noLocks
  public func startsGroup(_ beat: Int) -> Bool {
    beat >= 0 && beat < 64 && (groupStarts >> UInt64(beat)) & 1 == 1
  }
}

/// Why a meter was refused; the description names the value, the range and the way out.
public enum MeterError: Error, Equatable, CustomStringConvertible {
  case text(String)
  case numerator(Int)
  case denominator(Int)
  case notInThrees(Int)

  public var description: String {
    switch self {
    case .text(let text):
      "meter '\(text)' is not BEATS/UNIT: write 4/4, 2+2+3/8 or 6/8. (two dotted quarters)"
    case .numerator(let value):
      "meter has \(value) beats: allowed are 1 to \(Meter.maximumBeats)"
    case .denominator(let value):
      "meter unit \(value) is not a note value: allowed are 1, 2, 4, 8, 16 and 32"
    case .notInThrees(let value):
      "compound meter of \(value) units: with a dot each group must be a multiple of 3, as in 6/8."
    }
  }
}

extension Meter: CustomStringConvertible {
  public var description: String {
    let unit = compound ? 3 : 1
    var text = ""
    if grouped {
      var length = 0
      for beat in 0..<Int(beatCount) {
        if beat > 0, startsGroup(beat) {
          text += "\(length * unit)+"
          length = 0
        }
        length += 1
      }
      text += "\(length * unit)"
    } else {
      text = "\(Int(beatCount) * unit)"
    }
    return "\(text)/\(denominator)\(compound ? "." : "")"
  }
}
