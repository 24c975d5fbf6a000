public import MusicalTime

/// What the daemon asks of `tactus-link`.
///
/// - Thread: any
public enum LinkOrder: Equatable, Sendable {
  /// How to take part from now on.
  case settings(Settings)
  /// A beat of ours, known ahead, to be told at its instant as far as its claim goes.
  case beat(LinkBeat)
  /// Beats that were announced and not told yet are void.
  case cancel
  /// The tempo of the session is to be this one, now: somebody here has asked for it while nothing plays.
  case tempo(quarterMicroseconds: Int64, LinkClaim)
  /// Somebody here has started or stopped; the instant is that of beat one, or of the stop.
  case playing(Bool, at: MonotonicTime)

  public struct Settings: Equatable, Sendable {
    /// Whether start and stop are shared.
    public var sharesPlaying: Bool
    /// Quarters after which phase begins anew, as the session counts them.
    public var quantum: Double
    /// The tempo with which a session is founded where there is none.
    public var quarterMicroseconds: Int64

    public init(sharesPlaying: Bool, quantum: Double, quarterMicroseconds: Int64) {
      self.sharesPlaying = sharesPlaying
      self.quantum = quantum
      self.quarterMicroseconds = quarterMicroseconds
    }
  }

  public var message: LinkWords {
    switch self {
    case .settings(let settings):
      LinkWords(
        kind: 1,
        [settings.sharesPlaying ? 1 : 0, settings.quantum.word, settings.quarterMicroseconds])
    case .beat(let beat):
      LinkWords(
        kind: 2,
        [
          beat.at.nanoseconds, beat.phase.word, beat.quantum.word, beat.quarterMicroseconds,
          beat.claim.rawValue,
        ])
    case .cancel: LinkWords(kind: 3, [])
    case .tempo(let length, let claim): LinkWords(kind: 4, [length, claim.rawValue])
    case .playing(let isOn, let time): LinkWords(kind: 5, [isOn ? 1 : 0, time.nanoseconds])
    }
  }

  /// - Returns: nil for what no daemon of this version sends.
  public init?(_ message: LinkWords) {
    let words = message.words
    switch message.kind {
    case 1:
      guard LinkBeat.quanta.contains(message.double(2)), LinkBeat.lengths.contains(words[3]) else {
        return nil
      }
      self = .settings(
        Settings(
          sharesPlaying: words[1] != 0, quantum: message.double(2), quarterMicroseconds: words[3]))
    case 2:
      guard
        let beat = LinkBeat(
          at: MonotonicTime(nanoseconds: words[1]), phase: message.double(2),
          quantum: message.double(3), quarterMicroseconds: words[4],
          claim: LinkClaim(rawValue: words[5]))
      else { return nil }
      self = .beat(beat)
    case 3: self = .cancel
    case 4:
      guard LinkBeat.lengths.contains(words[1]) else { return nil }
      self = .tempo(quarterMicroseconds: words[1], LinkClaim(rawValue: words[2]))
    case 5: self = .playing(words[1] != 0, at: MonotonicTime(nanoseconds: words[2]))
    default: return nil
    }
  }
}

/// What of a beat is to become the session's.
///
/// - Thread: any
public struct LinkClaim: OptionSet, Hashable, Sendable {
  public let rawValue: Int64
  public init(rawValue: Int64) { self.rawValue = rawValue }

  public static let tempo = LinkClaim(rawValue: 1)
  public static let phase = LinkClaim(rawValue: 2)
  /// Only while nobody else is in the session: whoever comes then finds our beat.
  public static let whileAlone = LinkClaim(rawValue: 4)
  /// The session's tempo is ours by right: another one is somebody's taking over, and reported.
  public static let leads = LinkClaim(rawValue: 8)
}

/// A beat of ours as the session would have it.
///
/// - Thread: any
public struct LinkBeat: Equatable, Sendable {
  /// Microseconds a quarter that the session can carry: 999 to 20 a minute.
  public static let lengths: ClosedRange<Int64> = 60_060...3_000_000
  /// Quarters: up to 64 dotted whole notes at a fourfold tempo, and not under a 32nd.
  public static let quanta: ClosedRange<Double> = 0.125...2_048

  /// When it is heard.
  public let at: MonotonicTime
  /// Quarters since the quantum's first one; 0 up to the quantum.
  public let phase: Double
  public let quantum: Double
  public let quarterMicroseconds: Int64
  public let claim: LinkClaim

  /// - Returns: nil where the session could not carry it.
  public init?(
    at: MonotonicTime, phase: Double, quantum: Double, quarterMicroseconds: Int64, claim: LinkClaim
  ) {
    guard LinkBeat.quanta.contains(quantum), LinkBeat.lengths.contains(quarterMicroseconds),
      phase >= 0, phase < quantum
    else { return nil }
    self.at = at
    self.phase = phase
    self.quantum = quantum
    self.quarterMicroseconds = quarterMicroseconds
    self.claim = claim
  }
}
