public import MusicalTime

/// How a beat is cut into clicks.
///
/// - Thread: any; free of allocation and locks.
@frozen
public struct Subdivision: Hashable, Sendable, BitwiseCopyable {
  /// Clicks a beat, 1 to 9; the first is the beat itself.
  public let count: UInt8
  /// How strongly the clicks between the beats are played.
  public let level: Accent
  public let swing: Swing

  @inlinable public static var none: Subdivision {
    @_noAllocation @_noLocks get { Subdivision(unchecked: 1, level: .soft, swing: .straight) }
  }

  @inlinable @_noAllocation @_noLocks
  public init(unchecked count: UInt8, level: Accent, swing: Swing) {
    self.count = count
    self.level = level
    self.swing = swing
  }

  /// Swing acts on pairs, so only on even subdivisions; otherwise it is stored and inactive.
  @inlinable public var swingIsActive: Bool {
    @_noAllocation @_noLocks get { count % 2 == 0 && 2 &* swing.numerator != swing.denominator }
  }

  /// Where click `index` (0 ..< count) of a beat lies, in ticks from the beat.
  @_noAllocation @_noLocks
  public func offset(of index: Int, beatLength: ScorePosition) -> ScorePosition {
    let straight = beatLength.ticks &* Int64(index) / Int64(count)
    guard count % 2 == 0, index % 2 == 1 else { return ScorePosition(ticks: straight) }
    // The first click of a pair takes the share of the pair; ticks divide exactly.
    let pairLength = beatLength.ticks &* 2 / Int64(count)
    let pairStart = pairLength &* Int64(index / 2)
    return ScorePosition(
      ticks: pairStart &+ pairLength &* swing.numerator / swing.denominator)
  }
}

/// The share of a pair of subdivisions that the first one takes.
///
/// - Unit: hundredths of a per cent, 5000 to 7500; `triplet` is two thirds.
@frozen
public enum Swing: Hashable, Sendable, BitwiseCopyable {
  case percentHundredths(Int32)
  case triplet

  /// The share in per cent.
  ///
  /// - Returns: nil where it has more than two decimals: such a share falls between two ticks. What
  ///   a number of 32 bits is off by does not count.
  public init?(percent: Double) {
    guard percent.isFinite, abs(percent) < 1_000 else { return nil }
    let hundredths = (percent * 100).rounded()
    guard abs(percent * 100 - hundredths) < 0.002 else { return nil }
    self = .percentHundredths(Int32(hundredths))
  }

  /// What is allowed, for messages.
  public static let decimals = "allowed are two decimals at most, as in 57.25, or triplet"

  @inlinable public static var straight: Swing {
    @_noAllocation @_noLocks get { .percentHundredths(5000) }
  }

  @inlinable public var numerator: Int64 {
    @_noAllocation @_noLocks get {
      switch self {
      case .percentHundredths(let value): return Int64(value)
      case .triplet: return 2
      }
    }
  }

  @inlinable public var denominator: Int64 {
    @_noAllocation @_noLocks get {
      switch self {
      case .percentHundredths: return 10_000
      case .triplet: return 3
      }
    }
  }

  /// The share in per cent.
  public var percent: Double { 100 * Double(numerator) / Double(denominator) }
}
