internal import OSCProtocol
public import OSCWire
public import MetronomeModel

/// A lamp desk, a tablet or anything else that takes numbers at the instant of the beat.
///
/// - Thread: any
public struct ProfileTarget: Equatable, Sendable {
  public var address: SocketAddress
  public var profile: BeatProfile
  /// Nanoseconds after (before, with a minus) the instant at which the click is heard.
  public var offsetNanoseconds: Int64
  /// Whether muted bars are shown too; they are not, as a rule: that is the exercise.
  public var showsMutedBars: Bool

  /// The least accent that is shown.
  public var leastAccent: Accent

  public init(
    address: SocketAddress, profile: BeatProfile, offsetNanoseconds: Int64 = 0,
    showsMutedBars: Bool = false, leastAccent: Accent = .silent
  ) {
    self.address = address
    self.profile = profile
    self.offsetNanoseconds = offsetNanoseconds
    self.showsMutedBars = showsMutedBars
    self.leastAccent = leastAccent
  }

  /// The target of a preset; may ask the resolver and wait.
  ///
  /// - Returns: nil where the host cannot be found.
  public init?(_ target: BeatTarget) {
    guard
      let address = SocketAddress(resolving: target.host, port: target.port)
    else { return nil }
    let profile: BeatProfile =
      switch target.profile {
      case .gate(let path, let milliseconds): .gate(path: path, milliseconds: milliseconds)
      case .phase(let path, let rate):
        .phase(path: path, rate: rate.isFinite ? min(max(rate, 1), 120) : 30)
      case .perBeat(let path, let milliseconds): .perBeat(path: path, milliseconds: milliseconds)
      case .notes(let path, let channel, let milliseconds):
        .notes(path: path, channel: channel, milliseconds: milliseconds)
      case .template(let path, let arguments):
        .template(address: path, arguments: arguments.map(ProfileTarget.word))
      }
    self.init(
      address: address, profile: profile,
      offsetNanoseconds: target.offsetMilliseconds.isFinite
        ? Int64(min(max(target.offsetMilliseconds, -10_000), 10_000) * 1e6) : 0,
      showsMutedBars: target.includesMutedBars, leastAccent: target.leastAccent)
  }

  private static func word(_ argument: ControlMapping.Argument) -> String {
    switch argument {
    case .number(let number): NumberText.text(number)
    case .text(let text): text
    }
  }

  func plays(_ beat: BeatMessage) -> Bool {
    (showsMutedBars || beat.flags & 1 == 0) && beat.accent >= Int32(leastAccent.rawValue)
  }

  /// Reads `HOST:PORT,PROFILE[,ADDRESS][,ms=60][,offset=-20][,muted]`; may ask the resolver and
  /// wait, so at start-up only.
  ///
  /// Profiles: `gate`, `phase` (with `rate=30` a second), `beats`, `notes` (with `channel=10`),
  /// `template` with an address and words in which `{bar}` `{beat}` `{accent}` `{bpm}` stand.
  ///
  /// - Throws: what is wrong, with what is allowed.
  public init(text: String) throws(ProfileTargetError) {
    var parts = text.split(separator: ",").map(String.init)
    guard parts.count >= 2 else { throw .shape(text) }
    guard let address = SocketAddress(resolving: parts.removeFirst()) else { throw .host(text) }
    let kind = parts.removeFirst()
    var options = ProfileTargetOptions()
    for part in parts { try options.take(part) }
    self.init(
      address: address, profile: try options.profile(kind),
      offsetNanoseconds: Int64(options.offset * 1e6), showsMutedBars: options.showsMutedBars)
  }
}

/// Why a target was refused.
public enum ProfileTargetError: Error, Equatable, Sendable, CustomStringConvertible {
  case shape(String)
  case host(String)
  case profile(String)
  case option(String)
  /// What is wrong with an address or a word.
  case template(String)

  public var description: String {
    switch self {
    case .shape(let text):
      "beat target '\(text)' is not HOST:PORT,PROFILE[,ADDRESS][,ms=60][,offset=-20][,muted]"
    case .host(let text): "beat target '\(text)' names no host and port that can be found"
    case .profile(let text):
      "beat profile '\(text)' is unknown: allowed are gate, phase, beats, notes, template"
    case .template(let fault): "beat target: \(fault)"
    case .option(let text):
      "beat target option '\(text)' cannot be read: allowed are an address, ms=1 to 2000, offset=-300 to 500, rate=1 to 120, channel=1 to 16, muted"
    }
  }
}

private struct ProfileTargetOptions {
  var path: String?
  var milliseconds: Double = 60
  var offset: Double = 0
  var rate: Double = 30
  var channel = 10
  var showsMutedBars = false

  mutating func take(_ part: String) throws(ProfileTargetError) {
    if part.hasPrefix("/") {
      // A template's words stand behind its address.
      let words = part.split(separator: " ").map(String.init)
      let faults =
        [BeatTemplate.fault(inAddress: words.first ?? part)]
        + words.dropFirst().map { BeatTemplate.fault(inWord: $0) }
      if let fault = faults.compactMap({ $0 }).first { throw .template(fault) }
      path = part
      return
    }
    if part == "muted" {
      showsMutedBars = true
      return
    }
    let sides = part.split(separator: "=", maxSplits: 1)
    guard sides.count == 2, let value = Double(sides[1]), value.isFinite else {
      throw .option(part)
    }
    switch sides[0] {
    case "ms" where (1...2_000).contains(value): milliseconds = value
    case "offset" where Limits.eventOffsetMilliseconds.contains(value): offset = value
    case "rate" where (1...120).contains(value): rate = value
    case "channel" where (1...16).contains(value) && value == value.rounded(): channel = Int(value)
    default: throw .option(part)
    }
  }

  private var template: BeatProfile {
    let words = (path ?? "/beat/{beat} {accent}").split(separator: " ").map(String.init)
    return .template(address: words.first ?? "/beat", arguments: Array(words.dropFirst()))
  }

  func profile(_ kind: String) throws(ProfileTargetError) -> BeatProfile {
    if let path, path.contains(" "), kind != "template" {
      throw .template("'\(path)': only a template has words behind its address")
    }
    return switch kind {
    case "gate": .gate(path: path ?? "/beat", milliseconds: milliseconds)
    case "phase": .phase(path: path ?? "/beat/phase", rate: rate)
    case "beats": .perBeat(path: path ?? "/beat", milliseconds: milliseconds)
    case "notes": .notes(path: path ?? "/note", channel: channel, milliseconds: milliseconds)
    case "template": template
    default: throw .profile(kind)
    }
  }
}
