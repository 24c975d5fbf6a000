internal import Glibc

/// Where this program lies, and what lies beside it.
///
/// - Thread: any; asks the file system.
public enum ProgramFile {
  /// The program's own file, links resolved; nil where the system does not say.
  public static var executable: String? {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count - 1)
    guard count > 0 else { return nil }
    return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// A program beside this one; nil where it is not installed.
  public static func sibling(_ name: String) -> String? {
    guard let own = executable, let slash = own.lastIndex(of: "/") else { return nil }
    let path = "\(own[..<slash])/\(name)"
    return unsafe access(path, X_OK) == 0 ? path : nil
  }
}
