internal import CLinux
internal import WebPage

/// What goes out to an HTTP request.
///
/// - Thread: any
struct WebAnswer {
  var status: Int
  var type = "application/json"
  var headers: [(name: String, value: String)] = [
    ("cache-control:", "no-store"), ("x-content-type-options:", "nosniff"), ("vary:", "Accept"),
  ]
  var body: [UInt8] = []

  init(status: Int, json: String = "") {
    self.status = status
    body = Array(json.utf8)
  }

  /// The page, which runs the scripts and styles that it carries itself and nothing else.
  ///
  /// - Parameter host: the Host header, already known to be this machine's.
  static func page(host: String) -> WebAnswer {
    var answer = WebAnswer(status: 200)
    let nonce = nonce()
    answer.type = "text/html; charset=utf-8"
    answer.body = body(nonce: nonce)
    answer.headers += [
      ("content-security-policy:", policy(nonce: nonce, host: host)),
      ("referrer-policy:", "no-referrer"), ("x-frame-options:", "DENY"),
      ("cross-origin-resource-policy:", "same-origin"),
    ]
    return answer
  }

  /// Older Safari does not count a WebSocket of the same host as 'self', so it is named.
  static func policy(nonce: String, host: String) -> String {
    let isPlain = host.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: ":"),
        UInt8(ascii: "-"), UInt8(ascii: "["), UInt8(ascii: "]"):
        true
      default: false
      }
    }
    let socket = isPlain && !host.isEmpty ? " ws://\(host)" : ""
    return "default-src 'none'; script-src 'nonce-\(nonce)'; style-src 'nonce-\(nonce)'; "
      + "connect-src 'self'\(socket); img-src data:; media-src data:; base-uri 'none'; "
      + "form-action 'none'; frame-ancestors 'none'"
  }

  /// Stands in the page wherever the nonce goes.
  static let mark = Array("NONCE-OF-THIS-ANSWER-00000000000".utf8)

  private static func body(nonce: String) -> [UInt8] {
    var page = WebPage.bytes
    let fill = Array(nonce.utf8)
    var index = 0
    // The marks stand in the head and before the script: the first byte tells most places apart.
    while index + mark.count <= page.count {
      if page[index] == mark[0], page[index..<index + mark.count].elementsEqual(mark) {
        page.replaceSubrange(index..<index + mark.count, with: fill)
        index += mark.count
      } else {
        index += 1
      }
    }
    return page
  }

  /// 128 bits that nobody can guess, in as many characters as the mark has.
  private static func nonce() -> String {
    var text = ""
    for _ in 0..<2 {
      let part = String(clinux_random(), radix: 16)
      text += String(repeating: "0", count: 16 - part.count) + part
    }
    return text
  }
}
