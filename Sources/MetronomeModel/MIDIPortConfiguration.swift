/// What a MIDI clock port sends, and to whom, as a person sets it.
///
/// - Thread: any
public struct MIDIPortConfiguration: Equatable, Sendable {
  /// The port's name in the sequencer, and in `midi/<port>/...`.
  public var name: String
  /// Whom to connect to: `Client`, `Client:Port`, `Client:*`; `*` and `?` match within a name.
  public var connections: [String]
  public var clock: MIDIClockMode
  /// Whether FA, FB and FC are sent.
  public var transport: Bool
  /// Whether F2 is sent before FB.
  public var songPosition: Bool
  /// Milliseconds after the click; negative is earlier. -300 to 500.
  public var offsetMilliseconds: Double
  /// Milliseconds from FA or FB to its F8. 1 to 100.
  public var startLeadMilliseconds: Double
  /// Milliseconds from F2 to FB at the least. 0 to 500.
  public var songPositionWaitMilliseconds: Double
  /// Continue sends FA at the next bar, for receivers that know no FB.
  public var continueAsStart: Bool
  /// Pulses that must have gone out before FA, for receivers that need time to lock on; FA then
  /// waits for a bar line where they have not. A bar of 4/4 is 96; 0 asks for none.
  public var pulsesBeforeStart: Int
  /// FA precedes the first pulse of the count-in, not that of bar 1.
  public var startAtCountIn: Bool
  /// A jump in the song sends FC, F2 and FB within the last pulse interval before it.
  public var repositionOnJump: Bool
  /// What a receiver gets that has come back, or that has missed pulses.
  public var reconnect: MIDIReconnectPolicy
  public var beatNotes: MIDIBeatNotes

  public init(
    name: String, connections: [String] = [], clock: MIDIClockMode = .rolling,
    transport: Bool = true, songPosition: Bool = true, offsetMilliseconds: Double = 0,
    startLeadMilliseconds: Double = 1, songPositionWaitMilliseconds: Double = 10,
    continueAsStart: Bool = false, pulsesBeforeStart: Int = 0, startAtCountIn: Bool = false,
    repositionOnJump: Bool = false, reconnect: MIDIReconnectPolicy = .songPosition,
    beatNotes: MIDIBeatNotes = MIDIBeatNotes()
  ) {
    self.name = name
    self.connections = connections
    self.clock = clock
    self.transport = transport
    self.songPosition = songPosition
    self.offsetMilliseconds = offsetMilliseconds
    self.startLeadMilliseconds = startLeadMilliseconds
    self.songPositionWaitMilliseconds = songPositionWaitMilliseconds
    self.continueAsStart = continueAsStart
    self.pulsesBeforeStart = pulsesBeforeStart
    self.startAtCountIn = startAtCountIn
    self.repositionOnJump = repositionOnJump
    self.reconnect = reconnect
    self.beatNotes = beatNotes
  }

  /// The first setting outside its range, in words: the setting, the value and the range.
  public var problem: String? {
    if name.isEmpty || name.utf8.count > 63 {
      return "port name '\(name)' has \(name.utf8.count) bytes, allowed are 1 to 63"
    }
    let milliseconds: [(String, Double, ClosedRange<Double>)] = [
      ("offset", offsetMilliseconds, Limits.eventOffsetMilliseconds),
      ("start lead", startLeadMilliseconds, Limits.startLeadMilliseconds),
      ("wait after F2", songPositionWaitMilliseconds, Limits.songPositionWaitMilliseconds),
      ("note length", beatNotes.lengthMilliseconds, Limits.noteMilliseconds),
    ]
    for (setting, value, range) in milliseconds where !range.contains(value) {
      return "port '\(name)': \(setting) \(value) ms, allowed are "
        + "\(range.lowerBound) to \(range.upperBound) ms"
    }
    if !Limits.pulsesBeforeStart.contains(pulsesBeforeStart) {
      return "port '\(name)': \(pulsesBeforeStart) pulses before FA, allowed are "
        + "\(Limits.pulsesBeforeStart.lowerBound) to \(Limits.pulsesBeforeStart.upperBound)"
    }
    return beatNotes.problem.map { "port '\(name)': \($0)" }
  }

  /// The first name that two ports share: they could not be told apart.
  public static func duplicateName(in ports: [MIDIPortConfiguration]) -> String? {
    var seen: Set<String> = []
    for port in ports where !seen.insert(port.name).inserted { return port.name }
    return nil
  }
}

/// What a receiver gets that has come back, or that has missed pulses.
public enum MIDIReconnectPolicy: String, Equatable, Sendable, CaseIterable {
  /// Pulses only.
  case clockOnly
  /// F2, then FB at that MIDI beat; FA at the next bar where the port sends no song position.
  case songPosition
  /// FA at the next bar.
  case startAtBar
}

/// A note on every beat of the meter, by accent.
public struct MIDIBeatNotes: Equatable, Sendable {
  public var isOn: Bool
  /// 1 to 16, as people count.
  public var channel: Int
  public var strong: Note
  public var normal: Note
  public var soft: Note
  /// Milliseconds from on to off. 1 to 5000.
  public var lengthMilliseconds: Double

  public struct Note: Equatable, Sendable {
    /// 0 to 127
    public var note: Int
    /// 0 to 127; 0 is none.
    public var velocity: Int

    public init(note: Int, velocity: Int) {
      self.note = note
      self.velocity = velocity
    }
  }

  /// Off; once on, General MIDI's high and low wood block (76, 77) on the percussion channel.
  public init(
    isOn: Bool = false, channel: Int = 10, strong: Note = Note(note: 76, velocity: 127),
    normal: Note = Note(note: 77, velocity: 100), soft: Note = Note(note: 77, velocity: 60),
    lengthMilliseconds: Double = 30
  ) {
    self.isOn = isOn
    self.channel = channel
    self.strong = strong
    self.normal = normal
    self.soft = soft
    self.lengthMilliseconds = lengthMilliseconds
  }

  var problem: String? {
    if !(1...16).contains(channel) { return "channel \(channel), allowed are 1 to 16" }
    for (name, note) in [("strong", strong), ("normal", normal), ("soft", soft)] {
      if !(0...127).contains(note.note) {
        return "\(name) note \(note.note), allowed are 0 to 127"
      }
      if !(0...127).contains(note.velocity) {
        return "\(name) velocity \(note.velocity), allowed are 0 to 127"
      }
    }
    return nil
  }
}
