import CLinux
import Glibc
import MetronomeModel
import MusicalTime
import Synchronization
import Testing

@testable import OSCProtocol
@testable import OSCService
@testable import OSCWire

/// A clock that moves only when a test says so; the wall clock is an hour and a half ahead of it.
final class TestClock: @unchecked Sendable {
  var nanoseconds: Int64 = 50_000_000_000
  static let wallOffset: Int64 = 1_700_000_000_000_000_000

  var now: MonotonicTime { MonotonicTime(nanoseconds: nanoseconds) }
  var host: OSCClock {
    OSCClock(now: { [self] in now }, wallOffset: { TestClock.wallOffset })
  }
  func tag(inSeconds seconds: Double) -> OSCTimetag {
    OSCTimetag(wallNanoseconds: nanoseconds + Int64(seconds * 1e9) + TestClock.wallOffset)
  }
  func advance(seconds: Double) { nanoseconds += Int64(seconds * 1e9) }
}

/// A state owner that remembers what it was asked.
final class RecordingSink: CommandSink {
  var requests: [ControlRequest] = []
  var groups: [[ControlRequest]] = []
  var onRequest: ((ControlRequest) -> Void)?
  /// Whether answers are still to come.
  var isBusy = false

  func perform(_ requests: [ControlRequest]) {
    self.requests += requests
    groups.append(requests)
    for request in requests { onRequest?(request) }
  }

  func answer(_ query: InformationQuery) -> [OSCMessage] {
    [OSCMessage("/tactus/info", .string("\(query)"))]
  }

  func isWaiting(_ client: ClientIdentity) -> Bool { isBusy }

  var commands: [ControlCommand] { requests.map(\.command) }
}

/// A server on a free port with its clock, its sink and peers over real sockets.
final class Bench {
  let clock = TestClock()
  let sink = RecordingSink()
  let server: OSCServer
  var notices: [String] = []

  init(_ change: (inout OSCServerConfiguration) -> Void = { _ in }) throws {
    var configuration = OSCServerConfiguration(port: 0)
    change(&configuration)
    server = try OSCServer(configuration, clock: clock.host)
    server.sink = sink
    server.notice = { [unowned self] in notices.append($0) }
  }

  func peer() throws -> Peer { try Peer(self) }
  func stream(_ kind: OSCStreamFraming.Kind) throws -> StreamPeer {
    try StreamPeer(bench: self, kind: kind)
  }

  func service() { server.service(now: clock.now) }
}

/// Somebody who speaks OSC and waits for what should come, never for time.
class Listener {
  unowned let bench: Bench
  var inbox: [OSCMessage] = []
  var tags: [OSCTimetag] = []

  init(bench: Bench) { self.bench = bench }

  func collect() {}
  func send(_ packet: OSCPacket) {}

  /// Everything up to the first message that fits; it is the last element.
  func wait(for isWanted: (OSCMessage) -> Bool) throws -> [OSCMessage] {
    var seen: [OSCMessage] = []
    for _ in 0..<2_000 {
      bench.service()
      collect()
      while !inbox.isEmpty {
        let message = inbox.removeFirst()
        seen.append(message)
        if isWanted(message) { return seen }
      }
      poll(nil, 0, 2)
    }
    throw Missing(seen: seen)
  }

  func wait(for address: String) throws -> OSCMessage {
    let seen = try wait { $0.address == address }
    return try #require(seen.last)
  }

  /// What came before now: a ping's answer closes the account.
  func everything() throws -> [OSCMessage] {
    // What is due of itself leaves first.
    bench.service()
    send("/tactus/ping", .string("fence"))
    return try wait { $0 == OSCMessage("/tactus/pong", .string("fence")) }.dropLast()
  }

  func send(_ address: String, _ arguments: OSCValue...) {
    send(.message(OSCMessage(address, arguments)))
  }

  func take(_ bytes: [UInt8]) {
    guard let packet = try? OSCPacketReader.packet(bytes) else { return }
    for (message, tag) in packet.messages {
      inbox.append(message)
      tags.append(tag)
    }
  }

  struct Missing: Error { let seen: [OSCMessage] }
}

final class Peer: Listener {
  let socket: OSCDatagramSocket

  init(_ bench: Bench) throws {
    socket = try OSCDatagramSocket(port: 0)
    super.init(bench: bench)
  }

  override func send(_ packet: OSCPacket) { send(bytes: OSCPacketWriter.bytes(packet)) }

  func send(bytes: [UInt8]) {
    socket.send(bytes, to: [.loopback(port: UInt16(bench.server.port))])
  }

  override func collect() {
    while socket.receive({ _, bytes in
      var copy: [UInt8] = []
      for index in 0..<bytes.count { copy.append(bytes[index]) }
      take(copy)
    }) {}
  }
}

final class StreamPeer: Listener {
  let descriptor: Int32
  var framing: OSCStreamFraming

  init(bench: Bench, kind: OSCStreamFraming.Kind) throws {
    var endpoint = SocketAddress.loopback(port: UInt16(bench.server.port)).endpoint
    descriptor = clinux_tcp_connect(&endpoint)
    try #require(descriptor >= 0)
    framing = OSCStreamFraming(kind: kind)
    super.init(bench: bench)
  }

  deinit { close(descriptor) }

  override func send(_ packet: OSCPacket) {
    send(bytes: framing.frame(OSCPacketWriter.bytes(packet)))
  }

  func send(bytes: [UInt8]) {
    var rest = bytes[...]
    for _ in 0..<1_000 where !rest.isEmpty {
      let sent = Array(rest).withUnsafeBufferPointer {
        clinux_stream_write(descriptor, $0.baseAddress, $0.count)
      }
      if sent > 0 { rest = rest.dropFirst(sent) } else { bench.service() }
    }
  }

  override func collect() {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let got = clinux_stream_read(descriptor, &buffer, buffer.count)
    guard got > 0 else { return }
    for packet in (try? framing.take(buffer.prefix(got))) ?? [] { take(packet) }
  }

  /// Whether the server ended the connection.
  func hasEnded() -> Bool {
    var byte: UInt8 = 0
    for _ in 0..<2_000 {
      bench.service()
      let got = clinux_stream_read(descriptor, &byte, 1)
      if got == 0 || got == -Int(ECONNRESET) { return true }
      poll(nil, 0, 2)
    }
    return false
  }
}

/// What another thread found out.
final class Answer: @unchecked Sendable {
  let isDone = Atomic<Bool>(false)
  var error: OSCServerError?
}

/// Runs the body while another thread serves.
func withServing(_ serving: OSCClientTests.Serving, _ body: () throws -> Void) throws {
  var thread = pthread_t()
  let raw = Unmanaged.passRetained(serving).toOpaque()
  pthread_create(&thread, nil, serveUntilReported, raw)
  defer {
    serving.stops.isDone.store(true, ordering: .releasing)
    pthread_join(thread, nil)
  }
  try body()
}

private func serveUntilReported(_ raw: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let raw else { return nil }
  let serving = Unmanaged<OSCClientTests.Serving>.fromOpaque(raw).takeRetainedValue()
  while !serving.stops.isDone.load(ordering: .acquiring) {
    serving.bench.service()
    poll(nil, 0, 1)
  }
  return nil
}
