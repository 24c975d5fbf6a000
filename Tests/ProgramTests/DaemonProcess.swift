import Foundation
import OSCWire

/// The built daemon as a user starts it, with what it says and a socket to talk to it.
final class DaemonProcess {
  let process = Process()
  private let output = Pipe()
  private let errors = Pipe()
  private(set) var port = 0
  private var socketDescriptor: Int32 = -1
  private var greeting = ""

  /// Where `swift test` puts the programs: beside the test bundle.
  static let binary: URL = {
    let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
    let start = bundle?.bundleURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
    return start.deletingLastPathComponent().appendingPathComponent("tactusd")
  }()

  /// - Parameters:
  ///   - wrapper: a program that starts the daemon, with its arguments.
  ///   - preload: a library whose functions stand before the system's.
  ///   - terminal: in place of the pipe for what it says.
  init(
    _ arguments: [String], wrapper: [String] = [], preload: String? = nil,
    terminal: FileHandle? = nil
  ) throws {
    // What one test has set must not be there in the next.
    let state = arguments.contains("--state-folder") ? [] : ["--state-folder", "off"]
    let words = wrapper + [DaemonProcess.binary.path] + arguments + state
    process.executableURL = URL(fileURLWithPath: words[0])
    process.arguments = Array(words.dropFirst())
    if let preload {
      process.environment = ProcessInfo.processInfo.environment.merging(
        ["LD_PRELOAD": preload]) { $1 }
    }
    process.standardInput = FileHandle.nullDevice
    if let terminal { process.standardOutput = terminal } else { process.standardOutput = output }
    process.standardError = errors
    try process.run()
  }

  /// A daemon without sound and MIDI on a free port, ready to be talked to.
  static func ready(
    _ arguments: [String] = [], wrapper: [String] = [], preload: String? = nil
  ) throws -> DaemonProcess {
    let daemon = try DaemonProcess(
      ["--device", "none", "--no-midi", "--no-discovery", "--osc-port", "0"] + arguments,
      wrapper: wrapper, preload: preload)
    try daemon.waitForPort()
    return daemon
  }

  /// Another socket, that is another client, of a daemon whose port is known.
  func newClient() {
    if socketDescriptor >= 0 { close(socketDescriptor) }
    openSocket()
  }

  /// Talks to a daemon that says nothing, on the port that it was given.
  func talk(on port: Int) {
    self.port = port
    openSocket()
  }

  /// Where what it says waits to be read.
  var outputDescriptor: Int32 { output.fileHandleForReading.fileDescriptor }

  deinit {
    if process.isRunning { process.terminate() }
    process.waitUntilExit()
    if socketDescriptor >= 0 { close(socketDescriptor) }
  }

  private func waitForPort() throws {
    while port == 0 {
      let data = output.fileHandleForReading.availableData
      if data.isEmpty { throw DaemonError.ended(errorText()) }
      greeting += String(decoding: data, as: UTF8.self)
      for line in greeting.split(separator: "\n") where line.hasPrefix("OSC on port ") {
        port = Int(line.dropFirst("OSC on port ".count)) ?? 0
      }
    }
    openSocket()
  }

  private func openSocket() {
    socketDescriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    var limit = timeval(tv_sec: 20, tv_usec: 0)
    setsockopt(
      socketDescriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
  }

  enum DaemonError: Error {
    case ended(String)
    case silent
  }

  func send(_ message: OSCMessage) { send(OSCPacketWriter.bytes(message)) }

  func send(_ bytes: [UInt8]) {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { target in
        _ = sendto(
          socketDescriptor, bytes, bytes.count, 0, target,
          socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }

  /// The next packet's messages; waits for it, for twenty seconds at the most.
  func receive() throws -> [OSCMessage] {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let count = recv(socketDescriptor, &buffer, buffer.count, 0)
    guard count > 0 else { throw DaemonError.silent }
    return try OSCPacketReader.packet(Array(buffer[..<count])).messages.map(\.message)
  }

  /// Everything that is answered until the pong of a ping that follows.
  func ask(_ message: OSCMessage) throws -> [OSCMessage] {
    let token = Int32.random(in: 0...Int32.max)
    send(
      OSCPacketWriter.bundle(
        .immediately, [message, OSCMessage("/tactus/ping", .int32(token))]))
    var answers: [OSCMessage] = []
    while true {
      for answer in try receive() {
        if answer == OSCMessage("/tactus/pong", .int32(token)) { return answers }
        answers.append(answer)
      }
    }
  }

  func end(by signal: Int32) -> Int32 {
    kill(process.processIdentifier, signal)
    process.waitUntilExit()
    return process.terminationStatus
  }

  func waitForExit() -> Int32 {
    process.waitUntilExit()
    return process.terminationStatus
  }

  func errorText() -> String {
    String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  }
}
