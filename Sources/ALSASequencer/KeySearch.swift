internal import CLinux
internal import Glibc

/// A look through the folder of input devices for those that have a wanted key.
///
/// - Thread: any; opens and closes devices, which may wait.
public struct KeySearch: Sendable {
  /// A device that has a wanted key, open.
  struct FoundDevice: Sendable {
    let path: String
    let descriptor: Int32
    let name: String
  }

  /// What it came to.
  public struct Found: Sendable {
    let devices: [FoundDevice]
    /// Those that this user may not read.
    let unreadable: [String]
  }

  let folder: String
  let codes: Set<Int>
  let wantsAll: Bool
  /// Paths that are read already.
  let known: Set<String>
  /// Descriptors to close.
  let leaving: [Int32]

  /// Closes what is left and opens what is found.
  public func run() -> Found {
    for descriptor in leaving { clinux_close(descriptor) }
    var devices: [FoundDevice] = []
    var unreadable: [String] = []
    for path in paths() where !known.contains(path) {
      let descriptor = unsafe clinux_key_open(path)
      if descriptor == -EACCES { unreadable.append(path) }
      guard descriptor >= 0 else { continue }
      guard KeySearch.isWanted(descriptor, codes: codes, wantsAll: wantsAll) else {
        clinux_close(descriptor)
        continue
      }
      devices.append(
        FoundDevice(path: path, descriptor: descriptor, name: KeySearch.name(descriptor) ?? path))
    }
    return Found(devices: devices, unreadable: unreadable)
  }

  private func paths() -> [String] {
    guard wantsAll || !codes.isEmpty, let list = unsafe opendir(folder) else { return [] }
    defer { unsafe closedir(list) }
    var paths: [String] = []
    while let entry = unsafe readdir(list) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
        unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
      }
      if name.hasPrefix("event") { paths.append(folder + "/" + name) }
    }
    return paths
  }

  static func isWanted(_ descriptor: Int32, codes: Set<Int>, wantsAll: Bool) -> Bool {
    wantsAll
      ? (1..<768).contains { clinux_key_has(descriptor, $0) != 0 }
      : codes.contains { clinux_key_has(descriptor, Int32($0)) != 0 }
  }

  private static func name(_ descriptor: Int32) -> String? {
    var buffer = [CChar](repeating: 0, count: 128)
    unsafe clinux_key_name(descriptor, &buffer, 128)
    let name = unsafe buffer.withUnsafeBufferPointer { pointer in
      unsafe pointer.baseAddress.map { unsafe String(cString: $0) } ?? ""
    }
    return name.isEmpty ? nil : name
  }
}
