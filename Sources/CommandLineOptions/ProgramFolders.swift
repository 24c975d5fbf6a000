/// Where presets, setlists, songs and sounds are looked up.
///
/// The user's folder holds `presets`, `setlists`, `maps`, `sounds` and `takes`; what came with the program
/// lies beside it.
///
/// - Thread: any
public struct ProgramFolders: Equatable, Sendable {
  public let user: String
  /// Folders of presets that came with the program; one that is not there has no presets.
  public let shippedPresets: [String]

  /// Setlists and maps that came with the program lie below its presets.
  public var shippedSetlists: [String] { shippedPresets.map { "\($0)/setlists" } }
  public var shippedMaps: [String] { shippedPresets.map { "\($0)/maps" } }

  public var presets: String { "\(user)/presets" }
  public var setlists: String { "\(user)/setlists" }
  public var maps: String { "\(user)/maps" }
  public var sounds: String { "\(user)/sounds" }
  public var takes: String { "\(user)/takes" }

  /// Where the last state is kept: what systemd gives a service, else the user's folder of states
  /// (XDG Base Directory Specification); nil where neither is known.
  public static func state(environment: (String) -> String?) -> String? {
    func named(_ variable: String) -> String? {
      environment(variable).flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    // A service with several has them in one variable, with colons between (systemd.exec(5)).
    if let service = named("STATE_DIRECTORY")?.split(separator: ":").first {
      return String(service)
    }
    let base = named("XDG_STATE_HOME") ?? named("HOME").map { "\($0)/.local/state" }
    return base.map { "\($0)/tactus" }
  }

  /// - Parameters:
  ///   - user: as named on the command line; nil is `tactus` in XDG_CONFIG_HOME or `~/.config`.
  ///   - shipped: as named on the command line; nil is beside the program, as installed or built.
  ///   - executable: the program's path, links resolved.
  public init(
    user: String?, shipped: String?, executable: String?, environment: (String) -> String?
  ) {
    func named(_ variable: String) -> String? {
      environment(variable).flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    let configuration =
      named("XDG_CONFIG_HOME") ?? named("HOME").map { "\($0)/.config" } ?? "/etc"
    self.user = user ?? "\(configuration)/tactus"
    if let shipped {
      shippedPresets = [shipped]
      return
    }
    var folders: [String] = []
    if let executable, let slash = executable.lastIndex(of: "/") {
      let folder = executable[..<slash]
      // Installed as PREFIX/bin/tactus, copied together with its data, or built as
      // .build/TRIPLE/CONFIGURATION/tactus.
      folders = [
        ProgramFolders.above(folder).map { "\($0)/share/tactus/presets" }, "\(folder)/Presets",
        ProgramFolders.above(folder).map { "\($0)/Presets" },
        ProgramFolders.above(folder, 2).map { "\($0)/Presets" },
        ProgramFolders.above(folder, 3).map { "\($0)/Presets" },
      ].compactMap { $0 }
    }
    // Where a person without root puts data, then the system's own.
    let data = named("XDG_DATA_HOME") ?? named("HOME").map { "\($0)/.local/share" }
    let system = ["/usr/local/share", "/usr/share"]
    for base in [data].compactMap({ $0 }) + system {
      let path = "\(base)/tactus/presets"
      if !folders.contains(path) { folders.append(path) }
    }
    shippedPresets = folders
  }

  /// The folder so many levels up, written without `..` so that messages name what can be found;
  /// nil above the root.
  private static func above(_ folder: Substring, _ levels: Int = 1) -> String? {
    var path = folder
    for _ in 0..<levels {
      guard let slash = path.lastIndex(of: "/") else { return nil }
      path = path[..<slash]
    }
    return String(path)
  }
}
