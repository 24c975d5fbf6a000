public import OSCWire
internal import CLinux

/// A network as people write it: `192.168.1.0/24`, `fe80::/10`, or one host.
///
/// - Thread: any
public struct AddressNetwork: Hashable, Sendable {
  let high: UInt64
  let low: UInt64
  /// Leading bits of the 128-bit address that count; an IPv4 network has 96 more than written.
  let prefixBits: Int

  init(high: UInt64, low: UInt64, prefixBits: Int) {
    self.high = high
    self.low = low
    self.prefixBits = prefixBits
  }

  /// - Returns: nil where the text is no network.
  public init?(_ text: String) {
    let sides = text.split(separator: "/", omittingEmptySubsequences: false)
    guard sides.count <= 2, let host = sides.first else { return nil }
    var endpoint = clinux_endpoint()
    var isIPv4: Int32 = 0
    let result = unsafe withUnsafeMutableBytes(of: &endpoint.address) { bytes in
      unsafe clinux_parse_address(
        String(host), bytes.bindMemory(to: UInt8.self).baseAddress, &isIPv4)
    }
    guard result == 0 else { return nil }
    let most = isIPv4 == 0 ? 128 : 32
    var bits = most
    if sides.count == 2 {
      guard let written = Int(sides[1]), (0...most).contains(written) else { return nil }
      bits = written
    }
    let address = SocketAddress(endpoint)
    self.init(high: address.high, low: address.low, prefixBits: 128 - most + bits)
  }

  public func contains(_ address: SocketAddress) -> Bool {
    func mask(_ bits: Int) -> UInt64 { bits <= 0 ? 0 : bits >= 64 ? .max : ~(.max >> UInt64(bits)) }
    return (address.high ^ high) & mask(prefixBits) == 0
      && (address.low ^ low) & mask(prefixBits - 64) == 0
  }
}

/// Who may do what, by where a message comes from.
///
/// This machine, which is what comes in on its loopback interface, may do everything; so may the
/// `admin` networks. Attached networks and the `allow` networks play; the `observe` networks read.
/// Where several named networks hold an address, the narrowest decides. Everybody else is not
/// heard.
///
/// - Thread: control
public struct NetworkAccess: Sendable {
  public var allow: [AddressNetwork]
  public var observe: [AddressNetwork]
  public var admin: [AddressNetwork]
  private var own: Set<AddressNetwork> = []
  private var attached: [AddressNetwork] = []

  public init(
    allow: [AddressNetwork] = [], observe: [AddressNetwork] = [], admin: [AddressNetwork] = []
  ) {
    self.allow = allow
    self.observe = observe
    self.admin = admin
  }

  /// The addresses of this machine and the bits of their networks.
  ///
  /// - Thread: any
  public struct Interfaces: Sendable {
    let list: [(address: SocketAddress, prefixBits: Int)]
  }

  /// Reads the interfaces of this machine: a network may come up later.
  public mutating func readInterfaces() {
    if let interfaces = NetworkAccess.interfaces() { use(interfaces) }
  }

  public mutating func use(_ interfaces: Interfaces) { setInterfaces(interfaces.list) }

  /// Asks the kernel, which may be busy with somebody who is changing an interface.
  ///
  /// - Returns: nil where it does not answer.
  public static func interfaces() -> Interfaces? {
    var networks = [clinux_network](repeating: clinux_network(), count: 64)
    let count = unsafe networks.withUnsafeMutableBufferPointer {
      unsafe clinux_attached_networks($0.baseAddress, Int32($0.count))
    }
    guard count >= 0 else { return nil }
    return Interfaces(
      list: networks.prefix(Int(count)).map { network in
        var endpoint = clinux_endpoint()
        endpoint.address = network.address
        return (SocketAddress(endpoint), Int(network.prefix_bits))
      })
  }

  /// - Parameter interfaces: addresses of this machine and the bits of their networks.
  package mutating func setInterfaces(_ interfaces: [(address: SocketAddress, prefixBits: Int)]) {
    own = Set(
      interfaces.map {
        AddressNetwork(high: $0.address.high, low: $0.address.low, prefixBits: 128)
      })
    // A network of no bits would be the whole world: an interface that says so is not believed.
    attached = interfaces.filter { $0.prefixBits > ($0.address.isIPv4 ? 96 : 0) }
      .map {
        AddressNetwork(high: $0.address.high, low: $0.address.low, prefixBits: $0.prefixBits)
      }
  }

  /// Whether an address belongs to this machine.
  public func isThisMachine(_ address: SocketAddress) -> Bool {
    address.isLoopback
      || own.contains(AddressNetwork(high: address.high, low: address.low, prefixBits: 128))
  }

  /// What somebody connected from this address may do; nil where it is not heard.
  ///
  /// Only this machine completes a handshake from one of its own addresses: the answer to a forged
  /// one never leaves it.
  public func permission(of address: SocketAddress) -> OSCAddressRow.Permission? {
    permission(of: address, isLocal: isThisMachine(address))
  }

  /// What a datagram from this address may do; nil where it is not heard.
  ///
  /// - Parameter isLocal: whether it is sure to come from this machine. Its source alone says
  ///   nothing: anybody on the wire can write one of our own addresses there.
  public func permission(
    of address: SocketAddress, isLocal: Bool
  ) -> OSCAddressRow.Permission? {
    if isLocal { return .admin }
    // Nothing of the loopback network comes over a wire. Another own address is no more than its
    // network: a program of this machine that sends to it by IPv6 looks like anybody there.
    if address.isLoopback { return nil }
    var best: (bits: Int, permission: OSCAddressRow.Permission)?
    for (networks, permission) in [
      (admin, OSCAddressRow.Permission.admin), (observe, .observe), (allow, .play),
    ] {
      for network in networks where network.contains(address) {
        if network.prefixBits > (best?.bits ?? -1) { best = (network.prefixBits, permission) }
      }
    }
    if let best { return best.permission }
    return attached.contains { $0.contains(address) } ? .play : nil
  }
}
