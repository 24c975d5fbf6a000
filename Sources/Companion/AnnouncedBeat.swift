public import MetronomeModel
internal import MusicalTime
internal import OSCProtocol
public import OSCWire

/// A beat as the daemon announced it.
///
/// - Unit: `due` is nanoseconds of the daemon's CLOCK_MONOTONIC; tempo is quarters a minute
public struct AnnouncedBeat: Equatable, Sendable {
  public var run: Int32
  public var sequence: Int32
  /// As people count; a count-in is negative.
  public var bar: Int32
  public var beat: Int32
  public var beatCount: Int32
  public var quarterTempo: Double
  public var accent: Accent
  /// 1 muted bar, 2 mute, 4 count-in.
  public var flags: Int32
  public var due: Int64

  public init(
    run: Int32, sequence: Int32, bar: Int32, beat: Int32, beatCount: Int32, quarterTempo: Double,
    accent: Accent, flags: Int32, due: Int64
  ) {
    self.run = run
    self.sequence = sequence
    self.bar = bar
    self.beat = beat
    self.beatCount = beatCount
    self.quarterTempo = quarterTempo
    self.accent = accent
    self.flags = flags
    self.due = due
  }

  /// Reads `/tactus/beat ,iiiifiiih`; nil where it is something else.
  public init?(_ message: OSCMessage) {
    guard message.address == BeatMessage.beatAddress, let beat = BeatMessage(message),
      (1...10_000).contains(beat.quarterTempo),
      beat.due.nanoseconds.magnitude < SyncExchange.longest.magnitude,
      let level = UInt8(exactly: beat.accent).flatMap(Accent.init(rawValue:))
    else { return nil }
    self.init(
      run: beat.run, sequence: beat.sequence, bar: beat.bar, beat: beat.beat,
      beatCount: beat.count, quarterTempo: Double(beat.quarterTempo), accent: level,
      flags: beat.flags, due: beat.due.nanoseconds)
  }

  public var isMutedBar: Bool { flags & 1 != 0 }
  public var isMuted: Bool { flags & 2 != 0 }
  public var isCountIn: Bool { flags & 4 != 0 }
}
