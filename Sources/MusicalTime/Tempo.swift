/// A tempo as it was given: a value in whole thousandths and the note value that it counts, or the
/// exact length of a quarter note.
///
/// `72` at `1/4.` is 72 dotted quarters a minute, which is a quarter tempo of 108. The value is
/// stored and echoed as given; everything that needs quarter notes derives them as a rational.
/// A tempo of a MIDI file or of another program is a length in microseconds, which hardly ever is
/// a whole number of thousandths: it keeps that length, and the thousandths are what is shown.
///
/// - Unit: units a minute, in thousandths
/// - Thread: any
@frozen
public struct Tempo: Hashable, Sendable, BitwiseCopyable {
  public let thousandths: Int32
  public let unit: NoteValue
  /// The length of a quarter note in 1/256 us; 0 where it follows from the thousandths.
  @usableFromInline let exactLength: UInt32

  /// The quarter tempo's legal range, in thousandths of a quarter note a minute: 5 to 999.
  @inlinable public static var quarterThousandthsRange: ClosedRange<Int64> { 5_000...999_000 }

  @inlinable @_noAllocation @_noLocks
  public init(unchecked thousandths: Int32, unit: NoteValue) {
    self.thousandths = thousandths
    self.unit = unit
    self.exactLength = 0
  }

  @inlinable @_noAllocation @_noLocks
  init(shown thousandths: Int32, exactLength: UInt32) {
    self.thousandths = thousandths
    self.unit = .quarter
    self.exactLength = exactLength
  }

  /// - Returns: nil where the quarter tempo would leave 5 to 999 a minute.
  @inlinable
  public init?(thousandths: Int64, unit: NoteValue = .quarter) {
    guard thousandths > 0, thousandths <= 999_000 * 32 else { return nil }
    let scaled = thousandths * unit.quartersNumerator
    guard scaled >= 5_000 * unit.quartersDenominator,
      scaled <= 999_000 * unit.quartersDenominator
    else { return nil }
    self.init(unchecked: Int32(thousandths), unit: unit)
  }

  /// Rounds to the nearest thousandth.
  ///
  /// - Returns: nil where `value` is not finite or the quarter tempo would leave 5 to 999 a minute.
  public init?(_ value: Double, unit: NoteValue = .quarter) {
    guard value.isFinite, value > 0, value < 32_000 else { return nil }
    self.init(thousandths: Int64((value * 1000).rounded(.toNearestOrAwayFromZero)), unit: unit)
  }

  /// The tempo of an instant within a glide, in the unit that is in force: rounded half up.
  @inlinable @_noAllocation @_noLocks
  public init(quarterThousandths: Int32, unit: NoteValue) {
    let numerator = 2 &* Int64(quarterThousandths) &* unit.quartersDenominator
    let divisor = 2 &* unit.quartersNumerator
    self.init(
      unchecked: Int32(truncatingIfNeeded: (numerator &+ unit.quartersNumerator) / divisor),
      unit: unit)
  }

  public var value: Double { Double(thousandths) / 1000 }

  /// The quarter tempo as a rational: thousandths of a quarter note a minute, times the
  /// denominator below.
  ///
  /// - Unit: 60 000 000 us a minute, thousandths and 1/256 us make at most 1.536 x 10^13.
  @inlinable public var quarterNumerator: Int64 {
    @_noAllocation @_noLocks get {
      exactLength > 0 ? 15_360_000_000_000 : Int64(thousandths) &* unit.quartersNumerator
    }
  }

  @inlinable public var quarterDenominator: Int64 {
    @_noAllocation @_noLocks get {
      exactLength > 0 ? Int64(exactLength) : unit.quartersDenominator
    }
  }

  /// Quarter notes a minute, in thousandths rounded half up: what events carry. Of an exact length
  /// it is the value that is shown.
  @inlinable public var quarterThousandths: Int32 {
    @_noAllocation @_noLocks get {
      if exactLength > 0 { return thousandths }
      return Int32(
        truncatingIfNeeded: (2 &* quarterNumerator &+ quarterDenominator)
          / (2 &* quarterDenominator))
    }
  }

  /// Quarter notes a minute as a floating-point number, for glides and reports.
  @inlinable public var quartersPerMinute: Double {
    @_noAllocation @_noLocks get {
      Double(quarterNumerator) / (1000.0 * Double(quarterDenominator))
    }
  }

  /// Whether two tempos make the same grid, whatever their units.
  @inlinable @_noAllocation @_noLocks
  public func soundsLike(_ other: Tempo) -> Bool {
    Int128(quarterNumerator) * Int128(other.quarterDenominator)
      == Int128(other.quarterNumerator) * Int128(quarterDenominator)
  }
}

extension Tempo: CustomStringConvertible {
  /// The value with up to three decimals and no trailing zeros: `120`, `99.95`.
  public var description: String {
    let value = ThousandthsText.text(Int64(thousandths))
    return unit == .quarter ? value : "\(value) (\(unit))"
  }
}

/// Whole thousandths as people write them: `120`, `99.95`, `113.125`.
public enum ThousandthsText {
  public static func text(_ thousandths: Int64) -> String {
    let sign = thousandths < 0 ? "-" : ""
    let magnitude = thousandths.magnitude
    let rest = magnitude % 1000
    guard rest != 0 else { return "\(sign)\(magnitude / 1000)" }
    var digits = String(rest + 1000).dropFirst()
    while digits.hasSuffix("0") { digits = digits.dropLast() }
    return "\(sign)\(magnitude / 1000).\(digits)"
  }
}
