internal import CWebsockets
internal import OSCProtocol
internal import OSCWire

/// HTTP and WebSocket for OSCQuery, through libwebsockets, on one thread with everything else.
///
/// - Thread: discovery
@safe public final class QueryServer {
  static let mostConnections = 16
  static let mostMessageBytes = 65_536

  let mirror: DaemonMirror
  let queryAccess: QueryAccess
  var network: NetworkAccess
  var host: QueryHost
  var sessions: [UInt: QuerySession] = [:]
  var connectionCount = 0
  let say: (String) -> Void
  private var context: OpaquePointer?
  private let protocols: UnsafeMutablePointer<lws_protocols>
  private let protocolName: UnsafeMutablePointer<CChar>
  private let timer: UnsafeMutablePointer<lws_sorted_usec_list_t>
  private var tick: () -> Bool = { true }
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
    queryAccess = QueryAccess(hostname: hostname)
    host = QueryHost(name: "Tactus", oscPort: oscPort, webPort: port)
    unsafe protocolName = strdup("oscquery")
    unsafe protocols = .allocate(capacity: 2)
    unsafe protocols.initialize(repeating: lws_protocols(), count: 2)
    unsafe protocols[0].name = UnsafePointer(protocolName)
    unsafe protocols[0].callback = queryCallback
    unsafe protocols[0].rx_buffer_size = QueryServer.mostMessageBytes
    unsafe timer = .allocate(capacity: 1)
    unsafe timer.initialize(to: lws_sorted_usec_list_t())

    lws_set_log_level(0, nil)
    var information = unsafe lws_context_creation_info()
    unsafe information.port = Int32(port)
    unsafe information.protocols = UnsafePointer(protocols)
    unsafe information.user = Unmanaged.passUnretained(self).toOpaque()
    unsafe information.gid = .init(truncatingIfNeeded: -1)
    unsafe information.uid = .init(truncatingIfNeeded: -1)
    unsafe information.count_threads = 1
    unsafe information.max_http_header_data = 4_096
    unsafe information.keepalive_timeout = 20
    unsafe information.timeout_secs = 20
    unsafe context = lws_create_context(&information)
    guard let context = unsafe context else { return nil }
    let vhost = unsafe lws_get_vhost_by_name(context, "default")
    if port == 0 { host.webPort = Int(unsafe lws_get_vhost_listen_port(vhost)) }
  }

  deinit {
    if let context = unsafe context { unsafe lws_context_destroy(context) }
    unsafe protocols.deallocate()
    unsafe free(protocolName)
    unsafe timer.deallocate()
  }

  /// Serves until `tick`, called fifty times a second, says no.
  public func run(tick: @escaping () -> Bool) {
    self.tick = tick
    schedule()
    while !isDone, unsafe lws_service(context, 0) >= 0 {}
  }

  private func schedule() {
    unsafe running = self
    unsafe lws_sul_schedule(context, 0, timer, timerCallback, 20_000)
  }

  fileprivate func timerFired() {
    for message in mirror.collect() { publish(message) }
    isDone = !tick()
    schedule()
    if isDone { unsafe lws_cancel_service(context) }
  }

  /// Sends a new value to those who listen to its address.
  private func publish(_ message: OSCMessage) {
    guard let bytes = QueryServer.frame(message.address, message.arguments) else { return }
    for (key, session) in sessions where session.listens(to: message.address) {
      session.queue(bytes)
      if let connection = unsafe OpaquePointer(bitPattern: key) {
        unsafe lws_callback_on_writable(connection)
      }
    }
  }
}

extension QueryServer {
  /// A value as a WebSocket frame, in the types by which the address is described.
  static func frame(_ address: String, _ values: [OSCValue]) -> [UInt8]? {
    guard let shown = OSCAddressTable.row(for: address)?.row.queryValues(values) else { return nil }
    return OSCPacketWriter.bytes(OSCMessage(address, shown))
  }
}

/// One server a process: the timer's callback has no place for a context.
nonisolated(unsafe) private weak var running: QueryServer?

private func timerCallback(_ timer: UnsafeMutablePointer<lws_sorted_usec_list_t>?) {
  unsafe running?.timerFired()
}

/// What one connection waits for.
///
/// - Thread: discovery
final class QuerySession {
  /// The rest of an HTTP answer.
  var body: [UInt8] = []
  var sent = 0
  private var addresses: Set<String> = []
  private var frames: [[UInt8]] = []
  private var text: [UInt8] = []

  func listens(to address: String) -> Bool { addresses.contains(address) }

  /// A client that does not read loses the oldest values, not the newest.
  func queue(_ bytes: [UInt8]) {
    if frames.count >= 256 { frames.removeFirst() }
    frames.append(bytes)
  }

  func nextFrame() -> [UInt8]? { frames.isEmpty ? nil : frames.removeFirst() }
  var hasFrames: Bool { !frames.isEmpty }

  /// Takes a piece of a text message.
  ///
  /// - Returns: the whole message with its last piece; nil before, and for one that is too long.
  func take(_ piece: UnsafeRawBufferPointer, isLast: Bool) -> String? {
    if text.count + piece.count <= QueryServer.mostMessageBytes {
      unsafe text.append(contentsOf: piece)
    }
    guard isLast else { return nil }
    defer { text = [] }
    return String(validating: text, as: UTF8.self)
  }

  func obey(_ command: ListenCommand) {
    switch command {
    case .listen(let address): if addresses.count < 4_096 { addresses.insert(address) }
    case .ignore(let address): addresses.remove(address)
    }
  }
}
