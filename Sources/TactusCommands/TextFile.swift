import Glibc

/// Reads a file that a person named, `-` being standard input.
enum TextFile {
  /// Whether a path is there and is neither a file nor a folder.
  static func isDevice(_ path: String) -> Bool {
    var facts = stat()
    guard unsafe stat(path, &facts) == 0 else { return false }
    let kind = facts.st_mode & S_IFMT
    return kind != S_IFREG && kind != S_IFDIR
  }

  /// - Parameter limit: bytes beyond which it is refused.
  static func bytes(
    _ path: String, input: Int32, limit: Int
  ) throws(TextFileError) -> [UInt8] {
    var descriptor = input
    if path != "-" {
      descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { throw TextFileError(path, errno) }
    }
    defer { if path != "-" { close(descriptor) } }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe read(descriptor, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw TextFileError(path, errno) }
      if count == 0 { return bytes }
      bytes += piece[..<count]
      guard bytes.count <= limit else {
        throw TextFileError(
          text: "'\(path)' is larger than \(limit >> 10) KiB: that is no such file")
      }
    }
  }
}

/// Why a file could not be read.
struct TextFileError: Error, CustomStringConvertible {
  var description: String

  init(text: String) { description = text }

  init(_ path: String, _ code: Int32) {
    let words = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    description = "'\(path)': \(words)"
  }
}
