/// Why a text file was refused: where, what, and what is allowed instead.
///
/// - Thread: any
public struct FormatError: Error, Equatable, CustomStringConvertible {
  public var file: String
  /// From 1.
  public var line: Int
  /// From 1, in characters of one byte.
  public var column: Int
  /// The key, with those around it: `midi[1].notes.channel`; empty for the text as a whole.
  public var key: String
  public var reason: String

  public init(file: String, line: Int, column: Int, key: String = "", reason: String) {
    self.file = file
    self.line = line
    self.column = column
    self.key = FormatError.harmless(key)
    self.reason = FormatError.harmless(reason)
  }

  public var description: String {
    "\(file):\(line):\(column): \(key.isEmpty ? "" : "\(key): ")\(reason)"
  }

  /// What is quoted from a file must not steer the terminal that shows it: control characters and
  /// those that turn the direction of writing become a sign that stands for them.
  static func harmless(_ text: String) -> String {
    func steers(_ scalar: Unicode.Scalar) -> Bool {
      switch scalar.value {
      case 0..<0x20, 0x7F...0x9F, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069: true
      default: false
      }
    }
    guard text.unicodeScalars.contains(where: steers) else { return text }
    return String(
      String.UnicodeScalarView(text.unicodeScalars.map { steers($0) ? "\u{FFFD}" : $0 }))
  }
}
