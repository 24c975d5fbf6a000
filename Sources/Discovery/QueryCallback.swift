internal import CWebsockets
internal import OSCProtocol
internal import OSCWire

/// LWS_PRE: room that the library wants before what is written; its macro is not imported.
/// Source: libwebsockets lws-write.h, 4 + 10 + 2 bytes.
private let headroom = 16

/// libwebsockets calls this for everything; anything but 0 closes the connection.
///
/// - Thread: discovery
func queryCallback(
  _ connection: OpaquePointer?, _ reason: lws_callback_reasons, _ user: UnsafeMutableRawPointer?,
  _ input: UnsafeMutableRawPointer?, _ length: Int
) -> Int32 {
  guard let connection = unsafe connection,
    let owner = unsafe lws_context_user(lws_get_context(connection))
  else { return 0 }
  let server = unsafe Unmanaged<QueryServer>.fromOpaque(owner).takeUnretainedValue()
  let key = UInt(bitPattern: connection)
  switch reason {
  case LWS_CALLBACK_FILTER_NETWORK_CONNECTION:
    return server.admits(socket: Int32(truncatingIfNeeded: Int(bitPattern: input))) ? 0 : 1
  case LWS_CALLBACK_HTTP:
    let path = unsafe server.text(input, length)
    return unsafe server.answer(connection, key, path: path)
  case LWS_CALLBACK_HTTP_WRITEABLE:
    return unsafe server.continueBody(connection, key)
  case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
    return unsafe server.isOwn(connection) ? 0 : 1
  case LWS_CALLBACK_ESTABLISHED:
    server.sessions[key] = QuerySession()
  case LWS_CALLBACK_RECEIVE:
    guard let session = server.sessions[key] else { return -1 }
    let piece = unsafe UnsafeRawBufferPointer(start: input, count: length)
    let isLast =
      unsafe lws_is_final_fragment(connection) != 0
      && lws_remaining_packet_payload(connection) == 0
    if let text = unsafe session.take(piece, isLast: isLast), let command = ListenCommand(text) {
      session.obey(command)
      if case .listen(let address) = command, let values = server.mirror.value(at: address),
        let frame = QueryServer.frame(address, values)
      {
        session.queue(frame)
        unsafe lws_callback_on_writable(connection)
      }
    }
  case LWS_CALLBACK_SERVER_WRITEABLE:
    return unsafe server.sendFrame(connection, key)
  case LWS_CALLBACK_CLOSED, LWS_CALLBACK_CLOSED_HTTP, LWS_CALLBACK_WSI_DESTROY:
    server.sessions[key] = nil
    if reason == LWS_CALLBACK_WSI_DESTROY { server.left() }
  default: break
  }
  return 0
}

extension QueryServer {
  /// Whether a new connection may come in: from a network that may listen, and not too many.
  func admits(socket: Int32) -> Bool {
    guard connectionCount < QueryServer.mostConnections else { return false }
    network.readInterfaces()
    guard let peer = SocketAddress(peerOf: socket), network.permission(of: peer) != nil else {
      return false
    }
    connectionCount += 1
    return true
  }

  /// The listening socket ends once too.
  func left() { connectionCount = max(0, connectionCount - 1) }

  func text(_ input: UnsafeMutableRawPointer?, _ length: Int) -> String {
    let bytes = unsafe UnsafeRawBufferPointer(start: input, count: min(length, 2_048))
    return unsafe String(decoding: bytes, as: UTF8.self)
  }

