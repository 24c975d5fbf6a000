internal import Glibc

/// Why a PCM cannot be opened or kept, with the way out.
public struct PCMProblem: Error, Sendable, Equatable, CustomStringConvertible {
  /// The device as it was asked for.
  public var device: String
  /// The ALSA call that failed.
  public var call: String
  /// A positive errno.
  public var code: Int32
  /// What alsa-lib itself said, in one line; may be empty.
  public var detail: String
  /// The cards that are there.
  public var cards: [SoundCard]

  public init(
    device: String, call: String, code: Int32, detail: String = "", cards: [SoundCard] = []
  ) {
    self.device = device
    self.call = call
    self.code = code < 0 ? -code : code
    self.detail = detail
    self.cards = cards
  }

  /// One line: what is missing, and what to do.
  public var description: String {
    if let card = SoundCard.named(in: device), Int(card) == nil || isAbsent,
      !cards.contains(where: { $0.id == card || String($0.index) == card })
    {
      return "no card '\(card)': \(present); \(naming)"
    }
    if isAbsent || code == EINVAL, let card = cards.first(where: isNamed), card.isHDMI {
      return
        "card '\(card.id)' is an HDMI output and has no display: connect one before the start, or "
        + "name another card: \(present); \(naming)"
    }
    switch code {
    case EHOSTDOWN, ECONNREFUSED:
      return
        "'\(device)' goes through a sound server that does not run (\(errorText)): start PipeWire "
        + "or PulseAudio in this session, or name a card: \(present); \(naming)"
    case EBUSY:
      return
        "'\(device)' is in use by another program: stop it (fuser -v /dev/snd/*), or play beside "
        + "it with --device default"
    case EACCES, EPERM:
      return
        "no permission to use '\(device)': add the user to group audio "
        + "(sudo usermod -aG audio $USER) and log in again"
    case ENOENT, ENODEV, ENXIO:
      if cards.isEmpty {
        return
          "no sound card on this machine, so '\(device)' cannot play: connect one or load its "
          + "driver; \(naming)"
      }
      return "no device '\(device)'\(said): \(present); \(naming)"
    case EINVAL:
      return "'\(device)' refuses \(call)\(said): \(present); \(naming)"
    default:
      return "'\(device)': \(call): \(errorText)\(said); \(present); \(naming)"
    }
  }

  private func isNamed(_ card: SoundCard) -> Bool {
    let wanted = SoundCard.named(in: device) ?? device
    return card.id == wanted || String(card.index) == wanted
  }

  private var isAbsent: Bool { code == ENOENT || code == ENODEV || code == ENXIO }

  private var said: String { detail.isEmpty ? "" : " (\(detail))" }

  private var present: String {
    let playing = cards.filter(\.plays)
    guard !playing.isEmpty else { return "none is present" }
    return "present are "
      + playing.map { $0.id == $0.name ? $0.id : "\($0.id) (\($0.name))" }.joined(separator: ", ")
  }

  private var naming: String { "name one with --device hw:CARD=ID" }

  private var errorText: String {
    guard let text = unsafe strerror(code) else { return "errno \(code)" }
    return unsafe String(cString: text)
  }
}
