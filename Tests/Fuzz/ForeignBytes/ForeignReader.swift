import Glibc
import MusicalTime
import OSCProtocol
import OSCWire
import SoundFiles

@testable import Companion
@testable import Web

/// The readers; the variable TACTUS_FUZZ_READER says which one is fed.
enum ForeignReader {
  /// Read once: libFuzzer's own command line has no place for it.
  static let chosen: @Sendable ([UInt8]) -> Void = {
    switch getenv("TACTUS_FUZZ_READER").map({ String(cString: $0) }) {
    case "web": return web
    case "wav": return wav
    case "companion": return companion
    case let other:
      fatalError("TACTUS_FUZZ_READER is \(other ?? "not set"): give web, wav or companion")
    }
  }()

  // MARK: tactus-web

  nonisolated(unsafe) private static let tree = OSCAddressTree(ports: ["Clock"]) {
    $0 == "/tactus/tempo" ? [.float(99.95)] : nil
  }
  private static let host = QueryHost(name: "Tactus", oscPort: 9_700, webPort: 9_780)
  private static let access = QueryAccess(hostname: "stage.example")

  /// Lines: path, query, Host, Origin, Accept; all of it again as a WebSocket's message in pieces.
  @Sendable static func web(_ bytes: [UInt8]) {
    let lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
    func line(_ index: Int) -> String { index < lines.count ? lines[index] : "" }
    let answer = QueryAnswer(path: line(0), query: line(1), tree: tree, host: host)
    precondition([200, 204, 400, 404].contains(answer.status))
    precondition((answer.status == 200) == !answer.body.isEmpty)
    if access.allows(host: line(2), origin: line(3), ownAddress: "10.0.0.5") {
      let name = QueryAccess.host(of: line(2))
      precondition(access.names.contains(name) || name == "10.0.0.5")
    }
    _ = AcceptHeader.prefersHTML(line(4))

    let session = WebSession(host: "10.0.0.9", isLocal: false, number: 1)
    let size = 1 + Int(bytes.first ?? 0)
    var whole: [UInt8]?
    for start in stride(from: 0, to: bytes.count, by: size) {
      let end = min(start + size, bytes.count)
      let piece = bytes[start..<end].withUnsafeBytes {
        session.take($0, isLast: end == bytes.count)
      }
      switch piece {
      case .more: precondition(end < bytes.count)
      case .whole(let message): whole = message
      case .tooLong: precondition(bytes.count > WebServer.mostMessageBytes)
      }
    }
    guard let whole else { return }
    precondition(whole == bytes, "a message came together otherwise")
    _ = try? OSCPacketReader.packet(whole)
    if let text = String(validating: whole, as: UTF8.self), let command = ListenCommand(text) {
      session.obey(command)
      if case .listen(let address) = command { precondition(session.listens(to: address)) }
    }
  }

  // MARK: Sounds

  @Sendable static func wav(_ bytes: [UInt8]) {
    var path = Array("/tmp/tactus-fuzz-XXXXXX".utf8CString)
    let descriptor = mkstemp(&path)
    precondition(descriptor >= 0)
    unlink(path)
    bytes.withUnsafeBytes { _ = write(descriptor, $0.baseAddress, $0.count) }
    lseek(descriptor, 0, SEEK_SET)
    // The descriptor is closed by the reader.
    guard
      let sound = try? SoundFileReader.read(
        descriptor: descriptor, file: "fuzz", keepingSilence: (bytes.first ?? 0) % 2 == 0)
    else { return }
    precondition(sound.samples.count == sound.frameCount * sound.channels)
    precondition(sound.frameCount > 0 && sound.samples.allSatisfy { $0.isFinite })
  }

  // MARK: Companion

  /// Packets, each behind a byte with its length; what was announced is fired as its time comes. All of it
  /// again as the lines of the program that looks for daemons.
  @Sendable static func companion(_ bytes: [UInt8]) {
    var schedule = BeatSchedule()
    var estimator = ClockOffsetEstimator()
    var now: Int64 = 1_000_000_000
    var rest = bytes[...]
    while let length = rest.first {
      let packet = Array(rest.dropFirst().prefix(Int(length)))
      rest = rest.dropFirst(1 + Int(length))
      now += 1_000_000
      guard let read = try? OSCPacketReader.packet(packet.span) else { continue }
      for (message, _) in read.messages {
        if let beat = AnnouncedBeat(message) { schedule.take(beat, now: now) }
        if let cancel = BeatCancel(message) {
          schedule.cancel(run: cancel.run, from: cancel.first, through: cancel.last, now: now)
        }
        let numbers = message.arguments.compactMap { value -> Int64? in
          if case .int64(let number) = value { number } else { nil }
        }
        if numbers.count >= 3 {
          estimator.take(
            SyncExchange(
              sent: numbers[0], remoteReceived: numbers[1], remoteSent: numbers[2], received: now))
          _ = estimator.local(ofRemote: now)
          _ = estimator.offset(at: MonotonicTime(nanoseconds: now))
          if estimator.isKnown(to: schedule.tolerance) { schedule.clockIsKnown(now: now) }
        }
      }
      for _ in 0..<4 {
        guard let due = schedule.nextDue, due < now + 500_000_000 else { break }
        _ = schedule.fire(now: max(now, due))
      }
    }
    var lines = SightingLines()
    var directory = DaemonDirectory()
    for sighting in lines.take(bytes) { directory.take(sighting) }
  }
}
