/// Whether a web request may be answered: its Host and Origin must be this machine, so that a page
/// from elsewhere cannot reach the metronome through a browser in the room.
///
/// - Thread: any
public struct QueryAccess: Equatable, Sendable {
  /// Names that this machine answers to, in lower case.
  public var names: Set<String>

  public init(hostname: String) {
    let short = hostname.split(separator: ".").first.map { $0.lowercased() } ?? ""
    names = ["localhost", hostname.lowercased(), short, "\(short).local"]
    names.remove("")
  }

  /// - Parameters:
  ///   - host: the Host header.
  ///   - origin: the Origin header; nil or empty where there is none.
  ///   - ownAddress: the address of this machine that the request came in at.
  public func allows(host: String, origin: String?, ownAddress: String) -> Bool {
    guard isOwn(host, ownAddress) else { return false }
    guard let origin, !origin.isEmpty else { return true }
    guard let scheme = origin.range(of: "://") else { return false }
    return isOwn(String(origin[scheme.upperBound...]), ownAddress)
  }

  private func isOwn(_ authority: String, _ ownAddress: String) -> Bool {
    let host = QueryAccess.host(of: authority)
    guard !host.isEmpty else { return false }
    return names.contains(host) || host == ownAddress.lowercased()
      || (host == "127.0.0.1" && ownAddress == "127.0.0.1")
  }

  /// Without the port; an IPv6 address without its brackets.
  static func host(of authority: String) -> String {
    let text = authority.lowercased()
    if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
      return String(text[text.index(after: text.startIndex)..<end])
    }
    return String(text.split(separator: ":", omittingEmptySubsequences: false).first ?? "")
  }
}

extension String {
  /// The first place of a text within this one.
  fileprivate func range(of text: String) -> Range<Index>? {
    var start = startIndex
    while start < endIndex {
      if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
      start = index(after: start)
    }
    return nil
  }
}
