internal import CWebsockets
internal import OSCProtocol
internal import OSCWire
internal import RealtimeHost

/// LWS_PRE: room that the library wants before what is written; its macro is not imported.
/// Source: libwebsockets lws-write.h, 4 + 10 + 2 bytes.
private let headroom = 16

extension WebServer {
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
    let host = unsafe header(connection, WSI_TOKEN_HOST) ?? ""
    let origin = unsafe header(connection, WSI_TOKEN_ORIGIN)
    guard queryAccess.allows(host: host, origin: origin, ownAddress: own?.host ?? "") else {
      tellOnce(
        "foreign",
        "a request for '\(host.prefix(80))' from a page of '\((origin ?? "").prefix(80))' is "
          + "refused: this machine is asked by its own name or address")
      return false
    }
    return true
  }

  /// What is asked for is told or refused; nothing is ever changed by a request.
  func answer(_ connection: OpaquePointer, _ key: UInt, path: String) -> Int32 {
    guard unsafe isOwn(connection) else {
      return unsafe start(connection, key, WebAnswer(status: 403))
    }
    guard unsafe lws_hdr_total_length(connection, WSI_TOKEN_GET_URI) > 0 else {
      return unsafe start(connection, key, WebAnswer(status: 405))
    }
    let query = unsafe header(connection, WSI_TOKEN_HTTP_URI_ARGS) ?? ""
    let accept = unsafe header(connection, WSI_TOKEN_HTTP_ACCEPT) ?? ""
    if path == "/stage" || (path == "/" && query.isEmpty && AcceptHeader.prefersHTML(accept)) {
      let host = unsafe header(connection, WSI_TOKEN_HOST) ?? ""
      return unsafe start(connection, key, WebAnswer.page(host: host))
    }
    guard mirror.refresh(now: MonotonicClock.now()) else {
      // Until the daemon has told everything, for a second at the most.
      sessions[key]?.pending = (path, query)
      unsafe lws_set_timeout(connection, PENDING_TIMEOUT_HTTP_CONTENT, 5)
      schedule(afterMilliseconds: 1_000)
      return 0
    }
    return unsafe start(connection, key, queryAnswer(path, query))
  }

  private func queryAnswer(_ path: String, _ query: String) -> WebAnswer {
    let answer = QueryAnswer(path: path, query: query, tree: mirror.addressTree(), host: host)
    return WebAnswer(status: answer.status, json: answer.body)
  }

  /// Lets requests go on that waited for the daemon's values.
  func answerPending(isLate: Bool = false) {
    guard isLate || mirror.isComplete else { return }
    for (key, session) in sessions where session.pending != nil { wakeWriter(key) }
  }

  private func start(_ connection: OpaquePointer, _ key: UInt, _ answer: WebAnswer) -> Int32 {
    let origin = unsafe header(connection, WSI_TOKEN_ORIGIN)
    var buffer = [UInt8](repeating: 0, count: 2_048 + headroom)
    let result: Int32 = unsafe buffer.withUnsafeMutableBufferPointer { memory in
      guard let base = memory.baseAddress else { return 1 }
      let begin = unsafe base + headroom
      var place: UnsafeMutablePointer<UInt8>? = unsafe begin
      let end = unsafe base + memory.count - 1
      guard
        unsafe lws_add_http_common_headers(
          connection, UInt32(answer.status), answer.type, UInt64(answer.body.count), &place, end)
          == 0
      else { return 1 }
      var headers = answer.headers
      // A page of this machine may read the answer; one from elsewhere was refused before.
      if let origin, !origin.isEmpty { headers.append(("access-control-allow-origin:", origin)) }
      for (name, value) in headers {
        guard
          unsafe lws_add_http_header_by_name(
            connection, name, value, Int32(value.utf8.count), &place, end) == 0
        else { return 1 }
      }
      return unsafe lws_finalize_write_http_header(connection, begin, &place, end) == 0 ? 0 : 1
    }
    guard result == 0 else { return -1 }
    guard !answer.body.isEmpty else { return unsafe completed(connection) }
    sessions[key]?.body = answer.body
    sessions[key]?.sent = 0
    unsafe lws_callback_on_writable(connection)
    return 0
  }

  /// The next piece of an answer; a socket takes no more than a few kilobytes at once.
  func continueAnswer(_ connection: OpaquePointer, _ key: UInt) -> Int32 {
    guard let session = sessions[key] else { return 0 }
    if let (path, query) = session.pending {
      session.pending = nil
      return unsafe start(connection, key, queryAnswer(path, query))
    }
    guard session.sent < session.body.count else { return 0 }
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
    session.body = []
    return unsafe completed(connection)
  }

  /// - Returns: -1 where the client wants the connection closed; the library closes for nothing else.
  private func completed(_ connection: OpaquePointer) -> Int32 {
    unsafe lws_http_transaction_completed(connection) == 0 ? 0 : -1
  }

  /// The library writes its own header before the bytes, so room is left for it.
  func write(
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
