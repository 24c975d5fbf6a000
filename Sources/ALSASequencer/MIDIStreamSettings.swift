public import MetronomeModel

/// A port's configuration as the MIDI thread holds it: plain numbers in nanoseconds.
///
/// - Thread: made on the control thread, used on the MIDI thread.
public struct MIDIStreamSettings: Sendable, BitwiseCopyable {
  enum Reconnect: UInt8, Sendable, BitwiseCopyable {
    case clockOnly, songPosition, startAtBar
  }

  var whileRolling: Bool
  var whileStopped: Bool
  var transport: Bool
  var songPosition: Bool
  var continueAsStart: Bool
  var startAtCountIn: Bool
  var repositionOnJump: Bool
  var reconnect: Reconnect
  var pulsesBeforeStart: Int64
  var offset: Int64
  var startLead: Int64
  var songPositionWait: Int64
  var notes: BeatNoteSettings

  /// - Precondition: `configuration.problem` is nil; values outside their ranges are brought to
  ///   the nearer end.
  public init(_ configuration: MIDIPortConfiguration) {
    whileRolling = configuration.clock != .off
    whileStopped = configuration.clock == .always
    transport = configuration.transport
    songPosition = configuration.songPosition
    continueAsStart = configuration.continueAsStart
    startAtCountIn = configuration.startAtCountIn
    repositionOnJump = configuration.repositionOnJump
    switch configuration.reconnect {
    case .clockOnly: reconnect = .clockOnly
    case .songPosition: reconnect = .songPosition
    case .startAtBar: reconnect = .startAtBar
    }
    pulsesBeforeStart = Int64(
      min(
        max(configuration.pulsesBeforeStart, Limits.pulsesBeforeStart.lowerBound),
        Limits.pulsesBeforeStart.upperBound))
    offset = nanoseconds(configuration.offsetMilliseconds, within: Limits.eventOffsetMilliseconds)
    startLead = nanoseconds(
      configuration.startLeadMilliseconds, within: Limits.startLeadMilliseconds)
    songPositionWait = nanoseconds(
      configuration.songPositionWaitMilliseconds, within: Limits.songPositionWaitMilliseconds)
    notes = BeatNoteSettings(configuration.beatNotes)
  }

  /// How long before a pulse is heard the port must know of it: its early offset and FA's lead.
  ///
  /// - Unit: milliseconds
  public static func leadMilliseconds(_ configuration: MIDIPortConfiguration) -> Double {
    max(-configuration.offsetMilliseconds, 0) + configuration.startLeadMilliseconds
  }
}

/// A port's beat notes as the MIDI thread holds them.
struct BeatNoteSettings: Sendable, BitwiseCopyable {
  var isOn: Bool
  var channel: UInt8
  /// Note and velocity by `Accent.rawValue` less one.
  var soft: (note: UInt8, velocity: UInt8)
  var normal: (note: UInt8, velocity: UInt8)
  var strong: (note: UInt8, velocity: UInt8)
  var length: Int64

  init(_ notes: MIDIBeatNotes) {
    isOn = notes.isOn
    channel = UInt8(min(max(notes.channel, 1), 16) - 1)
    soft = (sevenBits(notes.soft.note), sevenBits(notes.soft.velocity))
    normal = (sevenBits(notes.normal.note), sevenBits(notes.normal.velocity))
    strong = (sevenBits(notes.strong.note), sevenBits(notes.strong.velocity))
    length = nanoseconds(notes.lengthMilliseconds, within: Limits.noteMilliseconds)
  }

  /// - Returns: nil where the accent has no note.
  func note(for accent: Accent) -> (note: UInt8, velocity: UInt8)? {
    let choice: (note: UInt8, velocity: UInt8)
    switch accent {
    case .silent: return nil
    case .soft: choice = soft
    case .normal: choice = normal
    case .strong: choice = strong
    }
    return isOn && choice.velocity > 0 ? choice : nil
  }
}

private func sevenBits(_ value: Int) -> UInt8 { UInt8(min(max(value, 0), 127)) }

/// Milliseconds as whole nanoseconds, brought into their range; not a number is its lower end.
private func nanoseconds(_ milliseconds: Double, within range: ClosedRange<Double>) -> Int64 {
  let bounded = milliseconds >= range.lowerBound ? milliseconds : range.lowerBound
  return Int64(min(bounded, range.upperBound) * 1_000_000)
}
