public import MusicalTime

/// What `tactus-link` tells the daemon.
///
/// - Thread: any
public enum LinkReport: Equatable, Sendable {
  /// Ten times a second, and at once where something has changed.
  case session(LinkView)
  /// Somebody else had set another tempo or phase, and ours was put back.
  case putBack(LinkTakeOver)

  public var message: LinkWords {
    switch self {
    case .session(let view):
      LinkWords(
        kind: 101,
        [
          view.at.nanoseconds, view.quarterMicroseconds, view.bar.nanoseconds, view.quantum.word,
          Int64(view.peers), view.isPlaying ? 1 : 0, view.playingChanged.nanoseconds,
        ])
    case .putBack(let other):
      LinkWords(
        kind: 102,
        [other.foundMicroseconds, other.keptMicroseconds, other.phaseErrorMicroseconds])
    }
  }

  /// - Returns: nil for what no `tactus-link` of this version sends.
  public init?(_ message: LinkWords) {
    let words = message.words
    switch message.kind {
    case 101:
      guard LinkBeat.lengths.contains(words[2]), LinkBeat.quanta.contains(message.double(4)),
        (0...Int64(Int32.max)).contains(words[5])
      else { return nil }
      self = .session(
        LinkView(
          at: MonotonicTime(nanoseconds: words[1]), quarterMicroseconds: words[2],
          bar: MonotonicTime(nanoseconds: words[3]), quantum: message.double(4),
          peers: Int(words[5]), isPlaying: words[6] != 0,
          playingChanged: MonotonicTime(nanoseconds: words[7])))
    case 102:
      self = .putBack(
        LinkTakeOver(
          foundMicroseconds: words[1], keptMicroseconds: words[2],
          phaseErrorMicroseconds: words[3]))
    default: return nil
    }
  }
}

/// A session as it stood at one instant: a straight line with a whole number of microseconds a quarter.
///
/// - Thread: any
public struct LinkView: Equatable, Sendable {
  public var at: MonotonicTime
  public var quarterMicroseconds: Int64
  /// An instant at which a quantum begins.
  public var bar: MonotonicTime
  /// Quarters.
  public var quantum: Double
  /// Other programs in the session.
  public var peers: Int
  public var isPlaying: Bool
  public var playingChanged: MonotonicTime

  public init(
    at: MonotonicTime, quarterMicroseconds: Int64, bar: MonotonicTime, quantum: Double,
    peers: Int, isPlaying: Bool = false, playingChanged: MonotonicTime = .distantPast
  ) {
    self.at = at
    self.quarterMicroseconds = quarterMicroseconds
    self.bar = bar
    self.quantum = quantum
    self.peers = peers
    self.isPlaying = isPlaying
    self.playingChanged = playingChanged
  }

  /// Nanoseconds of a quantum.
  var quantumNanoseconds: Double { quantum * Double(quarterMicroseconds) * 1000 }

  /// By how many nanoseconds a beat of ours is early: to the nearest place of the session with its
  /// phase, so at most half a quantum either way.
  public func error(of due: MonotonicTime, phase: Double) -> Double {
    let place = phase * Double(quarterMicroseconds) * 1000
    let passed = Double(due.nanoseconds(since: bar)) - place
    let whole = (passed / quantumNanoseconds).rounded()
    return whole * quantumNanoseconds - passed
  }

  /// The first instant with a phase at or after another instant.
  ///
  /// - Parameter phase: quarters since the quantum's first one.
  public func next(phase: Double, notBefore time: MonotonicTime) -> MonotonicTime {
    let place = phase * Double(quarterMicroseconds) * 1000
    let passed = Double(time.nanoseconds(since: bar)) - place
    let count = (passed / quantumNanoseconds).rounded(.up)
    return bar.advanced(byNanoseconds: Int64((count * quantumNanoseconds + place).rounded()))
  }
}

/// A tempo or phase that was not ours in a session that we lead.
///
/// - Thread: any
public struct LinkTakeOver: Equatable, Sendable {
  /// Microseconds a quarter.
  public var foundMicroseconds: Int64
  public var keptMicroseconds: Int64
  /// By how much the session's beat was late.
  public var phaseErrorMicroseconds: Int64

  public init(foundMicroseconds: Int64, keptMicroseconds: Int64, phaseErrorMicroseconds: Int64) {
    self.foundMicroseconds = foundMicroseconds
    self.keptMicroseconds = keptMicroseconds
    self.phaseErrorMicroseconds = phaseErrorMicroseconds
  }
}
