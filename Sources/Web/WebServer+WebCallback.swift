internal import CWebsockets
internal import Glibc
internal import OSCProtocol
internal import OSCWire

/// libwebsockets calls this for everything; anything but 0 closes the connection.
///
/// - Thread: web
func webCallback(
  _ connection: OpaquePointer?, _ reason: lws_callback_reasons, _ user: UnsafeMutableRawPointer?,
  _ input: UnsafeMutableRawPointer?, _ length: Int
) -> Int32 {
  guard let connection = unsafe connection,
    let owner = unsafe lws_context_user(lws_get_context(connection))
  else { return 0 }
  let server = unsafe Unmanaged<WebServer>.fromOpaque(owner).takeUnretainedValue()
  let key = UInt(bitPattern: connection)
  switch reason {
  case LWS_CALLBACK_RAW_RX_FILE:
    server.readDescriptors()
  case LWS_CALLBACK_FILTER_NETWORK_CONNECTION:
    return server.admits(socket: Int32(truncatingIfNeeded: Int(bitPattern: input))) ? 0 : 1
  case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED:
    unsafe server.begin(connection, key)
  case LWS_CALLBACK_HTTP:
    let path = unsafe server.text(input, length)
    return unsafe server.answer(connection, key, path: path)
  case LWS_CALLBACK_HTTP_WRITEABLE:
    return unsafe server.continueAnswer(connection, key)
  case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
    return unsafe server.admitsSocket(connection, key) ? 0 : 1
  case LWS_CALLBACK_ESTABLISHED:
    server.sessions[key]?.isWebSocket = true
  case LWS_CALLBACK_RECEIVE:
    let piece = unsafe UnsafeRawBufferPointer(start: input, count: length)
    let isLast =
      unsafe lws_is_final_fragment(connection) != 0
      && lws_remaining_packet_payload(connection) == 0
    let isBinary = unsafe lws_frame_is_binary(connection) != 0
    return unsafe server.receive(piece, isLast: isLast, isBinary: isBinary, key) ? 0 : -1
  case LWS_CALLBACK_SERVER_WRITEABLE:
    return unsafe server.sendFrame(connection, key)
  case LWS_CALLBACK_CLOSED:
    server.sessions[key]?.relay?.close()
    server.sessions[key]?.relay = nil
  case LWS_CALLBACK_WSI_DESTROY:
    server.sessions[key] = nil
  default: break
  }
  return 0
}

extension WebServer {
  /// Whether a new connection may come in: from a network that may listen.
  ///
  /// Connections that ask for nothing cannot keep others out: the oldest of the host that has the
  /// most of them makes room.
  func admits(socket: Int32) -> Bool {
    network.readInterfaces()
    guard let peer = SocketAddress(peerOf: socket) else { return false }
    guard network.permission(of: peer) != nil else {
      tellOnce(
        "unheard \(peer.host)",
        "\(peer.host) is refused: its network is not attached; allow it with --allow \(peer.host)")
      return false
    }
    // What a client does not read waits with us, where it is seen, and not in the kernel.
    var bytes: Int32 = 65_536
    _ = unsafe setsockopt(
      socket, SOL_SOCKET, SO_SNDBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
    let waiting = sessions.filter { !$0.value.isWebSocket && !$0.value.isClosing }
    guard waiting.count >= WebServer.mostWaiting else { return true }
    let byHost = Dictionary(grouping: waiting) { $0.value.host }
    guard let most = byHost.values.max(by: { $0.count < $1.count }),
      let oldest = most.min(by: { $0.value.number < $1.value.number })
    else { return false }
    tellOnce(
      "waiting \(oldest.value.host)",
      "\(oldest.value.host) opens more than \(WebServer.mostWaiting) connections at once: the "
        + "oldest are closed")
    close(oldest.key)
    // Those that are being closed are gone at the next turn.
    return sessions.count < WebServer.mostWaiting * 2 + WebServer.mostSockets
  }

  func begin(_ connection: OpaquePointer, _ key: UInt) {
    guard let peer = unsafe SocketAddress(peerOf: lws_get_socket_fd(connection)) else { return }
    connectionsSoFar += 1
    sessions[key] = WebSession(
      host: peer.host, isLocal: network.isThisMachine(peer), number: connectionsSoFar)
  }

  /// Whether a WebSocket may be opened.
  func admitsSocket(_ connection: OpaquePointer, _ key: UInt) -> Bool {
    guard unsafe isOwn(connection), let session = sessions[key] else { return false }
    let open = sessions.values.filter(\.isWebSocket)
    let ofThisHost = open.filter { $0.host == session.host }.count
    guard open.count < WebServer.mostSockets,
      session.isLocal || ofThisHost < WebServer.mostSocketsOfAHost
    else {
      tellOnce(
        "sockets \(session.host)",
        "\(session.host) is refused a WebSocket: there are \(open.count), \(ofThisHost) of them "
          + "its own; at most \(WebServer.mostSockets) are open, "
          + "\(WebServer.mostSocketsOfAHost) of them of one other machine")
      return false
    }
    return true
  }

  /// Takes a piece of a message.
  ///
  /// - Returns: false closes the connection.
  func receive(
    _ piece: UnsafeRawBufferPointer, isLast: Bool, isBinary: Bool, _ key: UInt
  ) -> Bool {
    guard let session = sessions[key], !session.isClosing else { return false }
    switch unsafe session.take(piece, isLast: isLast) {
    case .more: return true
    case .tooLong:
      tellOnce(
        "long \(session.host)",
        "\(session.host) sent a message of more than \(WebServer.mostMessageBytes) bytes: its "
          + "connection is closed")
      return false
    case .whole(let bytes):
      return isBinary ? forward(bytes, of: session) : obey(bytes, session, key)
    }
  }

  /// OSC goes to the daemon; what is none is not handed on.
  private func forward(_ bytes: [UInt8], of session: WebSession) -> Bool {
    guard (try? OSCPacketReader.packet(bytes)) != nil else {
      tellOnce(
        "malformed \(session.host)", "\(session.host) sent a binary message that is no OSC packet")
      return true
    }
    if session.relay == nil { session.relay = newRelay(for: session) }
    guard let relay = session.relay else { return false }
    if !relay.send(bytes) {
      tellOnce(
        "lost \(session.host)",
        "a message of \(bytes.count) bytes of \(session.host) could not be handed to the daemon")
    }
    return true
  }

  private func obey(_ bytes: [UInt8], _ session: WebSession, _ key: UInt) -> Bool {
    guard let text = String(validating: bytes, as: UTF8.self), let command = ListenCommand(text)
    else { return true }
    session.obey(command)
    keepMirror()
    if case .listen(let address) = command, let values = mirror.value(at: address),
      let frame = WebServer.frame(address, values)
    {
      session.queue(frame)
      wakeWriter(key)
    }
    return true
  }

  func sendFrame(_ connection: OpaquePointer, _ key: UInt) -> Int32 {
    guard let session = sessions[key], let frame = session.nextFrame() else { return 0 }
    guard unsafe write(connection, frame[...], kind: LWS_WRITE_BINARY) else { return -1 }
    if session.hasFrames { unsafe lws_callback_on_writable(connection) }
    return 0
  }
}
