internal import CLinux
internal import OSCProtocol
internal import OSCWire

/// Addresses at which other machines reach this one.
enum OwnAddresses {
  /// IPv4 addresses of this machine's interfaces, without loopback and without those that an
  /// interface gives itself when nobody else does.
  static func reachable() -> [String] {
    var networks = [clinux_network](repeating: clinux_network(), count: 64)
    let count = unsafe networks.withUnsafeMutableBufferPointer {
      unsafe clinux_attached_networks($0.baseAddress, Int32($0.count))
    }
    var hosts: [String] = []
    for network in networks.prefix(Int(max(count, 0))) {
      var network = network
      var text = [CChar](repeating: 0, count: 64)
      unsafe withUnsafeBytes(of: &network.address) { bytes in
        unsafe clinux_format_address(bytes.bindMemory(to: UInt8.self).baseAddress, &text)
      }
      let host = String(
        decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      guard !host.contains(":"), !host.hasPrefix("127."), !host.hasPrefix("169.254.") else {
        continue
      }
      hosts.append(host)
    }
    return hosts
  }
}
