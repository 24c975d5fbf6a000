internal import Glibc

/// One end of the socket between the daemon and `tactus-link`: whole messages, never waiting.
///
/// What the other side does not take is not kept: the socket's own buffer is the bound.
///
/// - Thread: the one that waits for `descriptor`
public final class LinkChannel {
  public enum Reading: Equatable, Sendable {
    case message(LinkWords)
    case none
    /// The other side has ended.
    case ended
  }

  public let descriptor: Int32
  /// Messages that were not what either side sends, and those that found no room.
  public private(set) var malformed = 0
  public private(set) var refused = 0

  /// - Parameter descriptor: of a socket of the kind SOCK_SEQPACKET; it is closed with this.
  public init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { _ = close(descriptor) }

  /// Whether a descriptor is such a socket.
  public static func isChannel(_ descriptor: Int32) -> Bool {
    var kind: Int32 = 0
    var size = socklen_t(4)
    return unsafe getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &kind, &size) == 0
      && kind == Int32(SOCK_SEQPACKET.rawValue)
  }

  /// The next message; what cannot be understood is counted and passed over.
  public func receive() -> Reading {
    while true {
      // One byte more than a message, so that a longer one is seen as such.
      var buffer = [UInt8](repeating: 0, count: LinkWords.byteCount + 1)
      let count = unsafe recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
      guard count > 0 else {
        if count < 0, errno == EINTR { continue }
        return count < 0 && errno == EAGAIN ? .none : .ended
      }
      if let words = LinkWords(bytes: Array(buffer[..<count])) { return .message(words) }
      malformed += 1
    }
  }

  /// - Returns: false where the other side has ended or takes nothing.
  @discardableResult
  public func send(_ message: LinkWords) -> Bool {
    let bytes = message.bytes
    let flags = Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
    guard unsafe Glibc.send(descriptor, bytes, bytes.count, flags) == bytes.count else {
      refused += 1
      return false
    }
    return true
  }
}
