import CommandLineOptions
import Glibc

extension ProgramFolders {
  /// Those of this process.
  static func here(user: String?, shipped: String? = nil) -> ProgramFolders {
    var path = [CChar](repeating: 0, count: 4096)
    let count = unsafe readlink("/proc/self/exe", &path, path.count - 1)
    let executable =
      count > 0 ? String(decoding: path[..<count].map(UInt8.init), as: UTF8.self) : nil
    return ProgramFolders(
      user: user, shipped: shipped, executable: executable, environment: Console.environment)
  }
}
