import Glibc

/// Where bytes go: a file that is made or replaced, or an open descriptor such as standard output.
///
/// - Thread: any
public enum RenderDestination: Equatable, Sendable {
  case path(String)
  /// Stays open; `name` is for messages.
  case descriptor(Int32, name: String)

  public var name: String {
    switch self {
    case .path(let path): path
    case .descriptor(_, let name): name
    }
  }
}

/// Writes bytes in large pieces.
///
/// - Thread: any one at a time
final class ByteFile {
  private static let pieceBytes = 1 << 16

  private let descriptor: Int32
  private let name: String
  private let closes: Bool
  private var isOpen = true
  /// Bytes that wait; append here, then call `flushIfFull`.
  var bytes: [UInt8] = []

  init(_ destination: RenderDestination) throws(RenderError) {
    name = destination.name
    bytes.reserveCapacity(2 * ByteFile.pieceBytes)
    switch destination {
    case .path(let path):
      let opened = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
      guard opened >= 0 else { throw ByteFile.error(path) }
      descriptor = opened
      closes = true
    case .descriptor(let given, _):
      descriptor = given
      closes = false
    }
  }

  deinit { if isOpen, closes { Glibc.close(descriptor) } }

  func flushIfFull() throws(RenderError) {
    if bytes.count >= ByteFile.pieceBytes { try flush() }
  }

  func flush() throws(RenderError) {
    var sent = 0
    while sent < bytes.count {
      let done = unsafe bytes.withUnsafeBytes { buffer -> Int in
        guard let base = buffer.baseAddress else { return 0 }
        return unsafe write(descriptor, base + sent, buffer.count - sent)
      }
      if done < 0 {
        if errno == EINTR { continue }
        throw ByteFile.error(name)
      }
      sent += done
    }
    bytes.removeAll(keepingCapacity: true)
  }

  /// - Throws: what keeps the file from being whole, such as a full disk.
  func close() throws(RenderError) {
    try flush()
    guard isOpen else { return }
    isOpen = false
    if closes, Glibc.close(descriptor) != 0 { throw ByteFile.error(name) }
  }

  private static func error(_ name: String) -> RenderError {
    let code = errno
    let words = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    return .file(name, reason: words)
  }
}
