/// What a Standard MIDI File says that a metronome can say too: tempo, meter, markers and notes.
///
/// Source: Standard MIDI Files 1.0, MIDI Manufacturers Association RP-001.
///
/// - Unit: ticks, `ticksPerQuarter` a quarter note
/// - Thread: any
public struct StandardMIDIFile: Equatable, Sendable {
  public enum Format: Int, Sendable {
    /// One track holds everything.
    case single = 0
    /// The first track holds tempo, meter and markers, the second the notes.
    case parallel = 1
  }

  /// FF 51
  public struct TempoMark: Equatable, Sendable {
    public var tick: Int64
    /// 1 to 2^24 - 1.
    public var microsecondsPerQuarter: Int

    public init(tick: Int64, microsecondsPerQuarter: Int) {
      self.tick = tick
      self.microsecondsPerQuarter = microsecondsPerQuarter
    }
  }

  /// FF 58
  public struct MeterMark: Equatable, Sendable {
    public var tick: Int64
    public var numerator: Int
    /// A power of two.
    public var denominator: Int
    /// MIDI clock pulses in a click of the metronome.
    public var pulsesPerClick: Int

    public init(tick: Int64, numerator: Int, denominator: Int, pulsesPerClick: Int) {
      self.tick = tick
      self.numerator = numerator
      self.denominator = denominator
      self.pulsesPerClick = pulsesPerClick
    }
  }

  /// FF 06
  public struct Marker: Equatable, Sendable {
    public var tick: Int64
    public var text: String

    public init(tick: Int64, text: String) {
      self.tick = tick
      self.text = text
    }
  }

  public struct Note: Equatable, Sendable {
    public var tick: Int64
    public var length: Int64
    /// 0 to 15.
    public var channel: UInt8
    /// 0 to 127.
    public var key: UInt8
    /// 1 to 127.
    public var velocity: UInt8

    public init(tick: Int64, length: Int64, channel: UInt8, key: UInt8, velocity: UInt8) {
      self.tick = tick
      self.length = length
      self.channel = channel
      self.key = key
      self.velocity = velocity
    }
  }

  /// Something that was skipped while reading.
  public struct Remark: Equatable, Sendable {
    public var tick: Int64
    /// What it was and what became of it.
    public var text: String

    public init(tick: Int64, text: String) {
      self.tick = tick
      self.text = text
    }
  }

  public var format: Format
  /// 1 to 32767.
  public var ticksPerQuarter: Int
  public var tempos: [TempoMark] = []
  public var meters: [MeterMark] = []
  public var markers: [Marker] = []
  /// Written, but left out when a file is read.
  public var notes: [Note] = []
  /// What could not be read and was skipped, in order of time.
  public var remarks: [Remark] = []
  /// The tick at which the last track ends.
  public var endTick: Int64 = 0

  public init(format: Format, ticksPerQuarter: Int) {
    self.format = format
    self.ticksPerQuarter = ticksPerQuarter
  }
}

/// Why a file is not a Standard MIDI File that can be read.
public enum MIDIFileError: Error, Equatable, CustomStringConvertible {
  case notMIDI
  case tooLarge(bytes: Int)
  case format(Int)
  case timeCode
  case division
  case truncated(offset: Int)
  case badLength(offset: Int)
  case damagedTrack(track: Int, bar: Int, offset: Int)
  case notRMID
  case tooManyTracks(Int)
  case tooManyEvents(Int)
  case tooLong(offset: Int)
  case noTrack

  public var description: String {
    switch self {
    case .notMIDI:
      "not a Standard MIDI File: it does not begin with MThd"
    case .tooLarge(let bytes):
      "file has \(bytes) bytes: allowed are up to \(MIDIFileReader.largestFile), export only its tempo track"
    case .format(let format):
      "MIDI file format \(format) cannot be read: allowed are 0 and 1, export it as one of these"
    case .timeCode:
      "MIDI file counts SMPTE frames: only ticks a quarter note have a tempo, export it so"
    case .division:
      "MIDI file has 0 ticks a quarter note: allowed are 1 to 32767"
    case .truncated(let offset):
      "MIDI file ends in the middle of an event, at byte \(offset): copy it again"
    case .badLength(let offset):
      "MIDI file has a length of more than four bytes at byte \(offset)"
    case .damagedTrack(let track, let bar, let offset):
      "bar \(bar): track \(track) is damaged at byte \(offset), and its tempos and meters from there "
        + "on are lost: export the file again, or its tempo track alone"
    case .notRMID:
      "RIFF file holds no MIDI file (form RMID, chunk data): export it as a Standard MIDI File"
    case .tooManyTracks(let count):
      "MIDI file has \(count) tracks: allowed are up to \(MIDIFileReader.mostTracks)"
    case .tooManyEvents(let count):
      "MIDI file has more than \(count) tempo, meter and marker events"
    case .tooLong(let offset):
      "MIDI file is longer than \(MIDIFileReader.longestTicks) ticks at byte \(offset)"
    case .noTrack:
      "MIDI file holds no track"
    }
  }
}
