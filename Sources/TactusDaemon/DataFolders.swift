internal import Glibc

/// Where presets, sounds and songs are: the user's own folder, and those that came with Tactus.
///
/// - Thread: any; reads the environment and the file system.
struct DataFolders {
  /// `presets`, `sounds`, `maps` and `setlists` lie below it.
  let user: String
  /// Folders of the presets that came with Tactus, the first one wins.
  let shippedPresets: [String]

  init(user: String?, shipped: String?) {
    self.user = user ?? DataFolders.standardUser
    if let shipped {
      shippedPresets = [shipped]
    } else {
      shippedPresets = DataFolders.installed.filter { DataFolders.isFolder($0) }
    }
  }

  var presets: String { "\(user)/presets" }
  var sounds: String { "\(user)/sounds" }
  var maps: String { "\(user)/maps" }
  var setlists: String { "\(user)/setlists" }

  private static var standardUser: String {
    if let folder = variable("XDG_CONFIG_HOME"), folder.hasPrefix("/") { return "\(folder)/tactus" }
    if let home = variable("HOME"), home.hasPrefix("/") { return "\(home)/.config/tactus" }
    return "/var/lib/tactus"
  }

  /// Beside the source tree that the program was built in, then where packages put data.
  private static var installed: [String] {
    var folders: [String] = []
    var folder = executableFolder
    for _ in 0..<6 where !folder.isEmpty {
      if isFolder("\(folder)/Presets"), unsafe access("\(folder)/Package.swift", F_OK) == 0 {
        folders.append("\(folder)/Presets")
      }
      folders.append("\(folder)/share/tactus/presets")
      guard let slash = folder.lastIndex(of: "/") else { break }
      folder = String(folder[..<slash])
    }
    return folders + ["/usr/local/share/tactus/presets", "/usr/share/tactus/presets"]
  }

  /// A program beside this one; nil where it is not installed.
  static func sibling(_ name: String) -> String? {
    let path = "\(executableFolder)/\(name)"
    return unsafe access(path, X_OK) == 0 ? path : nil
  }

  private static var executableFolder: String {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count - 1)
    guard count > 0 else { return "" }
    let path = String(
      decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard let slash = path.lastIndex(of: "/") else { return "" }
    return String(path[..<slash])
  }

  private static func variable(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    let text = unsafe String(cString: value)
    return text.isEmpty ? nil : text
  }

  private static func isFolder(_ path: String) -> Bool {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return false }
    return status.st_mode & S_IFMT == S_IFDIR
  }
}
