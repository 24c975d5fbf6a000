import CLinux
import Glibc

/// A file that lines are added to as things happen.
///
/// - Thread: one
final class TextLog: Sendable {
  private let descriptor: Int32

  /// - Returns: nil where the file cannot be written.
  init?(path: String) {
    descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { return nil }
  }

  deinit { close(descriptor) }

  func write(_ text: String) {
    var text = text
    text.withUTF8 { bytes in _ = unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count) }
  }
}
