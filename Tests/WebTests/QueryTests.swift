import Testing

@testable import Web
@testable import OSCProtocol
@testable import OSCWire

@Suite struct QueryTests {
  let host = QueryHost(name: "Tactus", oscPort: 9_700, webPort: 8_080)

  func answer(_ path: String, _ query: String = "") -> QueryAnswer {
    let tree = OSCAddressTree(ports: ["Clock"]) {
      $0 == "/tactus/tempo" ? [.float(99.95)] : nil
    }
    return QueryAnswer(path: path, query: query, tree: tree, host: host)
  }

  /// The codes are those of the OSCQuery proposal.
  @Test(arguments: [
    ("/", "", 200), ("/tactus/tempo", "", 200), ("/tactus/tempo", "VALUE", 200),
    ("/tactus/tempo", "RANGE", 200), ("/tactus/start", "VALUE", 204),
    ("/tactus/tempo", "NONSENSE", 400), ("/tactus/nope", "", 404), ("/nope", "VALUE", 404),
    ("/%zz", "", 400), ("tactus", "", 400), ("/", "HOST_INFO", 200),
    ("/tactus/midi/Clock/offset", "", 200), ("/tactus/midi/Other/offset", "", 404),
  ])
  func `a request is answered with the proposal's code`(path: String, query: String, status: Int) {
    #expect(answer(path, query).status == status)
  }

  @Test func `a value is its attribute alone`() {
    #expect(answer("/tactus/tempo", "VALUE").body == "{\"VALUE\":[99.95]}")
    #expect(answer("/tactus/%74empo", "VALUE").body == "{\"VALUE\":[99.95]}")
  }

  /// The proposal: VALUE has one item for each type of TYPE, and T is a JSON boolean.
  @Test(
    arguments: [
      ("tempo", [.float(99.5), .string("1/4")], "f", "[99.5]"),
      ("mute", [.int32(1)], "T", "[true]"), ("mute", [.int32(0)], "T", "[false]"),
      ("route/strong", [.int32(1), .int32(2)], "ii", "[1,2]"),
      ("route/strong", [.int32(3)], "i", "[3]"), ("analogsync", [.int32(24)], "s", "[\"24\"]"),
      ("subdivision", [.float(3)], "i", "[3]"), ("volume", [.float(0.5)], "f", "[0.5]"),
      ("position", [.int32(4), .int32(1)], "ii", "[4,1]"),
    ] as [(String, [OSCValue], String, String)])
  func `a value has the types of its description`(
    path: String, values: [OSCValue], type: String, value: String
  ) {
    let tree = OSCAddressTree { $0 == "/tactus/\(path)" ? values : nil }
    let body = QueryAnswer(path: "/tactus/\(path)", query: "", tree: tree, host: host).body
    #expect(body.contains("\"TYPE\":\"\(type)\"") && body.contains("\"VALUE\":\(value)"), "\(body)")
    // What listeners get by WebSocket is the same; T and F are tags of their own.
    let message = WebServer.frame("/tactus/\(path)", values).flatMap {
      try? OSCPacketReader.packet($0.span).messages.first?.message
    }
    let json = "[\(message?.arguments.map(JSONText.value).joined(separator: ",") ?? "")]"
    #expect(json == value)
  }

  @Test func `a node says where it is, what it takes, its range, unit and description`() {
    let body = answer("/tactus/tempo").body
    for part in [
      "\"FULL_PATH\":\"/tactus/tempo\"", "\"TYPE\":\"f\"", "\"MIN\":5,\"MAX\":999",
      "\"UNIT\":", "\"DESCRIPTION\":", "\"ACCESS\":3",
    ] {
      #expect(body.contains(part), "\(part)")
    }
  }

  @Test func `only this machine's own names and addresses are answered`() {
    let access = QueryAccess(hostname: "stage.example")
    for host in ["localhost:8080", "stage", "stage.local:1", "STAGE.example", "10.0.0.5:8080"] {
      #expect(access.allows(host: host, origin: nil, ownAddress: "10.0.0.5"), "\(host)")
    }
    for host in ["", "evil.example", "10.0.0.6", "localhost.evil.example"] {
      #expect(!access.allows(host: host, origin: nil, ownAddress: "10.0.0.5"), "\(host)")
    }
    #expect(access.allows(host: "[fe80::1]:80", origin: nil, ownAddress: "fe80::1"))
  }

  @Test func `a page from elsewhere is refused by its origin`() {
    let access = QueryAccess(hostname: "stage")
    #expect(access.allows(host: "stage", origin: "http://stage:8080", ownAddress: "10.0.0.5"))
    for origin in ["http://evil.example", "null", "file://"] {
      #expect(!access.allows(host: "stage", origin: origin, ownAddress: "10.0.0.5"), "\(origin)")
    }
  }

  @Test func `a web socket's text is LISTEN, IGNORE or nothing`() {
    #expect(
      ListenCommand("{\"COMMAND\":\"LISTEN\",\"DATA\":\"/tactus/tempo\"}")
        == .listen("/tactus/tempo"))
    #expect(
      ListenCommand("{ \"DATA\" : \"/a\" , \"COMMAND\" : \"IGNORE\" }") == .ignore("/a"))
    for text in [
      "", "{}", "LISTEN", "{\"COMMAND\":\"LISTEN\"}", "{\"COMMAND\":\"QUIT\",\"DATA\":\"/a\"}",
      "{\"COMMAND\":\"LISTEN\",\"DATA\":\"a\"}", String(repeating: "\"", count: 70_000),
    ] {
      #expect(ListenCommand(text) == nil)
    }
  }
}
