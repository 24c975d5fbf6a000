public import SoundFiles

/// Where a render goes; what is nil is not made.
///
/// - Thread: any
public struct RenderOutputs: Sendable {
  public struct Sound: Equatable, Sendable {
    public var destination: RenderDestination
    public var format: SoundFileFormat

    public init(_ destination: RenderDestination, format: SoundFileFormat) {
      self.destination = destination
      self.format = format
    }
  }

  public struct Stems: Equatable, Sendable {
    /// Made where it is not there.
    public var folder: String
    public var format: SoundFileFormat

    public init(folder: String, format: SoundFileFormat) {
      self.folder = folder
      self.format = format
    }
  }

  public var sounds: [Sound] = []
  public var stems: Stems?
  public var events: RenderDestination?
  public var eventSelection = EventListWriter.Selection.everything
  public var midi: RenderDestination?
  /// Tempo marks alternate, so that no beat of the MIDI file is off by more than a tick.
  public var exactMIDI = false

  public init() {}

  public var isEmpty: Bool {
    sounds.isEmpty && stems == nil && events == nil && midi == nil
  }
}

/// What a render came to.
///
/// - Thread: any
public struct RenderReport: Sendable {
  /// Frames of music, without the tail.
  public var frames: Int64
  public var tailFrames: Int64
  public var bars = 0
  public var beats = 0
  public var clicks = 0
  public var pulses = 0
  /// What the MIDI file could not say exactly.
  public var midi: ClickTrackReport?
  public var stems: [String] = []
  /// What people should know.
  public var notices: [String] = []
}
