public import OSCProtocol
internal import OSCWire

/// What is answered to an HTTP request for the address space.
///
/// Source: the OSCQuery proposal: a node is asked for by its path, an attribute by the query
/// string, the host by HOST_INFO.
///
/// - Thread: any
public struct QueryAnswer: Equatable, Sendable {
  /// 200; 204 where the node has no such attribute; 400 an unknown attribute; 404 no such node.
  public var status: Int
  /// JSON, or empty.
  public var body: String

  /// Attributes of the proposal that may be asked for one by one.
  static let attributes: Set<String> = [
    "FULL_PATH", "CONTENTS", "TYPE", "ACCESS", "RANGE", "DESCRIPTION", "VALUE", "UNIT", "TAGS",
    "CLIPMODE", "EXTENDED_TYPE", "CRITICAL", "OVERLOADS",
  ]

  /// - Parameters:
  ///   - path: as it came, still percent-encoded.
  ///   - query: what stands after the question mark.
  public init(path: String, query: String, tree: OSCAddressTree, host: QueryHost) {
    guard let address = QueryAnswer.decoded(path), address.hasPrefix("/") else {
      self.init(400, "")
      return
    }
    let attribute = query.split(separator: "=").first.map(String.init) ?? ""
    if attribute == "HOST_INFO" {
      self.init(200, host.json)
      return
    }
    guard let node = tree.json(at: address) else {
      self.init(404, "")
      return
    }
    guard !attribute.isEmpty else {
      self.init(200, node)
      return
    }
    guard QueryAnswer.attributes.contains(attribute) else {
      self.init(400, "")
      return
    }
    guard let value = tree.json(attribute: attribute, at: address) else {
      self.init(204, "")
      return
    }
    self.init(200, value)
  }

  private init(_ status: Int, _ body: String) {
    self.status = status
    self.body = body
  }

  /// `%41` and the like; nil where the text is malformed.
  static func decoded(_ text: String) -> String? {
    guard text.utf8.count <= 1_024 else { return nil }
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard rest.count >= 2, let high = hexadecimal(rest.removeFirst()),
        let low = hexadecimal(rest.removeFirst())
      else { return nil }
      bytes.append(high << 4 | low)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  private static func hexadecimal(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }
}

/// The HOST_INFO of the proposal.
///
/// - Thread: any
public struct QueryHost: Equatable, Sendable {
  public var name: String
  public var oscPort: Int
  public var webPort: Int

  public init(name: String, oscPort: Int, webPort: Int) {
    self.name = name
    self.oscPort = oscPort
    self.webPort = webPort
  }

  public var json: String {
    "{\"NAME\":\(JSONText.quoted(name)),\"OSC_PORT\":\(oscPort),\"OSC_TRANSPORT\":\"UDP\","
      + "\"WS_PORT\":\(webPort),\"EXTENSIONS\":{\"ACCESS\":true,\"VALUE\":true,\"RANGE\":true,"
      + "\"DESCRIPTION\":true,\"UNIT\":true,\"LISTEN\":true,\"TYPE\":true,\"TAGS\":false,"
      + "\"CRITICAL\":false,\"CLIPMODE\":false,\"PATH_CHANGED\":false}}"
  }
}

/// A command that a WebSocket client sends as text.
///
/// - Thread: any
public enum ListenCommand: Equatable, Sendable {
  case listen(String)
  case ignore(String)

  /// Reads `{"COMMAND":"LISTEN","DATA":"/path"}`; nil where it is anything else.
  public init?(_ text: String) {
    guard text.utf8.count <= 65_536, let command = ListenCommand.value("COMMAND", in: text),
      let data = ListenCommand.value("DATA", in: text), data.hasPrefix("/")
    else { return nil }
    switch command {
    case "LISTEN": self = .listen(data)
    case "IGNORE": self = .ignore(data)
    default: return nil
    }
  }

  /// The string member of a flat JSON object; addresses hold no escapes.
  private static func value(_ key: String, in text: String) -> String? {
    let parts = text.split(separator: "\"", omittingEmptySubsequences: false).map(String.init)
    // {"KEY":"VALUE",...}: keys and values stand at the odd places.
    var index = 1
    while index + 2 < parts.count {
      let between = parts[index + 1].filter { !" \t\r\n".contains($0) }
      if parts[index] == key, between == ":" {
        let value = parts[index + 2]
        return value.contains("\\") ? nil : value
      }
      index += 2
    }
    return nil
  }
}
