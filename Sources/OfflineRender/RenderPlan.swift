public import Conductor
public import MetronomeModel
public import MusicalTime
public import SoundFiles

/// What is to be rendered.
///
/// Frame 0 is the first beat heard: beat one of bar 1, or of the count-in where there is one.
///
/// - Thread: any
public struct RenderPlan: Sendable {
  /// How long the music lasts.
  public enum Length: Equatable, Sendable {
    case frames(Int64)
    /// Bars from bar 1 on; a count-in comes before them.
    case bars(Int)
    /// Until the song, the trainer, the timer or the script stops it.
    case untilStopped
  }

  /// A request that is made while it plays.
  public struct TimedCommand: Equatable, Sendable {
    /// The frame at which it arrives: every frame before it is rendered already.
    public var frame: FrameIndex
    public var command: ControlCommand
    /// Where it was written, for messages: `script line 3`.
    public var source: String

    public init(frame: FrameIndex, command: ControlCommand, source: String) {
      self.frame = frame
      self.command = command
      self.source = source
    }
  }

  /// Frames a second, one of `Limits.sampleRates`.
  public var rate: Int64
  public var channelCount: Int
  /// What holds before the first request.
  public var state = MetronomeState()
  /// Requests before the start, in order, each with where it was written.
  public var preparation: [(command: ControlCommand, source: String)] = []
  /// In the order of their frames.
  public var script: [TimedCommand] = []
  public var length: Length
  /// Frames after the music in which the last sound rings.
  public var tailFrames: Int64 = 0
  public var soundFolder: SoundFolder
  /// Where presets, setlists and songs are; nil where there are none.
  public var library: (any PresetLibrary)?
  /// Labels of the song's sections, for the MIDI file's markers.
  public var sectionNames: [String] = []

  public init(
    rate: Int64 = 48_000, channelCount: Int = 2, length: Length,
    soundFolder: SoundFolder = SoundFolder(paths: [])
  ) {
    self.rate = rate
    self.channelCount = channelCount
    self.length = length
    self.soundFolder = soundFolder
  }

  /// The longest render, in seconds: four days and nights.
  public static let longestSeconds: Int64 = 345_600
}
