/// A place in the score, or a length of it, in ticks.
///
/// One quarter note is 2 882 880 000 ticks = 2^9 x 3^2 x 5^4 x 7 x 11 x 13, chosen so that
/// these are whole numbers of ticks: a clock pulse (1/24); every beat unit down to 1/32; each of
/// those cut into 2..9; a swing share in hundredths of a per cent, or 2/3, of any pair of those;
/// a bar cut into a layer of 2..16. Int64 then holds 3.2 billion quarter notes, six years at 999.
///
/// - Unit: ticks; 0 is the downbeat of bar 1, a count-in is negative.
/// - Thread: any
@frozen
public struct ScorePosition: Hashable, Comparable, Sendable, BitwiseCopyable {
  public var ticks: Int64

  @inlinable public static var ticksPerQuarter: Int64 {
    @_noAllocation @_noLocks get { 2_882_880_000 }
  }

  /// A MIDI clock pulse: 24 per quarter note.
  @inlinable public static var ticksPerPulse: Int64 {
    @_noAllocation @_noLocks get { 120_120_000 }
  }

  /// A MIDI beat, a sixteenth: what the song position pointer counts.
  @inlinable public static var ticksPerMIDIBeat: Int64 {
    @_noAllocation @_noLocks get { 720_720_000 }
  }

  @inlinable @_noAllocation @_noLocks
  public init(ticks: Int64) { self.ticks = ticks }

  @inlinable @_noAllocation @_noLocks
  public init(pulses: Int64) { self.ticks = pulses &* 120_120_000 }

  @inlinable public static var zero: ScorePosition {
    @_noAllocation @_noLocks get { ScorePosition(ticks: 0) }
  }

  /// The number of the latest pulse at or before this place.
  @inlinable public var pulseFloor: Int64 {
    @_noAllocation @_noLocks get {
      let quotient = ticks / 120_120_000
      return ticks % 120_120_000 < 0 ? quotient - 1 : quotient
    }
  }

  /// The number of the first pulse at or after this place.
  @inlinable public var pulseCeiling: Int64 {
    @_noAllocation @_noLocks get {
      let quotient = ticks / 120_120_000
      return ticks % 120_120_000 > 0 ? quotient + 1 : quotient
    }
  }

  @inlinable @_noAllocation @_noLocks
  public static func < (left: ScorePosition, right: ScorePosition) -> Bool {
    left.ticks < right.ticks
  }

  @inlinable @_noAllocation @_noLocks
  public static func == (left: ScorePosition, right: ScorePosition) -> Bool {
    left.ticks == right.ticks
  }

  @inlinable @_noAllocation @_noLocks
  public static func + (left: ScorePosition, right: ScorePosition) -> ScorePosition {
    ScorePosition(ticks: left.ticks &+ right.ticks)
  }

  @inlinable @_noAllocation @_noLocks
  public static func - (left: ScorePosition, right: ScorePosition) -> ScorePosition {
    ScorePosition(ticks: left.ticks &- right.ticks)
  }
}
