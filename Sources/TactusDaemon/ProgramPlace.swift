internal import CommandLineOptions
internal import Glibc

/// Where this program finds its folders.
///
/// - Thread: any; reads the environment and the file system.
enum ProgramPlace {
  static func folders(user: String?, shipped: String?) -> ProgramFolders {
    ProgramFolders(user: user, shipped: shipped, executable: ProgramFile.executable) { name in
      unsafe getenv(name).map { unsafe String(cString: $0) }
    }
  }
}
