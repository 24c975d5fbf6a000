internal import CLinux
internal import CWebsockets
internal import Glibc
internal import MusicalTime
internal import OSCProtocol
internal import OSCWire
internal import RealtimeHost

/// HTTP and WebSocket for the page and for OSCQuery, through libwebsockets, on one thread with
/// everything else.
///
/// It waits on its sockets and nowhere else: with nobody connected nothing wakes it.
///
/// - Thread: web
@safe public final class WebServer {
  /// WebSockets at the most, and of those at the most of one other machine: some are kept for this
  /// machine.
  static let mostSockets = 16
  static let mostSocketsOfAHost = 12
  /// Connections without a WebSocket: one more, and the oldest of the host with the most of them
  /// is closed.
  static let mostWaiting = 16
  static let mostMessageBytes = 65_536

  let mirror: DaemonMirror
  let queryAccess: QueryAccess
  var network: NetworkAccess
  var host: QueryHost
  var sessions: [UInt: WebSession] = [:]
  let say: (String) -> Void
  private var reportedOnce: Set<String> = []
  private var context: OpaquePointer?
  private let descriptors: Int32
  private let daemonPort: UInt16
  private let protocols: UnsafeMutablePointer<lws_protocols>
  private let protocolName: UnsafeMutablePointer<CChar>
  private let liveness: UnsafeMutablePointer<lws_retry_bo_t>
  private let timer: UnsafeMutablePointer<lws_sorted_usec_list_t>
  private var scheduledAt: MonotonicTime?
  var connectionsSoFar = 0
  private var isOver: () -> Bool = { false }
  private var isDone = false

  /// - Parameter port: 0 is any free one.
  /// - Returns: nil where the port is taken or the library fails.
  init?(
    port: Int, mirror: DaemonMirror, hostname: String, oscPort: Int, network: NetworkAccess,
    say: @escaping (String) -> Void
  ) {
    self.mirror = mirror
    self.network = network
    self.say = say
    daemonPort = UInt16(clamping: oscPort)
    queryAccess = QueryAccess(hostname: hostname)
    host = QueryHost(name: "Tactus", oscPort: oscPort, webPort: port)
    descriptors = clinux_epoll()
    unsafe protocolName = strdup("osc")
    unsafe protocols = .allocate(capacity: 2)
    unsafe protocols.initialize(repeating: lws_protocols(), count: 2)
    unsafe protocols[0].name = UnsafePointer(protocolName)
    unsafe protocols[0].callback = webCallback
    // Long messages come in pieces of this size: no connection holds memory for the longest.
    unsafe protocols[0].rx_buffer_size = 4_096
    unsafe timer = .allocate(capacity: 1)
    unsafe timer.initialize(to: lws_sorted_usec_list_t())
    unsafe liveness = .allocate(capacity: 1)
    unsafe liveness.initialize(to: lws_retry_bo_t())
    // A tablet that left the room keeps its place for half a minute at the most.
    unsafe liveness.pointee.secs_since_valid_ping = 15
    unsafe liveness.pointee.secs_since_valid_hangup = 25

    lws_set_log_level(0, nil)
    var information = unsafe lws_context_creation_info()
    unsafe information.port = Int32(port)
    unsafe information.protocols = UnsafePointer(protocols)
    unsafe information.user = Unmanaged.passUnretained(self).toOpaque()
    // The type of these two is signed or not by the library's version.
    unsafe information.gid = .init(truncatingIfNeeded: -1)
    unsafe information.uid = .init(truncatingIfNeeded: -1)
    unsafe information.count_threads = 1
    // The library's tables are as long as this; without it as long as the limit of open files.
    unsafe information.fd_limit_per_thread = 96
    unsafe information.max_http_header_data = 4_096
    unsafe information.max_http_header_pool = 24
    unsafe information.keepalive_timeout = 5
    unsafe information.timeout_secs = 5
    unsafe information.retry_and_idle_policy = UnsafePointer(liveness)
    unsafe context = lws_create_context(&information)
    guard let context = unsafe context, descriptors >= 0 else { return nil }
    let vhost = unsafe lws_get_vhost_by_name(context, "default")
    if port == 0 { host.webPort = Int(unsafe lws_get_vhost_listen_port(vhost)) }
    // One descriptor stands for all that are not the library's.
    var adopted = lws_sock_file_fd_type()
    unsafe adopted.filefd = descriptors
    let wrapped = unsafe lws_adopt_descriptor_vhost(
      vhost, LWS_ADOPT_RAW_FILE_DESC, adopted, "osc", nil)
    guard unsafe wrapped != nil else { return nil }
    watch(mirror.client.descriptor)
  }

