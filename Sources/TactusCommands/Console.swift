import CLinux
import Glibc

/// Where a command speaks and listens.
///
/// - Thread: any one at a time
public struct Console: Sendable {
  /// Descriptors.
  public var input: Int32
  public var output: Int32
  public var error: Int32
  /// Whether colours and cursor movements are welcome: a terminal, no NO_COLOR, not a dumb one.
  public var allowsColour: Bool

  public init(input: Int32 = 0, output: Int32 = 1, error: Int32 = 2, allowsColour: Bool = false) {
    self.input = input
    self.output = output
    self.error = error
    self.allowsColour = allowsColour
  }

  /// The process's own.
  public static func standard() -> Console {
    let isDumb = environment("TERM").map { $0 == "dumb" } ?? true
    return Console(
      allowsColour: !isDumb && (environment("NO_COLOR") ?? "").isEmpty
        && clinux_terminal_columns(1) > 0)
  }

  public static func environment(_ name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }
  }

  /// Columns of the terminal; 0 where output goes elsewhere.
  public var outputColumns: Int { Int(clinux_terminal_columns(output)) }
  public var errorColumns: Int { Int(clinux_terminal_columns(error)) }

  public func print(_ text: String) { Console.write(text + "\n", to: output) }
  public func write(_ text: String) { Console.write(text, to: output) }
  public func complain(_ text: String) { Console.write(text + "\n", to: error) }
  public func writeError(_ text: String) { Console.write(text, to: error) }

  /// A file that is no text.
  public func write(_ bytes: [UInt8]) {
    unsafe bytes.withUnsafeBufferPointer { unsafe Console.write($0, to: output) }
  }

  private static func write(_ text: String, to descriptor: Int32) {
    var text = text
    text.withUTF8 { unsafe write($0, to: descriptor) }
  }

  private static func write(_ buffer: UnsafeBufferPointer<UInt8>, to descriptor: Int32) {
    guard let base = buffer.baseAddress else { return }
    var sent = 0
    while sent < buffer.count {
      let done = unsafe Glibc.write(descriptor, base + sent, buffer.count - sent)
      if done < 0, errno == EINTR { continue }
      // Nobody reads any more: there is no one to tell.
      if done <= 0 { return }
      sent += done
    }
  }
}
