import CLinux
import Glibc
import Synchronization

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
  private let failure = OutputFailure()

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

  /// Why something that was written to the output did not arrive: a full disk, a closed stream.
  var outputFailure: String? {
    let code = failure.code.load(ordering: .relaxed)
    return code == 0 ? nil : unsafe String(cString: strerror(code))
  }

  public func print(_ text: String) { write(text + "\n") }
  public func write(_ text: String) { write(Array(text.utf8)) }
  public func complain(_ text: String) { Console.write(text + "\n", to: error) }
  public func writeError(_ text: String) { Console.write(text, to: error) }

  /// A file that is no text.
  public func write(_ bytes: [UInt8]) {
    let code = unsafe bytes.withUnsafeBufferPointer { unsafe Console.write($0, to: output) }
    if code != 0 { failure.code.store(code, ordering: .relaxed) }
  }

  private static func write(_ text: String, to descriptor: Int32) {
    var text = text
    _ = text.withUTF8 { unsafe write($0, to: descriptor) }
  }

  /// - Returns: the error of what did not arrive; 0 where all did, or nobody reads any more.
  private static func write(
    _ buffer: UnsafeBufferPointer<UInt8>, to descriptor: Int32
  ) -> Int32 {
    guard let base = buffer.baseAddress else { return 0 }
    var sent = 0
    while sent < buffer.count {
      let done = unsafe Glibc.write(descriptor, base + sent, buffer.count - sent)
      if done < 0, errno == EINTR { continue }
      if done <= 0 { return done < 0 && errno != EPIPE ? errno : 0 }
      sent += done
    }
    return 0
  }
}

/// The last error of a console's output; 0 where there was none.
private final class OutputFailure: Sendable {
  let code = Atomic<Int32>(0)
}
