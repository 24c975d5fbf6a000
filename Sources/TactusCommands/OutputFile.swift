import CommandLineOptions
import Glibc

/// A small file that a person asked for, `-` being standard output.
enum OutputFile {
  static func write(_ text: String, to path: String, _ console: Console) throws(CommandFailure) {
    try write(Array(text.utf8), to: path, console)
  }

  static func write(
    _ content: [UInt8], to path: String, _ console: Console
  ) throws(CommandFailure) {
    guard path != "-" else {
      console.write(content)
      return
    }
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw failure(path) }
    defer { close(descriptor) }
    var bytes = content[...]
    while !bytes.isEmpty {
      let done = unsafe bytes.withUnsafeBytes {
        unsafe Glibc.write(descriptor, $0.baseAddress, $0.count)
      }
      if done < 0, errno == EINTR { continue }
      guard done > 0 else { throw failure(path) }
      bytes = bytes.dropFirst(done)
    }
  }

  private static func failure(_ path: String) -> CommandFailure {
    CommandFailure(.failed, TextFileError(path, errno).description)
  }
}
