/// A name that stays inside its folder: what OSC, MIDI and a person may call a preset, a setlist, a
/// map, a sound or a take.
///
/// - Unit: at most `Limits.nameBytes` bytes of UTF-8
/// - Thread: any
public struct SafeName: Hashable, Sendable, CustomStringConvertible {
  public let text: String

  public init(_ text: some StringProtocol) throws(SafeNameError) {
    let bytes = text.utf8
    if bytes.isEmpty { throw .empty }
    // Counted on the bytes first, so that a huge name is neither copied nor quoted whole.
    if bytes.count > Limits.nameBytes { throw .tooLong(bytes.count) }
    if bytes.first == UInt8(ascii: ".") { throw .leadingDot(String(text)) }
    for byte in bytes {
      if byte == UInt8(ascii: "/") || byte == UInt8(ascii: "\\") { throw .separator(String(text)) }
      if byte < 0x20 || byte == 0x7F { throw .controlCharacter }
    }
    self.text = String(text)
  }

  public var description: String { text }
}

/// Why a name was refused.
public enum SafeNameError: Error, Equatable, CustomStringConvertible {
  case empty
  case tooLong(Int)
  case leadingDot(String)
  case separator(String)
  case controlCharacter

  public var description: String {
    switch self {
    case .empty:
      "name is empty: give 1 to \(Limits.nameBytes) bytes"
    case .tooLong(let count):
      "name has \(count) bytes: allowed are 1 to \(Limits.nameBytes)"
    case .leadingDot(let name):
      "name '\(name)' begins with a dot: hidden files are not looked at, rename it"
    case .separator(let name):
      "name '\(name)' has a path separator: names are looked up inside one folder, give the bare name"
    case .controlCharacter:
      "name holds a control character: use printable text"
    }
  }
}
