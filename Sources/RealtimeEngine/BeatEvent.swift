public import MetronomeModel
public import MusicalTime

/// A beat of the meter, sounding or not.
@frozen
public struct BeatEvent: Sendable, BitwiseCopyable {
  public var frame: FrameIndex
  /// 0-based in the code; negative in a count-in (-1 is its last bar).
  public var bar: Int32
  /// 0-based.
  public var beat: UInt8
  public var beatCount: UInt8
  public var accent: Accent
  public var flags: BeatFlags
  /// Quarter notes a minute in thousandths, at this instant.
  public var quarterThousandths: Int32

  @inlinable @_noAllocation @_noLocks
  public init(
    frame: FrameIndex, bar: Int32, beat: UInt8, beatCount: UInt8, accent: Accent,
    flags: BeatFlags, quarterThousandths: Int32
  ) {
    self.frame = frame
    self.bar = bar
    self.beat = beat
    self.beatCount = beatCount
    self.accent = accent
    self.flags = flags
    self.quarterThousandths = quarterThousandths
  }

  /// The bar as people count it: bar 1 is the first, the last bar of a count-in is -1.
  public var barForPeople: Int32 { bar >= 0 ? bar + 1 : bar }
}

/// What holds at a beat; the raw values are those of the beat message.
@frozen
public struct BeatFlags: OptionSet, Sendable, BitwiseCopyable {
  public let rawValue: UInt8
  @inlinable @_noAllocation @_noLocks
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  @inlinable public static var mutedBar: BeatFlags {
    @_noAllocation @_noLocks get { BeatFlags(rawValue: 1) }
  }
  @inlinable public static var mute: BeatFlags {
    @_noAllocation @_noLocks get { BeatFlags(rawValue: 2) }
  }
  @inlinable public static var countIn: BeatFlags {
    @_noAllocation @_noLocks get { BeatFlags(rawValue: 4) }
  }
}

/// A click: the beat's own, one of its subdivisions, or one of the layer's.
@frozen
public struct ClickEvent: Sendable, BitwiseCopyable {
  @frozen
  public enum Source: UInt8, Sendable, BitwiseCopyable {
    case beat, subdivision, layer
  }

  public var frame: FrameIndex
  /// Its place in the run, whose pulse 0 is tick 0: what a score can be written from.
  public var place: ScorePosition
  public var bar: Int32
  public var beat: UInt8
  /// 0 for the beat's own click, 1 and up for those that divide it; the layer's index in the bar.
  public var sub: UInt8
  public var source: Source
  public var accent: Accent
  public var flags: BeatFlags
  public var quarterThousandths: Int32

  @inlinable @_noAllocation @_noLocks
  public init(
    frame: FrameIndex, place: ScorePosition, bar: Int32, beat: UInt8, sub: UInt8, source: Source,
    accent: Accent, flags: BeatFlags, quarterThousandths: Int32
  ) {
    self.frame = frame
    self.place = place
    self.bar = bar
    self.beat = beat
    self.sub = sub
    self.source = source
    self.accent = accent
    self.flags = flags
    self.quarterThousandths = quarterThousandths
  }
}
