internal import CommandLineOptions
internal import Glibc
internal import MetronomeModel
internal import ScoreFormats

/// Where this program finds its folders.
///
/// - Thread: any; reads the environment and the file system.
enum ProgramPlace {
  static func folders(user: String?, shipped: String?) -> ProgramFolders {
    ProgramFolders(
      user: user, shipped: shipped, executable: ProgramFile.executable, environment: variable)
  }

  /// Where the last state is kept; nil where it is not to be, or there is no place for it.
  ///
  /// A second daemon on this machine has another OSC port, and a state of its own.
  static func state(_ options: DaemonOptions) -> StateStore? {
    guard options.keepsState,
      let folder = options.stateFolder ?? ProgramFolders.state(environment: variable)
    else { return nil }
    let port = options.oscPort ?? Limits.oscPort
    return StateStore(folder: folder, name: port == Limits.oscPort ? "state" : "state-\(port)")
  }

  private static func variable(_ name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }
  }
}
