internal import Glibc

/// A card as the kernel lists it.
public struct SoundCard: Sendable, Equatable {
  public var index: Int
  /// The name that stays when cards change places: `hw:CARD=id`.
  public var id: String
  public var name: String
  public var plays: Bool

  public init(index: Int, id: String, name: String, plays: Bool) {
    self.index = index
    self.id = id
    self.name = name
    self.plays = plays
  }

  /// Whether what it plays goes to a display: without one it refuses, or plays to nobody.
  public var isHDMI: Bool {
    let text = (id + name).uppercased()
    return text.contains("HDMI") || text.contains("DISPLAYPORT")
  }

  /// The cards of this machine, in the kernel's order; empty where there is no sound support.
  ///
  /// - Thread: any but audio
  public static func present() -> [SoundCard] {
    parse(cards: readFile("/proc/asound/cards"), pcms: readFile("/proc/asound/pcm"))
  }

  /// Whether there are cards and the user may use none of them; alsa-lib then answers as if they
  /// were not there.
  static func areForbidden(_ cards: [SoundCard]) -> Bool {
    !cards.isEmpty
      && cards.allSatisfy { card in
        let path = "/dev/snd/controlC\(card.index)"
        return unsafe access(path, R_OK | W_OK) != 0 && errno == EACCES
      }
  }

  /// Reads the kernel's two lists.
  ///
  /// - Parameters:
  ///   - cards: lines ` 0 [Loopback       ]: Loopback - Loopback`, each followed by a longer name.
  ///   - pcms: lines `00-01: Loopback PCM : Loopback PCM : playback 8 : capture 8`.
  static func parse(cards: String, pcms: String) -> [SoundCard] {
    var playing: Set<Int> = []
    for line in pcms.split(separator: "\n") where line.contains(": playback ") {
      if let index = Int(line.prefix { $0 != "-" }) { playing.insert(index) }
    }
    var found: [SoundCard] = []
    for line in cards.split(separator: "\n") {
      guard let open = line.firstIndex(of: "["), let close = line.firstIndex(of: "]"),
        open < close, let index = Int(trimmed(line[..<open]))
      else { continue }
      let id = trimmed(line[line.index(after: open)..<close])
      var name = id
      // "driver - short name"; a driver may have a dash of its own (USB-Audio).
      let parts = line[close...].split(separator: " - ", maxSplits: 1)
      if parts.count == 2 { name = trimmed(parts[1]) }
      found.append(
        SoundCard(index: index, id: id, name: name, plays: playing.contains(index)))
    }
    return found
  }

  /// The card that an ALSA name means: `CARD=X`, or what follows the colon; nil for `default` and
  /// the like.
  public static func named(in device: String) -> String? {
    // Also inside a nested name: plug:'dmix:CARD=X'.
    let pieces = device.split { ",:'\"{} ".contains($0) }
    for piece in pieces where piece.hasPrefix("CARD=") { return String(piece.dropFirst(5)) }
    guard let colon = device.firstIndex(of: ":") else { return nil }
    let arguments = device[device.index(after: colon)...].split(separator: ",")
    // What follows `plug:` is another PCM, not a card.
    guard ["hw", "plughw", "sysdefault", "dmix", "front"].contains(device[..<colon]),
      let first = arguments.first, !first.contains("=")
    else { return nil }
    return String(first)
  }
}

private func trimmed(_ text: Substring) -> String {
  var text = text.drop { $0 == " " }
  while text.last == " " { text = text.dropLast() }
  return String(text)
}

/// At most 64 KB of a text file; empty where it cannot be read.
private func readFile(_ path: String) -> String {
  let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { return "" }
  defer { close(descriptor) }
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 4096)
  while bytes.count < 65_536 {
    let count = unsafe read(descriptor, &chunk, chunk.count)
    guard count > 0 else { break }
    bytes.append(contentsOf: chunk[..<count])
  }
  return String(decoding: bytes, as: UTF8.self)
}
