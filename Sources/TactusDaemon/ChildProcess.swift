internal import CLinux
internal import Glibc

/// Another program, started without a shell and never waited for.
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
    let environment: [UnsafePointer<CChar>?] = unsafe [nil]
    return -(unsafe clinux_spawn(pointers, environment))
  }
}
