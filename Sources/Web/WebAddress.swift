internal import CLinux
internal import OSCProtocol
internal import OSCWire

/// Where a browser finds the page.
enum WebAddress {

  /// The addresses to type or scan: by number first, which every tablet understands, then by name.
  static func all(port: Int, hostname: String) -> [String] {
    let hosts = OwnAddresses.reachable()
    let short = hostname.split(separator: ".").first.map { $0.lowercased() } ?? ""
    let names = short.isEmpty || short == "localhost" ? [] : ["\(short).local"]
    let all = hosts + names
    return (all.isEmpty ? ["127.0.0.1"] : all).map { "http://\($0):\(port)/" }
  }
}
