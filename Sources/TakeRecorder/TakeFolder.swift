import Glibc
import MetronomeModel

/// The takes of one folder: `NAME.wav` with `NAME.json` beside it.
///
/// Names resolve only inside the folder: no separator, no leading dot, no symbolic link.
///
/// - Thread: any; reads a folder.
public struct TakeFolder: Equatable, Sendable {
  public let path: String
  /// Entries that are looked at, so that a wrong folder does not fill the memory.
  public static let mostEntries = 20_000

  public struct Entry: Equatable, Sendable {
    public var name: String
    public var bytes: Int64
    /// Seconds since 1970 of the last change.
    public var changed: Int64
    public var hasSheet: Bool
  }

  public init(path: String) { self.path = path }

  /// By name.
  public func entries() throws(TakeError) -> [Entry] {
    guard let directory = unsafe opendir(path) else {
      if errno == ENOENT { return [] }
      throw .system(call: "opendir", path: path, code: errno)
    }
    defer { unsafe closedir(directory) }
    var takes: [String] = []
    var sheets: Set<String> = []
    var seen = 0
    while seen < TakeFolder.mostEntries, let entry = unsafe readdir(directory) {
      seen += 1
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { tuple in
        unsafe tuple.withMemoryRebound(to: CChar.self, capacity: 256) {
          unsafe String(cString: $0)
        }
      }
      guard !name.hasPrefix(".") else { continue }
      if name.hasSuffix(".wav") { takes.append(String(name.dropLast(4))) }
      if name.hasSuffix(".json") { sheets.insert(String(name.dropLast(5))) }
    }
    return takes.sorted().compactMap { name in
      var status = stat()
      guard unsafe lstat("\(path)/\(name).wav", &status) == 0,
        status.st_mode & S_IFMT == S_IFREG
      else { return nil }
      return Entry(
        name: name, bytes: Int64(status.st_size), changed: Int64(status.st_mtim.tv_sec),
        hasSheet: sheets.contains(name))
    }
  }

  /// The path of a take that is there.
  public func take(_ text: String) throws(TakeError) -> String {
    let name = try TakeFolder.name(text)
    let file = "\(path)/\(name).wav"
    var status = stat()
    guard unsafe lstat(file, &status) == 0 else { throw .notFound(name, folder: path) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile(path: file) }
    return file
  }

  /// The bare name, with or without its ending.
  static func name(_ text: String) throws(TakeError) -> String {
    do throws(SafeNameError) {
      return try SafeName(text.hasSuffix(".wav") ? String(text.dropLast(4)) : text).text
    } catch { throw .name(error.description) }
  }

  /// Deletes a take and its side file.
  public func delete(_ text: String) throws(TakeError) {
    let file = try take(text)
    guard unsafe unlink(file) == 0 else {
      throw .system(call: "unlink", path: file, code: errno)
    }
    unsafe unlink("\(file.dropLast(4)).json")
  }
}