  func header(_ connection: OpaquePointer, _ token: lws_token_indexes) -> String? {
    var buffer = [CChar](repeating: 0, count: 1_024)
    let count = unsafe lws_hdr_copy(connection, &buffer, Int32(buffer.count), token)
    guard count > 0 else { return nil }
    return String(
      decoding: buffer.prefix(Int(count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Host and Origin are this machine's.
  func isOwn(_ connection: OpaquePointer) -> Bool {
    let own = unsafe SocketAddress(ownOf: lws_get_socket_fd(connection))
    return unsafe queryAccess.allows(
      host: header(connection, WSI_TOKEN_HOST) ?? "", origin: header(connection, WSI_TOKEN_ORIGIN),
      ownAddress: own?.host ?? "")
  }

  func answer(_ connection: OpaquePointer, _ key: UInt, path: String) -> Int32 {
    guard unsafe isOwn(connection) else {
      return unsafe start(connection, key, status: 403, body: "")
    }
    let query = unsafe header(connection, WSI_TOKEN_HTTP_URI_ARGS) ?? ""
    let answer = QueryAnswer(path: path, query: query, tree: mirror.addressTree(), host: host)
    return unsafe start(connection, key, status: answer.status, body: answer.body)
  }

  private func start(
    _ connection: OpaquePointer, _ key: UInt, status: Int, body: String
  ) -> Int32 {
    var buffer = [UInt8](repeating: 0, count: 1_024 + headroom)
    let result: Int32 = unsafe buffer.withUnsafeMutableBufferPointer { memory in
      guard let base = memory.baseAddress else { return 1 }
      let begin = unsafe base + headroom
      var place: UnsafeMutablePointer<UInt8>? = unsafe begin
      let end = unsafe base + memory.count - 1
      guard
        unsafe lws_add_http_common_headers(
          connection, UInt32(status), "application/json", UInt64(body.utf8.count), &place, end)
          == 0,
        unsafe allowOrigin(connection, &place, end),
        unsafe lws_finalize_write_http_header(connection, begin, &place, end) == 0
      else { return 1 }
      return 0
    }
    guard result == 0 else { return -1 }
    guard !body.isEmpty else { return unsafe completed(connection) }
    let session = QuerySession()
    session.body = Array(body.utf8)
    sessions[key] = session
    unsafe lws_callback_on_writable(connection)
    return 0
  }

  /// A page of this machine may read the answer; one from elsewhere was refused before.
  private func allowOrigin(
    _ connection: OpaquePointer, _ place: inout UnsafeMutablePointer<UInt8>?,
    _ end: UnsafeMutablePointer<UInt8>
  ) -> Bool {
    guard let origin = unsafe header(connection, WSI_TOKEN_ORIGIN), !origin.isEmpty else {
      return true
    }
    return unsafe lws_add_http_header_by_name(
      connection, "access-control-allow-origin:", origin, Int32(origin.utf8.count), &place, end)
      == 0
  }

  /// The next piece of an answer; a socket takes no more than a few kilobytes at once.
  func continueBody(_ connection: OpaquePointer, _ key: UInt) -> Int32 {
    guard let session = sessions[key], session.sent < session.body.count else { return 0 }
    let piece = session.body[session.sent...].prefix(4_096)
    let isLast = session.sent + piece.count == session.body.count
    session.sent += piece.count
    guard
      unsafe write(connection, piece, kind: isLast ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP)
    else { return -1 }
    guard isLast else {
      unsafe lws_callback_on_writable(connection)
      return 0
    }
    sessions[key] = nil
    return unsafe completed(connection)
  }

  /// - Returns: -1 where the client wants the connection closed; the library closes for nothing else.
  private func completed(_ connection: OpaquePointer) -> Int32 {
    unsafe lws_http_transaction_completed(connection) == 0 ? 0 : -1
  }

  func sendFrame(_ connection: OpaquePointer, _ key: UInt) -> Int32 {
    guard let session = sessions[key], let frame = session.nextFrame() else { return 0 }
    guard unsafe write(connection, frame[...], kind: LWS_WRITE_BINARY) else { return -1 }
    if session.hasFrames { unsafe lws_callback_on_writable(connection) }
    return 0
  }

  /// The library writes its own header before the bytes, so room is left for it.
  private func write(
    _ connection: OpaquePointer, _ bytes: ArraySlice<UInt8>, kind: lws_write_protocol
  ) -> Bool {
    var buffer = [UInt8](repeating: 0, count: headroom) + bytes
    return unsafe buffer.withUnsafeMutableBufferPointer { memory in
      guard let base = memory.baseAddress else { return false }
      return unsafe lws_write(connection, base + headroom, bytes.count, kind)
        == Int32(bytes.count)
    }
  }
}
