/// Where presets, setlists, songs and sounds are looked up.
///
/// The user's folder holds `presets`, `setlists`, `maps` and `sounds`; what came with the program
/// lies beside it.
///
/// - Thread: any
public struct ProgramFolders: Equatable, Sendable {
  public let user: String
  /// Folders of presets that came with the program; one that is not there has no presets.
  public let shippedPresets: [String]

  public var presets: String { "\(user)/presets" }
  public var setlists: String { "\(user)/setlists" }
  public var maps: String { "\(user)/maps" }
  public var sounds: String { "\(user)/sounds" }

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
      // Installed as PREFIX/bin/tactus, or built as .build/TRIPLE/CONFIGURATION/tactus.
      folders = ["\(folder)/../share/tactus/presets", "\(folder)/../../../Presets"]
    }
    shippedPresets = folders + ["/usr/local/share/tactus/presets", "/usr/share/tactus/presets"]
  }
}
