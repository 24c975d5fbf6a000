internal import OSCProtocol
internal import OSCWire

/// One connection of a browser or another web client.
///
/// - Thread: web
final class WebSession {
  /// Bytes that may wait for a client that does not read.
  static let mostWaitingBytes = 262_144
  static let mostWaitingFrames = 1_024

  /// The address of the other end.
  let host: String
  /// Whether it came from this machine.
  let isLocal: Bool
  /// Counts connections: the smallest is the oldest.
  let number: Int
  var isWebSocket = false
  var isClosing = false
  /// The daemon's side, once the client has sent OSC.
  var relay: DaemonRelay?
  /// An HTTP request that waits for the daemon's values.
  var pending: (path: String, query: String)?
  /// The rest of an HTTP answer.
  var body: [UInt8] = []
  var sent = 0

  private var addresses: Set<String> = []
  private var frames: [[UInt8]] = []
  private var taken = 0
  private var waitingBytes = 0
  private var message: [UInt8] = []

  init(host: String, isLocal: Bool, number: Int) {
    self.host = host
    self.isLocal = isLocal
    self.number = number
  }

  func listens(to address: String) -> Bool { addresses.contains(address) }

  var listensToAny: Bool { !addresses.isEmpty }

  func queue(_ bytes: [UInt8]) {
    guard !isOverfull else { return }
    frames.append(bytes)
    waitingBytes += bytes.count
  }

  /// Whether the client has stopped reading: it is closed, since what it would miss it would
  /// never learn.
  var isOverfull: Bool {
    waitingBytes > WebSession.mostWaitingBytes
      || frames.count - taken > WebSession.mostWaitingFrames
  }

  func nextFrame() -> [UInt8]? {
    guard taken < frames.count else { return nil }
    let frame = frames[taken]
    taken += 1
    waitingBytes -= frame.count
    if taken == frames.count {
      frames.removeAll(keepingCapacity: frames.capacity <= 64)
      taken = 0
    }
    return frame
  }

  var hasFrames: Bool { taken < frames.count }

  /// What a piece of a message came to.
  enum Piece: Equatable {
    case more
    case whole([UInt8])
    case tooLong
  }

  func take(_ piece: UnsafeRawBufferPointer, isLast: Bool) -> Piece {
    guard message.count + piece.count <= WebServer.mostMessageBytes else {
      message = []
      return .tooLong
    }
    unsafe message.append(contentsOf: piece)
    guard isLast else { return .more }
    defer { message = [] }
    return .whole(message)
  }

  func obey(_ command: ListenCommand) {
    switch command {
    case .listen(let address): if addresses.count < 4_096 { addresses.insert(address) }
    case .ignore(let address): addresses.remove(address)
    }
  }
}