  deinit {
    if let context = unsafe context { unsafe lws_context_destroy(context) }
    unsafe protocols.deallocate()
    unsafe free(protocolName)
    unsafe liveness.deallocate()
    unsafe timer.deallocate()
  }

  /// Wakes the server whenever there is something to read.
  func watch(_ descriptor: Int32) {
    guard descriptor >= 0 else { return }
    _ = clinux_epoll_add(descriptors, descriptor)
  }

  /// Serves until `isOver`, asked when a watched descriptor has news, says so.
  public func run(isOver: @escaping () -> Bool) {
    self.isOver = isOver
    unsafe running = self
    while !isDone, unsafe lws_service(context, 0) >= 0 {}
    for session in sessions.values { session.relay?.close() }
  }

  /// A watched descriptor has something to read.
  func readDescriptors() {
    if isOver() {
      isDone = true
      unsafe lws_cancel_service(context)
      return
    }
    for message in mirror.collect() { publish(message) }
    for (key, session) in sessions where session.relay != nil { relay(session, key) }
    answerPending()
  }

  /// What the daemon said to one client.
  private func relay(_ session: WebSession, _ key: UInt) {
    guard let relay = session.relay else { return }
    let isAlive = relay.receive { session.queue($0) }
    guard isAlive, !session.isOverfull else {
      if isAlive {
        tellOnce(
          "slow \(session.host)",
          "\(session.host) does not read what it asked for: its connection is closed")
      }
      close(key)
      return
    }
    if session.hasFrames { wakeWriter(key) }
  }

  func newRelay(for session: WebSession) -> DaemonRelay? {
    let relay = DaemonRelay(daemonPort: daemonPort, host: session.host)
    if let relay { watch(relay.descriptor) }
    return relay
  }

  /// Sends a new value to those who listen to its address.
  private func publish(_ message: OSCMessage) {
    guard let bytes = WebServer.frame(message.address, message.arguments) else { return }
    for (key, session) in sessions where session.listens(to: message.address) {
      session.queue(bytes)
      if session.isOverfull { close(key) } else { wakeWriter(key) }
    }
  }

  /// Keeps the daemon's changes coming while somebody listens.
  func keepMirror() {
    guard sessions.values.contains(where: \.listensToAny) else { return }
    _ = mirror.refresh(now: MonotonicClock.now())
    schedule(afterMilliseconds: 20_000)
  }

  /// One look later; with nobody there none is due.
  func schedule(afterMilliseconds milliseconds: Int64) {
    let wanted = MonotonicClock.now().advanced(byNanoseconds: milliseconds * 1_000_000)
    if let scheduledAt, scheduledAt <= wanted { return }
    scheduledAt = wanted
    unsafe lws_sul_schedule(context, 0, timer, timerCallback, milliseconds * 1_000)
  }

  fileprivate func timerFired() {
    scheduledAt = nil
    answerPending(isLate: true)
    keepMirror()
  }

  func wakeWriter(_ key: UInt) {
    guard let connection = unsafe OpaquePointer(bitPattern: key) else { return }
    unsafe lws_callback_on_writable(connection)
  }

  /// Closes a connection, but not while the library is busy with it.
  func close(_ key: UInt) {
    guard let connection = unsafe OpaquePointer(bitPattern: key) else { return }
    sessions[key]?.isClosing = true
    // The library waits for the other side to close too, which may be what it never does.
    _ = shutdown(unsafe lws_get_socket_fd(connection), Int32(SHUT_RDWR))
    // -1: as soon as can be.
    unsafe lws_set_timeout(connection, PENDING_TIMEOUT_KILLED_BY_PARENT, -1)
  }

  func tellOnce(_ key: String, _ text: @autoclosure () -> String) {
    guard reportedOnce.count < 256, reportedOnce.insert(key).inserted else { return }
    say(text())
  }
}

extension WebServer {
  /// A value as a WebSocket frame, in the types by which the address is described.
  static func frame(_ address: String, _ values: [OSCValue]) -> [UInt8]? {
    guard let shown = OSCAddressTable.row(for: address)?.row.queryValues(values) else { return nil }
    return OSCPacketWriter.bytes(OSCMessage(address, shown))
  }
}

/// One server a process: the timer's callback has no place for a context.
nonisolated(unsafe) private weak var running: WebServer?

private func timerCallback(_ timer: UnsafeMutablePointer<lws_sorted_usec_list_t>?) {
  unsafe running?.timerFired()
}
