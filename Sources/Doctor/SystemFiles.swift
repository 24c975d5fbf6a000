internal import Glibc

/// Files of the running system, or of a copy of one below another folder.
///
/// - Thread: any; reads files.
public struct SystemFiles: Sendable {
  /// Empty for the system that runs.
  public let root: String
  /// No file of /proc or /sys that is asked here is longer, in bytes.
  static let limit = 1 << 18

  public init(root: String = "") { self.root = root }

  /// The text of a file; nil where it cannot be read.
  public func text(_ path: String) -> String? {
    let descriptor = unsafe open(root + path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    while bytes.count < SystemFiles.limit {
      let count = unsafe read(descriptor, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { return nil }
      if count == 0 { break }
      bytes += piece[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The first line, without white space around it.
  public func line(_ path: String) -> String? {
    text(path)?.split(separator: "\n", omittingEmptySubsequences: false).first.map(
      SystemFiles.trimmed)
  }

  public func isThere(_ path: String) -> Bool { unsafe access(root + path, F_OK) == 0 }

  public func isWritable(_ path: String) -> Bool { unsafe access(root + path, W_OK) == 0 }

  /// Where a symbolic link points; nil where it is none.
  public func link(_ path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: 512)
    let count = unsafe readlink(root + path, &buffer, buffer.count - 1)
    guard count > 0 else { return nil }
    return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Names in a folder, sorted; none where it cannot be read.
  public func names(in path: String) -> [String] {
    guard let folder = unsafe opendir(root + path) else { return [] }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    while let entry = unsafe readdir(folder), names.count < 4096 {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
          unsafe String(cString: $0)
        }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  /// `key: value` or `key=value` lines.
  public func value(_ key: String, in path: String, separator: Character = ":") -> String? {
    for line in text(path)?.split(separator: "\n") ?? [] {
      let parts = line.split(separator: separator, maxSplits: 1)
      if parts.count == 2, SystemFiles.trimmed(parts[0]) == key {
        return SystemFiles.trimmed(parts[1])
      }
    }
    return nil
  }

  static func trimmed(_ text: Substring) -> String {
    var text = text
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return String(text.drop { $0.isWhitespace })
  }
}
