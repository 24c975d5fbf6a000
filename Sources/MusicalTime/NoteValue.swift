/// A note value as a fraction of a quarter note: `1/8` is 1/2, `1/4.` is 3/2.
///
/// - Unit: quarter notes
/// - Thread: any
@frozen
public struct NoteValue: Hashable, Sendable, BitwiseCopyable {
  /// The denominator as written: 1, 2, 4, 8, 16 or 32.
  public let written: UInt8
  /// A dot makes it half as long again.
  public let dotted: Bool

  @inlinable public static var quarter: NoteValue {
    @_noAllocation @_noLocks get { NoteValue(unchecked: 4, dotted: false) }
  }

  @inlinable @_noAllocation @_noLocks
  public init(unchecked written: UInt8, dotted: Bool) {
    self.written = written
    self.dotted = dotted
  }

  /// - Returns: nil unless `written` is 1, 2, 4, 8, 16 or 32.
  @inlinable
  public init?(_ written: Int, dotted: Bool = false) {
    guard [1, 2, 4, 8, 16, 32].contains(written) else { return nil }
    self.init(unchecked: UInt8(written), dotted: dotted)
  }

  /// Reads `1/8` or `1/4.`; also the bare denominators `8` and `4.`.
  public init?(text: some StringProtocol) {
    var body = text[...]
    let dotted = body.hasSuffix(".")
    if dotted { body = body.dropLast() }
    if body.hasPrefix("1/") { body = body.dropFirst(2) }
    guard body.utf8.count <= 2, let number = Int(body) else { return nil }
    self.init(number, dotted: dotted)
  }

  /// Quarter notes in this value: numerator of the fraction.
  @inlinable public var quartersNumerator: Int64 {
    @_noAllocation @_noLocks get { dotted ? 12 : 4 }
  }

  /// Quarter notes in this value: denominator of the fraction.
  @inlinable public var quartersDenominator: Int64 {
    @_noAllocation @_noLocks get { dotted ? 2 &* Int64(written) : Int64(written) }
  }

  /// The length in ticks; exact for every legal value.
  @inlinable public var length: ScorePosition {
    @_noAllocation @_noLocks get {
      ScorePosition(
        ticks: ScorePosition.ticksPerQuarter &* quartersNumerator / quartersDenominator)
    }
  }
}

extension NoteValue: CustomStringConvertible {
  public var description: String { "1/\(written)\(dotted ? "." : "")" }
}
