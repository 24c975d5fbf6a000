/// A MIDI message that a clock port sends.
///
/// Source: MIDI 1.0 Detailed Specification, system common and system real time messages.
/// - Thread: any
@frozen
public enum MIDIMessage: Hashable, Sendable, BitwiseCopyable {
  /// F8, 24 a quarter.
  case clock
  /// FA: the next F8 is beat one of the song.
  case start
  /// FB: the next F8 is at the song position.
  case resume
  /// FC
  case stop
  /// F2: MIDI beats (sixteenths) from the start of the song, 0 ... 16383.
  case songPosition(UInt16)
  /// Channel 0 ... 15; note and velocity 0 ... 127.
  case noteOn(channel: UInt8, note: UInt8, velocity: UInt8)
  case noteOff(channel: UInt8, note: UInt8)

  /// 14 bits of MIDI beats.
  public static let lastSongPosition: Int64 = 16_383

  /// The bytes on the wire.
  public var bytes: [UInt8] {
    switch self {
    case .clock: [0xF8]
    case .start: [0xFA]
    case .resume: [0xFB]
    case .stop: [0xFC]
    // Least significant seven bits first.
    case .songPosition(let beats): [0xF2, UInt8(beats & 0x7F), UInt8(beats >> 7 & 0x7F)]
    case .noteOn(let channel, let note, let velocity):
      [0x90 | channel & 0x0F, note & 0x7F, velocity & 0x7F]
    case .noteOff(let channel, let note): [0x80 | channel & 0x0F, note & 0x7F, 64]
    }
  }
}

/// Whom a message is for.
///
/// - Thread: any
@frozen
public struct MIDIDestination: Hashable, Sendable, BitwiseCopyable {
  public var client: UInt8
  public var port: UInt8

  @inlinable
  public init(client: UInt8, port: UInt8) {
    self.client = client
    self.port = port
  }

  /// Everyone who is connected to the port (SND_SEQ_ADDRESS_SUBSCRIBERS is client 254).
  @inlinable public static var subscribers: MIDIDestination {
    MIDIDestination(client: 254, port: 0)
  }
}
