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
    self.key = key
    self.reason = reason
  }

  public var description: String {
    "\(file):\(line):\(column): \(key.isEmpty ? "" : "\(key): ")\(reason)"
  }
}
