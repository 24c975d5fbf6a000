import Glibc

/// Makes the head of a take count what its file holds, after a crash or a power cut.
///
/// - Thread: any; reads and writes a file.
public enum TakeRepair {
  public struct Outcome: Equatable, Sendable {
    public var encoding: TakeEncoding
    /// Frames that the file holds.
    public var frames: Int64
    /// Frames that the head had not counted.
    public var gained: Int64
  }

  /// - Parameter isDryRun: says what would be done, and changes nothing.
  public static func repair(_ path: String, isDryRun: Bool = false) throws(TakeError) -> Outcome {
    let flags = (isDryRun ? O_RDONLY : O_RDWR) | O_CLOEXEC | O_NONBLOCK
    let descriptor = unsafe open(path, flags)
    guard descriptor >= 0 else { throw .system(call: "open", path: path, code: errno) }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw .notAFile(path: path)
    }
    var head = [UInt8](repeating: 0, count: 128)
    let got = unsafe pread(descriptor, &head, head.count, 0)
    guard got >= 0 else { throw .system(call: "read", path: path, code: errno) }
    head.removeLast(head.count - got)
    guard let encoding = TakeHead.read(head) else { throw .notATake(path: path) }
    let length = TakeHead.length(encoding)
    let frames = max(0, (Int64(status.st_size) - Int64(length)) / Int64(encoding.frameBytes))
    let counted = counted(head, encoding)
    guard frames != counted else { return Outcome(encoding: encoding, frames: frames, gained: 0) }
    // One byte more than the frames is the padding of an odd length.
    if !isDryRun {
      let fresh = TakeHead.bytes(encoding, frames: frames)
      let done = unsafe fresh.withUnsafeBytes {
        unsafe pwrite(descriptor, $0.baseAddress, $0.count, 0)
      }
      guard done == fresh.count else { throw .system(call: "write", path: path, code: errno) }
      fsync(descriptor)
    }
    return Outcome(encoding: encoding, frames: frames, gained: frames - counted)
  }

  private static func counted(_ head: [UInt8], _ encoding: TakeEncoding) -> Int64 {
    func number(_ at: Int, _ count: Int) -> Int64 {
      (0..<count).reduce(0) { $0 | Int64(head[at + $1]) << Int64(8 * $1) }
    }
    let length = TakeHead.length(encoding)
    guard head.count >= length else { return 0 }
    let isLong = head[0..<4].elementsEqual("RF64".utf8)
    let bytes = isLong ? number(28, 8) : number(length - 4, 4)
    return bytes / Int64(encoding.frameBytes)
  }
}
