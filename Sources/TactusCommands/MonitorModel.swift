import MusicalTime
import OSCProtocol
import OSCWire

/// What a daemon has told about itself, and the beat that is heard now.
///
/// - Thread: any one at a time
struct MonitorModel {
  /// Newest arguments by path below `/tactus/`.
  private(set) var values: [String: [OSCValue]] = [:]
  /// Beats that are announced and not yet heard, with the instant of this machine.
  private var coming: [(beat: BeatMessage, at: MonotonicTime)] = []
  private(set) var current: BeatMessage?
  private(set) var currentSince: MonotonicTime?
  /// When the ramp's progress came, for its growth until the next one comes.
  private(set) var progressAt: MonotonicTime?
  private(set) var lastRefusal: String?
  private(set) var lastMessageAt: MonotonicTime?

  /// - Parameter at: the instant of its bundle's time tag; beats are heard then.
  mutating func take(_ message: OSCMessage, at instant: MonotonicTime, now: MonotonicTime) {
    lastMessageAt = now
    switch message.address {
    case BeatMessage.beatAddress:
      guard let beat = BeatMessage(message) else { return }
      coming.append((beat, instant))
    case BeatCancel.beatAddress:
      guard message.arguments.count >= 3, case .int32(let run) = message.arguments[0],
        case .int32(let first) = message.arguments[1]
      else { return }
      coming.removeAll { $0.beat.run == run && $0.beat.sequence >= first }
    case "/tactus/error":
      lastRefusal = message.arguments.last?.text.map(MonitorModel.printable)
    default:
      guard message.address.hasPrefix(OSCAddressTable.prefix),
        values.count < 2_000 || values[message.address] != nil
      else { return }
      let path = String(message.address.dropFirst(OSCAddressTable.prefix.count))
      values[path] = message.arguments
      if path == "ramp/progress" { progressAt = now }
    }
  }

  /// Lets time pass: what is due is heard.
  ///
  /// - Returns: the beats that became due.
  mutating func advance(to now: MonotonicTime) -> [BeatMessage] {
    let due = coming.filter { $0.at.nanoseconds <= now.nanoseconds }
    guard !due.isEmpty else { return [] }
    coming.removeAll { $0.at.nanoseconds <= now.nanoseconds }
    let ordered = due.sorted { $0.at.nanoseconds < $1.at.nanoseconds }
    if let last = ordered.last {
      current = last.beat
      currentSince = last.at
    }
    return ordered.map(\.beat)
  }

  /// When the next beat is heard.
  var nextBeat: MonotonicTime? { coming.map(\.at).min { $0.nanoseconds < $1.nanoseconds } }

  func text(_ path: String, _ index: Int = 0) -> String? {
    guard let arguments = values[path], arguments.indices.contains(index) else { return nil }
    return arguments[index].text.map(MonitorModel.printable)
  }

  /// What came over the network must not move the cursor.
  private static func printable(_ text: String) -> String {
    String(text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? "?" : Character($0) })
  }

  func number(_ path: String, _ index: Int = 0) -> Double? {
    guard let arguments = values[path], arguments.indices.contains(index) else { return nil }
    return arguments[index].number
  }

  /// The MIDI ports that the daemon has told of.
  var midiPorts: [String] {
    (values["info/midi"] ?? []).compactMap(\.text)
  }

  var isRunning: Bool { text("transport") != "stopped" }
}
