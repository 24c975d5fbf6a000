internal import Glibc

/// What a person asks of an input; every figure is a preference, what was got is reported.
public struct CaptureRequest: Sendable, Equatable {
  /// An ALSA name or a bare card id; `none` is silence on the host's clock.
  public var device: String
  /// Frames a second; that of the output, so that a take needs no conversion.
  public var framesPerSecond: Int
  /// Channels that are kept, 1 to 8: the first ones, where the device has more.
  public var channelCount: Int

  public static let channelRange: ClosedRange<Int> = 1...8

  public init(device: String = "default", framesPerSecond: Int = 48_000, channelCount: Int = 2) {
    self.device = device
    self.framesPerSecond = framesPerSecond
    self.channelCount = channelCount
  }

  public var isSilent: Bool { device == "none" }

  public func alsaName(cards: [SoundCard]) -> String {
    cards.contains { $0.id == device } ? "hw:CARD=\(device)" : device
  }
}

/// Why an input cannot be opened, with the way out.
///
/// - Thread: any
public struct CaptureProblem: Error, Sendable, Equatable, CustomStringConvertible {
  public var device: String
  public var call: String
  /// A positive errno.
  public var code: Int32
  /// What alsa-lib itself said; may be empty.
  public var detail: String
  /// Cards that can record.
  public var cards: [String]

  public init(
    device: String, call: String, code: Int32, detail: String = "", cards: [String] = []
  ) {
    self.device = device
    self.call = call
    self.code = code < 0 ? -code : code
    self.detail = detail
    self.cards = cards
  }

  public var description: String {
    let said = detail.isEmpty ? "" : " (\(detail))"
    let present =
      cards.isEmpty
      ? "no card here records: connect a microphone or an interface"
      : "cards that record: \(cards.joined(separator: ", ")); name one with --capture hw:CARD=ID"
    return "input '\(device)' \(SystemWords.reason(code))\(said) [\(call)]: \(present)"
  }
}

/// What an errno means for an input.
enum SystemWords {
  static func reason(_ code: Int32) -> String {
    switch code {
    case EBUSY: "is in use by another program"
    case ENOENT, ENXIO, ENODEV: "is not there"
    case EACCES, EPERM: "may not be used: add the user to group audio and log in again"
    case EINVAL: "refuses this rate, format or number of channels"
    default: "cannot be opened (errno \(code))"
    }
  }
}
