import Glibc

/// Reads and replaces whole small files.
package enum WholeFile {
  /// - Parameter followsLinks: for a path that a person gave, not for a name inside a folder.
  /// - Returns: nil where there is no such file.
  static func read(
    _ path: String, atMost most: Int = JSONParser.largestText, followsLinks: Bool = false
  ) throws(StoreError) -> [UInt8]? {
    // O_NONBLOCK: a pipe of that name must not hold the thread.
    let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | (followsLinks ? 0 : O_NOFOLLOW)
    let descriptor = unsafe open(path, flags)
    if descriptor < 0 {
      let code = errno
      if code == ENOENT || code == ENOTDIR { return nil }
      if code == ELOOP { throw .symbolicLink(path: path) }
      throw failure("open", path, code)
    }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw .notAFile(path: path)
    }
    guard status.st_size <= most else {
      throw .tooLarge(path: path, bytes: Int(status.st_size), most: most)
    }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 16_384)
    while true {
      let got = unsafe Glibc.read(descriptor, &chunk, chunk.count)
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw failure("read", path, errno) }
      if got == 0 { return bytes }
      bytes += chunk[..<got]
      // It may grow while it is read.
      guard bytes.count <= most else {
        throw .tooLarge(path: path, bytes: bytes.count, most: most)
      }
    }
  }

  /// How files begin that are being written.
  static let draftPrefix = ".tactus-"

  /// Writes beside it, makes it durable, and puts it in place in one step.
  static func replace(
    _ bytes: [UInt8], folder: String, file: String
  ) throws(StoreError) {
    let path = "\(folder)/\(file)"
    // A leading dot keeps what a power cut leaves behind out of every listing.
    var template = Array("\(folder)/\(draftPrefix)XXXXXX".utf8CString)
    let descriptor = unsafe mkstemp(&template)
    guard descriptor >= 0 else { throw failure("create a file in", folder, errno) }
    do throws(StoreError) {
      try write(bytes, descriptor, path)
      fchmod(descriptor, 0o644)
      guard fsync(descriptor) == 0 else { throw failure("fsync", path, errno) }
      guard unsafe rename(template, path) == 0 else { throw failure("rename", path, errno) }
    } catch {
      unsafe unlink(template)
      close(descriptor)
      throw error
    }
    close(descriptor)
    // The name itself is durable once its folder is.
    let directory = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if directory >= 0 {
      fsync(directory)
      close(directory)
    }
  }

  private static func write(
    _ bytes: [UInt8], _ descriptor: Int32, _ path: String
  ) throws(StoreError) {
    var sent = 0
    while sent < bytes.count {
      let done = unsafe bytes.withUnsafeBytes { buffer -> Int in
        guard let base = buffer.baseAddress else { return 0 }
        return unsafe Glibc.write(descriptor, base + sent, buffer.count - sent)
      }
      if done < 0, errno == EINTR { continue }
      guard done > 0 else { throw failure("write", path, errno) }
      sent += done
    }
  }

  /// Makes a folder and those above it; what cannot be made shows when a file is saved in it.
  package static func makeFolder(_ path: String) {
    var made = ""
    for part in path.split(separator: "/") {
      made += made.isEmpty && !path.hasPrefix("/") ? "\(part)" : "/\(part)"
      unsafe mkdir(made, 0o755)
    }
  }

  private static func failure(_ call: String, _ path: String, _ code: Int32) -> StoreError {
    let words = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    return .system(call: call, path: path, reason: words)
  }
}

/// The names in a folder.
enum FolderListing {
  /// Entries of any folder at most, so that a wrong path does not fill the memory.
  private static let most = 10_000

  /// - Parameter prefix: of those that are wanted; nil for all but hidden ones.
  static func entries(of folder: String, beginningWith prefix: String? = nil) -> [String] {
    guard let directory = unsafe opendir(folder) else { return [] }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while names.count < most, let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { tuple in
        unsafe tuple.withMemoryRebound(to: CChar.self, capacity: 256) {
          unsafe String(cString: $0)
        }
      }
      if prefix.map({ name.hasPrefix($0) }) ?? !name.hasPrefix(".") { names.append(name) }
    }
    return names
  }
}
