import Glibc

/// Why a take could not be written, read or found; the description names the way out.
///
/// - Thread: any
public enum TakeError: Error, Equatable, CustomStringConvertible {
  case system(call: String, path: String, code: Int32)
  case exists(path: String)
  case notATake(path: String)
  case name(String)
  case notFound(String, folder: String)
  case notAFile(path: String)
  /// It was taken away while it was recorded.
  case gone(path: String)
  /// The side file cannot be written, in words.
  case sheet(String)

  public var description: String {
    switch self {
    case .system("write", let path, ENOSPC):
      "'\(path)': the disk is full: what was recorded until now is kept"
    case .system(let call, let path, let code):
      "'\(path)': \(call): \(TakeError.words(code))"
    case .exists(let path):
      "'\(path)' is there already: choose another name, or delete that take first"
    case .notATake(let path):
      "'\(path)' is no take of ours: only what 'take' recorded can be repaired"
    case .name(let reason):
      "take \(reason)"
    case .notFound(let name, let folder):
      "there is no take '\(name)' in '\(folder)': 'tactus take list' shows them"
    case .notAFile(let path):
      "'\(path)' is not a regular file"
    case .gone(let path):
      "'\(path)' was taken away while it was recorded: the take ends there"
    case .sheet(let reason):
      "side file \(reason)"
    }
  }

  static func words(_ code: Int32) -> String {
    unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
  }
}
