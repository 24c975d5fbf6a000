public import OSCWire
internal import CLinux
internal import Glibc
public import MusicalTime

/// Speaks to a tactusd: what `tactus ctl`, `monitor` and `companion` stand on.
///
/// - Thread: any, one at a time; waits only as long as its arguments say.
public final class OSCClient {
  public enum Failure: Error, Equatable, Sendable, CustomStringConvertible {
    case unknownHost(String)
    case socket(String)
    /// Nothing listens there.
    case refused(String)
    case noAnswer(String, milliseconds: Int64)

    public var description: String {
      switch self {
      case .unknownHost(let text):
        "host '\(text)' cannot be found: write HOST, HOST:PORT or [IPv6]:PORT"
      case .socket(let reason): "no socket could be opened: \(reason)"
      case .refused(let peer):
        "nothing listens at \(peer): is tactusd running there, and on this port?"
      case .noAnswer(let peer, let milliseconds):
        "no answer from \(peer) within \(milliseconds) ms: is it tactusd, and does it hear this network (--allow)?"
      }
    }
  }

  /// What a request came to.
  public struct Outcome: Equatable, Sendable {
    /// `/tactus/error`s that came before the pong, as address, code and reason.
    public var refusals: [Refusal]
    /// Everything else that came.
    public var answers: [OSCMessage]
    public var isDone: Bool { refusals.isEmpty }
  }

  public struct Refusal: Equatable, Sendable {
    public var address: String
    public var code: Int32
    public var reason: String
  }

  public let peer: SocketAddress
  private let socket: OSCDatagramSocket
  private let clock: OSCClock
  private var inbox: [(message: OSCMessage, timetag: OSCTimetag, receivedAt: MonotonicTime)] = []
  private var token: Int32

  public init(peer: SocketAddress, clock: OSCClock = .system) throws(Failure) {
    self.peer = peer
    self.clock = clock
    do throws(OSCSocketFailure) {
      socket = try OSCDatagramSocket(port: 0)
    } catch {
      throw .socket(error.text)
    }
    var endpoint = peer.endpoint
    let result = unsafe clinux_udp_connect(socket.descriptor, &endpoint)
    guard result == 0 else { throw .socket(unsafe String(cString: strerror(-result))) }
    // Answers to an earlier client on the same port must not pass for ours.
    token = Int32(truncatingIfNeeded: clock.now().nanoseconds) & 0x7FFF_FFFF
  }

  /// To wait on, beside others.
  public var descriptor: Int32 { socket.descriptor }

  public func send(_ messages: [OSCMessage]) {
    let bytes =
      messages.count == 1
      ? OSCPacketWriter.bytes(messages[0]) : OSCPacketWriter.bundle(.immediately, messages)
    socket.send(bytes, to: [peer])
  }

  /// Takes the next message, waiting for it at most so long.
  ///
  /// - Returns: nil where none came.
  /// - Throws: where nothing listens at the peer.
  public func receive(
    waitNanoseconds: Int64
  ) throws(Failure) -> (message: OSCMessage, timetag: OSCTimetag, receivedAt: MonotonicTime)? {
    let deadline = clock.now().advanced(byNanoseconds: waitNanoseconds)
    while true {
      if !inbox.isEmpty { return inbox.removeFirst() }
      let left = max(deadline.nanoseconds(since: clock.now()), 0)
      var wait = pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)
      // Rounded up: a wait of less than a millisecond must not spin.
      let ready = unsafe poll(&wait, 1, Int32(clamping: (left + 999_999) / 1_000_000))
      if ready > 0 {
        if clinux_socket_error(socket.descriptor) == ECONNREFUSED { throw .refused("\(peer)") }
        collect()
      } else if clock.now().nanoseconds >= deadline.nanoseconds {
        return nil
      }
    }
  }

  private func collect() {
    let now = clock.now()
    while socket.receive({ _, bytes in
      guard let packet = try? OSCPacketReader.packet(bytes) else { return }
      for (message, timetag) in packet.messages { inbox.append((message, timetag, now)) }
    }) {}
  }

  /// Sends messages and a ping in one bundle and waits for the pong: without an error before it
  /// everything was taken.
  ///
  /// - Parameters:
  ///   - timeoutMilliseconds: until the pong, or the last notice that it is still to come.
  ///   - lingerMilliseconds: after it, for answers such as when a change is heard.
  public func request(
    _ messages: [OSCMessage], timeoutMilliseconds: Int64 = 1_000, lingerMilliseconds: Int64 = 0
  ) throws(Failure) -> Outcome {
    token = token == .max ? 1 : token + 1
    send(messages + [OSCMessage("/tactus/ping", .int32(token))])
    var outcome = Outcome(refusals: [], answers: [])
    var deadline = clock.now().advanced(byNanoseconds: timeoutMilliseconds * 1_000_000)
    while true {
      let left = deadline.nanoseconds(since: clock.now())
      guard left > 0, let got = try receive(waitNanoseconds: left) else {
        throw .noAnswer("\(peer)", milliseconds: timeoutMilliseconds)
      }
      if got.message == OSCMessage("/tactus/pong", .int32(token)) { break }
      if got.message.address == "/tactus/notice",
        got.message.arguments.first?.text == "/tactus/ping"
      {
        // A preset's files are being read: the daemon is there, and gives up by itself.
        deadline = clock.now().advanced(byNanoseconds: timeoutMilliseconds * 1_000_000)
        continue
      }
      outcome.take(got.message)
    }
    let end = clock.now().advanced(byNanoseconds: lingerMilliseconds * 1_000_000)
    while true {
      let left = end.nanoseconds(since: clock.now())
      guard left > 0, let got = try receive(waitNanoseconds: left) else { return outcome }
      outcome.take(got.message)
    }
  }
}

extension OSCClient.Outcome {
  mutating func take(_ message: OSCMessage) {
    guard message.address == "/tactus/error", message.arguments.count >= 3,
      let address = message.arguments[0].text, case .int32(let code) = message.arguments[1],
      let reason = message.arguments[2].text
    else {
      answers.append(message)
      return
    }
    refusals.append(OSCClient.Refusal(address: address, code: code, reason: reason))
  }
}
