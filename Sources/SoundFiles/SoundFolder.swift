import Glibc
public import MetronomeModel

/// The folders in which sound names are looked up, the first that has the name winning.
///
/// - Thread: control; opens files.
public struct SoundFolder: Sendable, Equatable {
  public let paths: [String]

  public init(paths: [String]) { self.paths = paths }

  /// The names of files that can be asked for: no hidden ones, no folders.
  public var names: [String] {
    var all: Set<String> = []
    for path in paths {
      guard let directory = unsafe opendir(path) else { continue }
      defer { unsafe closedir(directory) }
      while all.count < 10_000, let entry = unsafe readdir(directory) {
        let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { tuple in
          unsafe tuple.withMemoryRebound(to: CChar.self, capacity: 256) {
            unsafe String(cString: $0)
          }
        }
        guard let safe = try? SafeName(name), let descriptor = try? open(safe) else { continue }
        close(descriptor)
        all.insert(name)
      }
    }
    return all.sorted()
  }

  /// Opens a file by its bare name, for reading; the caller closes the descriptor.
  ///
  /// A symbolic link is refused: it could lead out of the folder.
  public func open(_ name: SafeName) throws(SoundFileError) -> Int32 {
    for path in paths {
      let file = "\(path)/\(name)"
      // O_NONBLOCK: a pipe of that name must not hold the thread.
      let descriptor = unsafe Glibc.open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
      if descriptor < 0 {
        let code = errno
        if code == ENOENT || code == ENOTDIR { continue }
        if code == ELOOP { throw .symbolicLink(file: file) }
        throw .system(call: "open", file: file, reason: SystemError.text(code))
      }
      var status = stat()
      guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        close(descriptor)
        throw .notAFile(file: file)
      }
      return descriptor
    }
    throw .unknownSound(name.text, folder: paths.joined(separator: "', '"))
  }
}

/// The system's own words for an error number.
enum SystemError {
  static func text(_ code: Int32) -> String {
    guard let words = unsafe strerror(code) else { return "error \(code)" }
    return unsafe String(cString: words)
  }
}
