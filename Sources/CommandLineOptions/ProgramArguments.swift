internal import Glibc

/// What the program was called with.
public enum ProgramArguments {
  /// The arguments after the program's name, as the kernel keeps them.
  ///
  /// Swift's own list is found by the environment's place in memory; a preloaded library that has
  /// changed the environment before `main` leaves it empty.
  ///
  /// - Parameter fallback: Swift's list with the program's name, for a system without /proc.
  public static func given(fallback: [String]) -> [String] {
    let descriptor = unsafe open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return Array(fallback.dropFirst()) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe part.withUnsafeMutableBytes {
        unsafe read(descriptor, $0.baseAddress, $0.count)
      }
      guard count > 0 else { break }
      bytes += part[0..<count]
    }
    let all = arguments(in: bytes)
    return Array((all.isEmpty ? fallback : all).dropFirst())
  }

  /// The strings of a command line in which each ends with a zero byte.
  static func arguments(in bytes: [UInt8]) -> [String] {
    let whole = bytes.last == 0 ? bytes.dropLast() : bytes[...]
    guard !bytes.isEmpty else { return [] }
    return whole.split(separator: 0, omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
  }
}
