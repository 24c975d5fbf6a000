internal import OSCProtocol
internal import OSCWire
internal import MetronomeModel

/// How a beat looks to something that only takes numbers.
///
/// - Thread: any
public enum BeatProfile: Equatable, Sendable {
  /// 1.0 on the beat, 0.0 so long after.
  case gate(path: String, milliseconds: Double)
  /// 0 to 1 through each beat, so many times a second.
  case phase(path: String, rate: Double)
  /// A gate for each beat of the bar: `/beat/1`, `/beat/2`, ..., or where `{beat}` stands.
  case perBeat(path: String, milliseconds: Double)
  /// `path channel note velocity`, and velocity 0 so long after: notes 76 (strong) and 77, the
  /// wood blocks of General MIDI.
  case notes(path: String, channel: Int, milliseconds: Double)
  /// An address and its arguments with `{bar}` `{beat}` `{beats}` `{accent}` `{bpm}` `{flags}`.
  case template(address: String, arguments: [String])

  /// What is sent for a beat, and how many nanoseconds after its instant.
  func messages(for beat: BeatMessage) -> [(message: OSCMessage, delay: Int64)] {
    switch self {
    case .gate(let path, let milliseconds):
      BeatProfile.gate(path, milliseconds)
    case .perBeat(let path, let milliseconds):
      BeatProfile.gate(
        path.contains("{") ? BeatProfile.replaced(path, beat) : "\(path)/\(beat.beat)",
        milliseconds)
    case .phase:
      []
    case .notes(let path, let channel, let milliseconds):
      BeatProfile.notes(beat, path, Int32(channel), milliseconds)
    case .template(let address, let arguments):
      [
        (
          message: OSCMessage(
            BeatProfile.replaced(address, beat),
            arguments.map { BeatProfile.value(BeatProfile.replaced($0, beat)) }), delay: 0
        )
      ]
    }
  }

  /// At least a microsecond, so that what ends a flash comes after it; at most ten seconds.
  private static func nanoseconds(_ milliseconds: Double) -> Int64 {
    milliseconds.isFinite ? Int64(min(max(milliseconds, 0.001), 10_000) * 1e6) : 60_000_000
  }

  private static func gate(
    _ path: String, _ milliseconds: Double
  ) -> [(message: OSCMessage, delay: Int64)] {
    let on = OSCMessage(path, .float(1))
    let off = OSCMessage(path, .float(0))
    return [(message: on, delay: 0), (message: off, delay: nanoseconds(milliseconds))]
  }

  private static func notes(
    _ beat: BeatMessage, _ path: String, _ channel: Int32, _ milliseconds: Double
  ) -> [(message: OSCMessage, delay: Int64)] {
    // Silent beats have no note; soft, normal and strong are 50, 90 and 127.
    let velocities: [Int32] = [0, 50, 90, 127]
    guard (1...3).contains(beat.accent) else { return [] }
    let note: Int32 = beat.accent == 3 ? 76 : 77
    let velocity = velocities[Int(beat.accent)]
    let on = OSCMessage(path, .int32(channel), .int32(note), .int32(velocity))
    let off = OSCMessage(path, .int32(channel), .int32(note), .int32(0))
    return [(message: on, delay: 0), (message: off, delay: nanoseconds(milliseconds))]
  }

  /// Whole numbers, numbers with a point, or text.
  private static func value(_ word: String) -> OSCValue {
    if let whole = Int32(word) { return .int32(whole) }
    if let number = Float(word), number.isFinite { return .float(number) }
    return .string(word)
  }

  private static func replaced(_ word: String, _ beat: BeatMessage) -> String {
    BeatTemplate.pieces(of: word).map { piece in
      guard piece.isName else { return piece.text }
      return switch piece.text {
      case "bar": "\(beat.bar)"
      case "beat": "\(beat.beat)"
      case "beats": "\(beat.count)"
      case "accent": "\(beat.accent)"
      case "bpm", "tempo": "\(beat.quarterTempo)"
      case "flags": "\(beat.flags)"
      default: "{\(piece.text)}"
      }
    }.joined()
  }
}
