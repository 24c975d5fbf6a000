public import MusicalTime

/// What people should know of a session.
///
/// - Thread: control
public enum LinkNote: Equatable, Sendable, CustomStringConvertible {
  case joined(peers: Int, quarterMicroseconds: Int64)
  /// The others are back after a short break, and what is heard here was kept.
  case kept(Tempo)
  case peers(Int)
  case alone
  case putBack(LinkTakeOver)
  /// Two lead one session.
  case contested(yields: Bool)

  public var isWarning: Bool {
    switch self {
    case .putBack, .contested: true
    default: false
    }
  }

  public var description: String {
    switch self {
    case .joined(let peers, let length):
      "Link: in a session with \(LinkNote.others(peers)) at \(LinkNote.tempo(length))"
    case .kept(let tempo): "Link: the others are back, and \(tempo) is kept"
    case .peers(let peers): "Link: \(LinkNote.others(peers)) in the session"
    case .alone: "Link: nobody else is in the session"
    case .putBack(let other): LinkNote.text(other)
    case .contested(true):
      "Link: another program leads this session and was there first: it is followed; "
        + "end one of the two with /tactus/link"
    case .contested(false):
      "Link: another program tries to lead this session, too: end one of the two with /tactus/link"
    }
  }

  private static func text(_ other: LinkTakeOver) -> String {
    guard other.foundMicroseconds == other.keptMicroseconds else {
      return "Link: somebody set \(tempo(other.foundMicroseconds)), "
        + "\(tempo(other.keptMicroseconds)) was put back"
    }
    let milliseconds = Double(other.phaseErrorMicroseconds) / 1000
    return "Link: somebody moved the beat by "
      + "\(ThousandthsText.text(Int64((milliseconds * 1000).rounded()))) ms, it was put back"
  }

  private static func others(_ peers: Int) -> String {
    peers == 1 ? "one other" : "\(peers) others"
  }

  /// Microseconds a quarter as people call that tempo.
  public static func tempo(_ microseconds: Int64) -> String {
    QuarterLength(microseconds: Int(clamping: microseconds)).flatMap { $0.shownThousandths }
      .map { ThousandthsText.text(Int64($0)) } ?? "\(microseconds) us a quarter"
  }
}
