internal import OSCProtocol
public import OSCWire
public import MetronomeModel

/// A target by the name of its host, which may be found later, or be elsewhere tomorrow.
///
/// - Thread: any
public struct NamedTarget: Equatable, Sendable {
  public let host: String
  /// 1 to 65535.
  public let port: UInt16
  let profile: BeatProfile
  let offsetNanoseconds: Int64
  let showsMutedBars: Bool
  let leastAccent: Accent

  /// The target of a preset.
  ///
  /// - Returns: nil where its port is none.
  public init?(_ target: BeatTarget) {
    guard let port = UInt16(exactly: target.port), port > 0, !target.host.isEmpty else {
      return nil
    }
    profile =
      switch target.profile {
      case .gate(let path, let milliseconds): .gate(path: path, milliseconds: milliseconds)
      case .phase(let path, let rate):
        .phase(path: path, rate: rate.isFinite ? min(max(rate, 1), 120) : 30)
      case .perBeat(let path, let milliseconds): .perBeat(path: path, milliseconds: milliseconds)
      case .notes(let path, let channel, let milliseconds):
        .notes(path: path, channel: channel, milliseconds: milliseconds)
      case .template(let path, let arguments):
        .template(address: path, arguments: arguments.map(NamedTarget.word))
      }
    host = target.host
    self.port = port
    offsetNanoseconds =
      target.offsetMilliseconds.isFinite
      ? Int64(min(max(target.offsetMilliseconds, -10_000), 10_000) * 1e6) : 0
    showsMutedBars = target.includesMutedBars
    leastAccent = target.leastAccent
  }

  private static func word(_ argument: CommandArgument) -> String {
    switch argument {
    case .number(let number): NumberText.text(number)
    case .text(let text): text
    }
  }

  /// Reads `HOST:PORT,PROFILE[,ADDRESS][,ms=60][,offset=-20][,muted]`.
  ///
  /// Profiles: `gate`, `phase` (with `rate=30` a second), `beats`, `notes` (with `channel=10`),
  /// `template` with an address and words in which `{bar}` `{beat}` `{accent}` `{bpm}` stand.
  ///
  /// - Throws: what is wrong, with what is allowed.
  public init(text: String) throws(ProfileTargetError) {
    var parts = text.split(separator: ",").map(String.init)
    guard parts.count >= 2 else { throw .shape(text) }
    guard let (host, port) = SocketAddress.split(parts.removeFirst(), defaultPort: nil) else {
      throw .host(text)
    }
    let kind = parts.removeFirst()
    var options = ProfileTargetOptions()
    for part in parts { try options.take(part) }
    self.host = host
    self.port = port
    profile = try options.profile(kind)
    offsetNanoseconds = Int64(options.offset * 1e6)
    showsMutedBars = options.showsMutedBars
    leastAccent = .silent
  }

  /// The target where its host is now.
  public func at(_ address: SocketAddress) -> ProfileTarget {
    ProfileTarget(
      address: address, profile: profile, offsetNanoseconds: offsetNanoseconds,
      showsMutedBars: showsMutedBars, leastAccent: leastAccent)
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
    case .host(let text):
      "beat target '\(text)' names no host and port: write HOST:PORT or [IPv6]:PORT"
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
