public import MetronomeModel
public import MusicalTime

/// One section of a song as the engine walks it.
@frozen
public struct EngineSection: Sendable, BitwiseCopyable {
  /// How the tempo runs through the section.
  @frozen
  public enum TempoCourse: Sendable, BitwiseCopyable {
    /// The tempo goes on as it is.
    case keep
    case constant(Tempo)
    /// Linear in score position over the whole section.
    case ramp(from: Tempo, to: Tempo)
    /// One tempo a beat, `count` of them from `first` in the score's table; they repeat.
    case perBeat(first: Int32, count: Int32)
  }

  /// Bars played of the section; 0 is endless.
  public var barCount: Int32
  public var meter: Meter
  public var pattern: AccentPattern
  public var tempo: TempoCourse
  /// Linear gain of the section's clicks.
  public var gain: Float
  /// Bars before this section in the song as written: song position and bar numbers count from it.
  public var firstBar: Int32
  /// Ticks before this section in the song as written.
  public var firstTick: ScorePosition
  /// The section to play next; -1 ends the song.
  public var next: Int32

  @inlinable @_noAllocation @_noLocks
  public init(
    barCount: Int32, meter: Meter, pattern: AccentPattern, tempo: TempoCourse, gain: Float,
    firstBar: Int32, firstTick: ScorePosition, next: Int32
  ) {
    self.barCount = barCount
    self.meter = meter
    self.pattern = pattern
    self.tempo = tempo
    self.gain = gain
    self.firstBar = firstBar
    self.firstTick = firstTick
    self.next = next
  }
}

/// A song that stays alive until the engine says that it is retired.
@frozen
@safe public struct ScoreReference: @unchecked Sendable, BitwiseCopyable {
  public var identifier: Int32
  public var sections: UnsafePointer<EngineSection>?
  public var sectionCount: Int32
  /// The tempos of sections with one tempo a beat.
  public var tempos: UnsafePointer<Tempo>?
  public var tempoCount: Int32

  @inlinable @_noAllocation @_noLocks
  public init(
    identifier: Int32, sections: UnsafePointer<EngineSection>?, sectionCount: Int32,
    tempos: UnsafePointer<Tempo>?, tempoCount: Int32
  ) {
    self.identifier = identifier
    unsafe self.sections = unsafe sections
    self.sectionCount = sectionCount
    unsafe self.tempos = unsafe tempos
    self.tempoCount = tempoCount
  }
}
