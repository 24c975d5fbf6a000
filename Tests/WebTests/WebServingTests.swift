import Foundation
import Testing

@testable import OSCProtocol
@testable import OSCWire
@testable import Web
@testable import WebPage

@Suite struct WebServingTests {
  /// The Accept headers of Chromium, Firefox and Safari, of OSCQuery clients and of nobody.
  @Test(arguments: [
    ("text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8", true),
    ("text/html", true), ("TEXT/HTML ; q=0.5", true), ("application/json", false), ("*/*", false),
    ("", false), ("application/json, text/html;q=0.9", false), ("text/html;q=0", false),
    ("text/html, application/json;q=0.9", true),
  ])
  func `only who prefers HTML gets the page`(accept: String, isPage: Bool) {
    #expect(AcceptHeader.prefersHTML(accept) == isPage)
  }

  @Test func `the page runs its own scripts only, by a number that nobody can guess`() {
    let first = WebAnswer.page(host: "stage.local:9780")
    let second = WebAnswer.page(host: "stage.local:9780")
    let policy = first.headers.first { $0.name == "content-security-policy:" }?.value ?? ""
    #expect(policy.hasPrefix("default-src 'none'; script-src 'nonce-"))
    #expect(!policy.contains("unsafe"))
    #expect(policy.contains("ws://stage.local:9780"))
    #expect(first.body != second.body)
    let text = String(decoding: first.body, as: UTF8.self)
    #expect(!text.contains(String(decoding: WebAnswer.mark, as: UTF8.self)))
    // 32 hexadecimal digits, the same in the header, the style and the script.
    let nonce = policy.split(separator: "'")[3].dropFirst("nonce-".count)
    #expect(nonce.count == 32)
    #expect(text.components(separatedBy: "nonce=\"\(nonce)\"").count == 3)
  }

  @Test func `a Host header cannot write into the policy`() {
    let policy = WebAnswer.policy(nonce: "0", host: "x; script-src *")
    #expect(!policy.contains("*"))
  }

  @Test func `the page is one small file that asks for nothing outside`() {
    let bytes = WebPage.bytes
    #expect(bytes.count <= 80_000)
    let text = String(decoding: bytes, as: UTF8.self)
    // Namespaces of SVG are names, not addresses.
    let addresses = text.replacingOccurrences(of: "http://www.w3.org/2000/svg", with: "")
    #expect(!addresses.contains("http://") && !addresses.contains("https://"))
    #expect(!addresses.contains("@import") && !addresses.contains("innerHTML"))
    // What a browser of 2019 does not know.
    for new in ["?.", "??", "replaceChildren", "BigInt", " static ", "#private"] {
      #expect(!text.contains(new), "\(new)")
    }
  }

  @Test func `both languages have every text`() throws {
    let text = String(decoding: WebPage.bytes, as: UTF8.self)
    let table = try #require(
      text.components(separatedBy: "const TEXTS = {").last?
        .components(separatedBy: "\n};").first)
    let languages = table.components(separatedBy: "\n  },")
    #expect(languages.count == 2)
    let keys = languages.map { language in
      // A key follows an opening brace, a comma or a new line, and a colon follows it.
      Set(
        language.matches(of: /[{,\n]\s*"?([A-Za-z0-9\/.]+)"?: "/).map { String($0.output.1) })
    }
    #expect(keys[0].count > 100)
    #expect(keys[0].symmetricDifference(keys[1]).isEmpty)
  }

  @Test func `a client that does not read is given up, and holds no more than its bound`() {
    let session = WebSession(host: "192.0.2.1", isLocal: false, number: 1)
    // 1 KB messages: the 257th passes 262144 bytes, and what comes after is not kept.
    for _ in 0..<256 { session.queue([UInt8](repeating: 0, count: 1_024)) }
    #expect(!session.isOverfull)
    for _ in 0..<1_000 { session.queue([UInt8](repeating: 0, count: 1_024)) }
    #expect(session.isOverfull)
    var count = 0
    while session.nextFrame() != nil { count += 1 }
    #expect(count == 257)
  }

  @Test func `a message of 64 KB is taken and of one byte more is not`() {
    let session = WebSession(host: "192.0.2.1", isLocal: false, number: 1)
    let half = [UInt8](repeating: 7, count: 32_768)
    func take(_ bytes: [UInt8], isLast: Bool) -> WebSession.Piece {
      bytes.withUnsafeBytes { session.take($0, isLast: isLast) }
    }
    #expect(take(half, isLast: false) == .more)
    #expect(take(half, isLast: true) == .whole(half + half))
    #expect(take(half, isLast: false) == .more)
    #expect(take(half, isLast: false) == .more)
    #expect(take([0], isLast: true) == .tooLong)
  }
}
