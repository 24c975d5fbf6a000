/// The settings of one MIDI clock port, as they can be read back.
///
/// - Thread: any
public struct MIDIPortState: Equatable, Sendable {
  public var name: String
  /// Milliseconds, negative is earlier.
  public var offsetMilliseconds: Double
  public var clock: MIDIClockMode
  /// FA, FB and FC are sent.
  public var sendsTransport: Bool
  /// F2 is sent.
  public var sendsSongPosition: Bool
  public var playsBeatNotes: Bool
  /// Milliseconds from FA to its F8.
  public var startLeadMilliseconds: Double
  /// Patterns of the ports it is to be connected to.
  public var connections: [String]

  public init(
    name: String, offsetMilliseconds: Double = 0, clock: MIDIClockMode = .rolling,
    sendsTransport: Bool = true, sendsSongPosition: Bool = true, playsBeatNotes: Bool = false,
    startLeadMilliseconds: Double = 1, connections: [String] = []
  ) {
    self.name = name
    self.offsetMilliseconds = offsetMilliseconds
    self.clock = clock
    self.sendsTransport = sendsTransport
    self.sendsSongPosition = sendsSongPosition
    self.playsBeatNotes = playsBeatNotes
    self.startLeadMilliseconds = startLeadMilliseconds
    self.connections = connections
  }
}
