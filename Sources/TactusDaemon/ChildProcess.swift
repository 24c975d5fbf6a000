internal import CLinux
internal import Glibc

/// Another program, started without a shell and never waited for: it lives as long as this one.
///
/// - Thread: control
enum ChildProcess {
  /// - Returns: 0, or an errno.
  static func start(_ arguments: [String]) -> Int32 {
    var pointers: [UnsafePointer<CChar>?] = unsafe arguments.map {
      unsafe UnsafePointer(strdup($0))
    }
    unsafe pointers.append(nil)
    defer { unsafe pointers.forEach { unsafe free(UnsafeMutablePointer(mutating: $0)) } }
    return -min(unsafe clinux_spawn(pointers, nil), 0)
  }
}
