import CLinux
import CommandLineOptions
import Glibc
import MetronomeModel
import OSCProtocol
import OSCWire

/// A `tactusd` for the length of a command, on a port of its own, which nobody else is told of.
final class OwnDaemon {
  let client: OSCClient
  private let output: Int32

  init(_ parsed: ParsedOptions) throws(CommandFailure) {
    guard let program = ProgramFile.sibling("tactusd") else {
      throw CommandFailure(
        .failed, "no tactusd runs, and none lies beside this program: start one first")
    }
    var words = [program, "--osc-port", "0", "--no-midi", "--no-discovery", "--no-lock"]
    for option in ["device", "capture", "capture-channels", "folder", "rate", "period", "buffer"] {
      if let value = parsed.value(option) { words += ["--\(option)", value] }
    }
    var pointers: [UnsafePointer<CChar>?] = unsafe words.map { unsafe UnsafePointer(strdup($0)) }
    unsafe pointers.append(nil)
    defer { unsafe pointers.forEach { unsafe free(UnsafeMutablePointer(mutating: $0)) } }
    output = unsafe clinux_spawn_read(pointers)
    guard output >= 0 else {
      throw CommandFailure(.failed, "tactusd cannot be started (errno \(-output))")
    }
    guard let port = OwnDaemon.port(output),
      let peer = SocketAddress(resolving: "127.0.0.1:\(port)", defaultPort: port)
    else {
      clinux_close(output)
      throw CommandFailure(.failed, "tactusd did not start: 'tactusd' alone says why")
    }
    do throws(OSCClient.Failure) { client = try OSCClient(peer: peer) } catch {
      throw DaemonPeer.failure(error)
    }
    waitForSound()
  }

  /// The port that it says it has; nil where it ends before.
  private static func port(_ descriptor: Int32) -> Int? {
    var text = ""
    var chunk = [UInt8](repeating: 0, count: 4_096)
    for _ in 0..<100 {
      _ = clinux_poll_two(descriptor, -1, 100)
      let count = unsafe read(descriptor, &chunk, chunk.count)
      if count == 0 { return nil }
      guard count > 0 else { continue }
      text += String(decoding: chunk[..<count], as: UTF8.self)
      for line in text.split(separator: "\n") where line.hasPrefix("OSC on port ") {
        return Int(line.dropFirst("OSC on port ".count))
      }
    }
    return nil
  }

  /// A card joins in within a second or so; one that does not is reported by what is asked next.
  private func waitForSound() {
    for _ in 0..<30 {
      let outcome = try? client.request([OSCMessage("/tactus/info")], timeoutMilliseconds: 1_000)
      let isPlaying = outcome?.answers.contains {
        $0 == OSCMessage("/tactus/info/audio", .string("playing"))
      }
      if isPlaying == true { return }
      usleep(100_000)
    }
  }

  func end() {
    _ = try? client.request([OSCMessage("/tactus/quit")], timeoutMilliseconds: 1_000)
    // It ends within half a second, and its output with it.
    var chunk = [UInt8](repeating: 0, count: 4_096)
    for _ in 0..<50 {
      _ = clinux_poll_two(output, -1, 100)
      if unsafe read(output, &chunk, chunk.count) == 0 { break }
    }
    clinux_close(output)
  }
}
