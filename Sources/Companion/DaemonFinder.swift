internal import CLinux
internal import Glibc
internal import MusicalTime
internal import OSCProtocol
internal import OSCWire
internal import RealtimeHost

/// Finds the companion's daemon on the network and notices when it moves, through a program of its
/// own that writes what it sees: the network's libraries stay out of this process.
///
/// - Thread: companion
public final class DaemonFinder {
  /// Readable when there is news; -1 when there will be none any more.
  private(set) var descriptor: Int32
  public private(set) var directory = DaemonDirectory()
  private let wanted: String?
  private var lines = SightingLines()
  private var followed: AnnouncedDaemon?

  /// - Parameters:
  ///   - program: `tactus-web`.
  ///   - wanted: a daemon's name or its machine's; nil takes the only one.
  /// - Throws: where the program cannot be started.
  public init(program: String, wanted: String?) throws(ActuatorError) {
    self.wanted = wanted
    let words = [program, "--browse"]
    var pointers: [UnsafePointer<CChar>?] = unsafe words.map {
      unsafe UnsafePointer(strdup($0))
    }
    unsafe pointers.append(nil)
    defer { unsafe pointers.forEach { unsafe free(UnsafeMutablePointer(mutating: $0)) } }
    descriptor = unsafe clinux_spawn_read(pointers)
    guard descriptor >= 0 else {
      throw ActuatorError(name: program, code: -descriptor, help: "give the daemon's HOST")
    }
  }

  // The program notices that nobody reads any more, and ends.
  deinit { if descriptor >= 0 { clinux_close(descriptor) } }

  /// Looks until it is known what is there, but no longer than `nanoseconds`.
  public func search(atMost nanoseconds: Int64) -> DaemonDirectory.Choice {
    let deadline = MonotonicClock.now().advanced(byNanoseconds: nanoseconds)
    while true {
      let left = deadline.nanoseconds(since: MonotonicClock.now())
      if directory.isComplete || directory.reason != nil || descriptor < 0 || left <= 0 {
        let choice = directory.choice(named: wanted)
        if case .one(let daemon) = choice { followed = daemon }
        return choice
      }
      var poll = clinux_poll(descriptor: descriptor, wanted: 1, came: 0)
      _ = unsafe clinux_wait(&poll, 1, left)
      read()
    }
  }

  /// Takes what is new.
  ///
  /// - Returns: the daemon to follow from now on, where it is another or has moved.
  func service() -> AnnouncedDaemon? {
    read()
    guard case .one(let daemon) = directory.choice(named: wanted, following: followed),
      daemon != followed
    else { return nil }
    followed = daemon
    return daemon
  }

  private func read() {
    guard descriptor >= 0 else { return }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
      if count > 0 {
        for sighting in lines.take(bytes.prefix(count)) { directory.take(sighting) }
        continue
      }
      if count == 0 || (errno != EAGAIN && errno != EINTR) {
        clinux_close(descriptor)
        descriptor = -1
        if !directory.isComplete, directory.reason == nil {
          directory.take(.unavailable("tactus-web has ended"))
        }
      }
      return
    }
  }
}

/// Bytes as they come through a pipe, cut into sightings.
///
/// - Thread: any
struct SightingLines {
  private var rest: [UInt8] = []

  /// A line that says nothing is passed over.
  mutating func take(_ bytes: some Sequence<UInt8>) -> [DaemonSighting] {
    rest += bytes
    var sightings: [DaemonSighting] = []
    while let end = rest.firstIndex(of: 10) {
      let line = String(decoding: rest[..<end], as: UTF8.self)
      rest.removeSubrange(...end)
      if let sighting = DaemonSighting(line: line) { sightings.append(sighting) }
    }
    // No line is that long.
    if rest.count > 4_096 { rest.removeAll() }
    return sightings
  }
}
