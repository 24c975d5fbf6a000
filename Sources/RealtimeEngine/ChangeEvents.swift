public import MetronomeModel
public import MusicalTime

@frozen
public struct TempoEvent: Sendable, BitwiseCopyable {
  public var frame: FrameIndex
  /// As it was given; during a glide its target.
  public var tempo: Tempo
  /// Quarter notes a minute in thousandths, at this instant.
  public var quarterThousandths: Int32
  public var isGlide: Bool

  @inlinable @_noAllocation @_noLocks
  public init(frame: FrameIndex, tempo: Tempo, quarterThousandths: Int32, isGlide: Bool) {
    self.frame = frame
    self.tempo = tempo
    self.quarterThousandths = quarterThousandths
    self.isGlide = isGlide
  }
}

@frozen
public struct MeterEvent: Sendable, BitwiseCopyable {
  public var frame: FrameIndex
  public var meter: Meter
  public var pattern: AccentPattern

  @inlinable @_noAllocation @_noLocks
  public init(frame: FrameIndex, meter: Meter, pattern: AccentPattern) {
    self.frame = frame
    self.meter = meter
    self.pattern = pattern
  }
}

@frozen
public struct SectionEvent: Sendable, BitwiseCopyable {
  public var frame: FrameIndex
  /// 0-based; -1 where the score has ended.
  public var index: Int32

  @inlinable @_noAllocation @_noLocks
  public init(frame: FrameIndex, index: Int32) {
    self.frame = frame
    self.index = index
  }
}

@frozen
public struct TrainerEvent: Sendable, BitwiseCopyable {
  @frozen
  public enum Kind: UInt8, Sendable, BitwiseCopyable {
    case level, skippedLevel, finished, looped, cancelled
  }

  public var frame: FrameIndex
  public var kind: Kind
  /// 0-based.
  public var level: Int32
  public var levelCount: Int32
  public var tempo: Tempo

  @inlinable @_noAllocation @_noLocks
  public init(frame: FrameIndex, kind: Kind, level: Int32, levelCount: Int32, tempo: Tempo) {
    self.frame = frame
    self.kind = kind
    self.level = level
    self.levelCount = levelCount
    self.tempo = tempo
  }
}

@frozen
public struct TimerEvent: Sendable, BitwiseCopyable {
  /// The bar line at which the practice timer ended.
  public var frame: FrameIndex

  @inlinable @_noAllocation @_noLocks
  public init(frame: FrameIndex) { self.frame = frame }
}
