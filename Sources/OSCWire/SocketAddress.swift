package import CLinux

/// A host and port; IPv4 stands as an IPv4-mapped IPv6 address.
///
/// - Thread: any
@frozen
public struct SocketAddress: Hashable, Sendable, BitwiseCopyable {
  /// The upper and lower half of the 128-bit address, first byte on top.
  public let high: UInt64
  public let low: UInt64
  public let port: UInt16
  /// The interface of a link-local address.
  public let scope: UInt32

  package init(high: UInt64, low: UInt64, port: UInt16, scope: UInt32 = 0) {
    self.high = high
    self.low = low
    self.port = port
    self.scope = scope
  }

  /// Finds `HOST:PORT`, `[v6]:PORT` or a name; may ask the resolver and wait, so at start-up only.
  ///
  /// - Returns: nil where the text is none of them or the host cannot be found.
  public init?(resolving text: String, defaultPort: Int? = nil) {
    guard let (host, port) = SocketAddress.split(text, defaultPort: defaultPort) else { return nil }
    var endpoint = clinux_endpoint()
    guard unsafe clinux_resolve(host, port, &endpoint) == 0 else { return nil }
    self.init(endpoint)
  }

  /// Finds a host by number or name; may ask the resolver and wait.
  ///
  /// - Returns: nil where the host cannot be found.
  public init?(resolving host: String, port: Int) {
    var endpoint = clinux_endpoint()
    guard let port = UInt16(exactly: port), port > 0,
      unsafe clinux_resolve(host, port, &endpoint) == 0
    else { return nil }
    self.init(endpoint)
  }

  /// A numeric address and a port; asks nobody.
  ///
  /// - Returns: nil where the host is a name.
  public init?(numeric host: String, port: UInt16) {
    var endpoint = clinux_endpoint()
    var isIPv4: Int32 = 0
    let result = unsafe withUnsafeMutableBytes(of: &endpoint.address) { bytes in
      unsafe clinux_parse_address(host, bytes.bindMemory(to: UInt8.self).baseAddress, &isIPv4)
    }
    guard result == 0, port > 0 else { return nil }
    endpoint.port = port
    self.init(endpoint)
  }

  /// `HOST`, `HOST:PORT`, `[v6]:PORT` in its two parts; nil where it is none of them.
  public static func split(_ text: String, defaultPort: Int?) -> (host: String, port: UInt16)? {
    var host = text[...]
    var port = defaultPort
    if host.hasPrefix("["), let close = host.firstIndex(of: "]") {
      let rest = host[host.index(after: close)...]
      host = host[host.index(after: host.startIndex)..<close]
      if rest.hasPrefix(":") {
        guard let number = Int(rest.dropFirst()) else { return nil }
        port = number
      } else if !rest.isEmpty {
        return nil
      }
    } else if host.filter({ $0 == ":" }).count == 1, let colon = host.firstIndex(of: ":") {
      guard let number = Int(host[host.index(after: colon)...]) else { return nil }
      port = number
      host = host[..<colon]
    }
    guard let port, (1...65_535).contains(port), !host.isEmpty else { return nil }
    return (String(host), UInt16(port))
  }

  package init(_ endpoint: clinux_endpoint) {
    var bytes = endpoint.address
    let (high, low) = unsafe withUnsafeBytes(of: &bytes) { buffer in
      unsafe (
        UInt64(bigEndian: buffer.load(as: UInt64.self)),
        UInt64(bigEndian: buffer.load(fromByteOffset: 8, as: UInt64.self))
      )
    }
    self.init(high: high, low: low, port: endpoint.port, scope: endpoint.scope)
  }

  package var endpoint: clinux_endpoint {
    var endpoint = clinux_endpoint()
    endpoint.port = port
    endpoint.scope = scope
    unsafe withUnsafeMutableBytes(of: &endpoint.address) { buffer in
      unsafe buffer.storeBytes(of: high.bigEndian, as: UInt64.self)
      unsafe buffer.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
    }
    return endpoint
  }

  /// The same host with another port.
  public func with(port: UInt16) -> SocketAddress {
    SocketAddress(high: high, low: low, port: port, scope: scope)
  }

  package var isIPv4: Bool { high == 0 && low >> 32 == 0xFFFF }

  /// 127.0.0.0/8 or ::1.
  public var isLoopback: Bool {
    isIPv4 ? (low >> 24) & 0xFF == 127 : high == 0 && low == 1
  }

  public static func loopback(port: UInt16) -> SocketAddress {
    SocketAddress(high: 0, low: 0xFFFF_7F00_0001, port: port)
  }

  /// An address written as a number; a name is not looked up.
  public init?(number text: String, port: UInt16 = 0) {
    var endpoint = clinux_endpoint()
    var isIPv4: Int32 = 0
    let result = unsafe withUnsafeMutableBytes(of: &endpoint.address) { bytes in
      unsafe clinux_parse_address(text, bytes.bindMemory(to: UInt8.self).baseAddress, &isIPv4)
    }
    guard result == 0 else { return nil }
    endpoint.port = port
    self.init(endpoint)
  }

  /// The host without the port.
  public var host: String {
    var endpoint = endpoint
    return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { text in
      guard let base = text.baseAddress else { return "" }
      unsafe base.initialize(repeating: 0, count: 64)
      unsafe withUnsafeBytes(of: &endpoint.address) { bytes in
        unsafe clinux_format_address(bytes.bindMemory(to: UInt8.self).baseAddress, base)
      }
      return unsafe String(cString: base)
    }
  }
}

extension SocketAddress: CustomStringConvertible {
  public var description: String { isIPv4 ? "\(host):\(port)" : "[\(host)]:\(port)" }
}

extension SocketAddress {
  /// The other end of a connected socket; nil where it has none.
  public init?(peerOf socket: Int32) {
    var endpoint = clinux_endpoint()
    guard unsafe clinux_socket_peer(socket, &endpoint) == 0 else { return nil }
    self.init(endpoint)
  }

  /// Our own end of a connected socket.
  public init?(ownOf socket: Int32) {
    var endpoint = clinux_endpoint()
    guard unsafe clinux_socket_own(socket, &endpoint) == 0 else { return nil }
    self.init(endpoint)
  }
}
