import Foundation
import BeatOutputs
import OSCWire
import Testing

@Suite struct DaemonProcessTests {
  @Test(arguments: [
    (["0"], ["'0'", "5 to 999"]),
    (["-3"], ["'-3'", "5 to 999"]),
    (["nan"], ["'nan'", "5 to 999"]),
    (["inf"], ["'inf'", "5 to 999"]),
    (["abc"], ["'abc'", "5 to 999"]),
    (["0x78"], ["'0x78'", "5 to 999"]),
    (["1000000000"], ["'1000000000'", "5 to 999"]),
    (["0/4", "120"], ["0 beats", "1 to 64"]),
    (["4/0", "120"], ["unit 0", "1, 2, 4, 8, 16 and 32"]),
    (["5/7", "120"], ["unit 7", "1, 2, 4, 8, 16 and 32"]),
    (["--devise", "x"], ["'--devise'", "--device"]),
    (["--osc-port", "70000"], ["'70000'", "0 to 65535"]),
    (["--rate", "12345"], ["'12345'", "44100"]),
    (["--allow", "10.0.0.0/99"], ["'10.0.0.0/99'", "192.168.1.0/24"]),
    (["--pattern", "Xx"], ["2 letters", "4 beats"]),
    (["--beat-lead", "99"], ["--beat-lead '99'", "100 to 2000"]),
    (["--beat-copies", "6"], ["--beat-copies '6'", "1 to 5"]),
    (["--beat-target", "lamp,gate"], ["'lamp,gate'", "HOST:PORT"]),
    (["--feedback", "tablet"], ["'tablet'", "HOST:PORT"]),
    (["--beat-target", "127.0.0.1:9,flash"], ["'flash'", "gate, phase, beats"]),
    (["--midi-port", "A,offset=900"], ["'900'", "-300 to 500"]),
    (["--midi-port", "Clock"], ["'Clock'", "twice"]),
  ])
  func `a malformed option ends with status 2 and names the value and what is allowed`(
    arguments: [String], words: [String]
  ) throws {
    let daemon = try DaemonProcess(arguments)
    let text = daemon.errorText()
    #expect(daemon.waitForExit() == 2)
    for word in words { #expect(text.contains(word), "\(text)") }
  }

  @Test func `a second daemon on the same port ends with status 3 and names the first`() throws {
    let first = try DaemonProcess.ready()
    let second = try DaemonProcess(
      ["--device", "none", "--no-midi", "--osc-port", "\(first.port)"])
    let text = second.errorText()
    #expect(second.waitForExit() == 3)
    #expect(text.contains("\(first.port)") && text.contains("another tactusd"), "\(text)")
    #expect(try first.ask(OSCMessage("/tactus/tempo")).first?.arguments.first == .float(120))
  }

  @Test func `position is where locate went`() throws {
    let daemon = try DaemonProcess.ready([])
    _ = try daemon.ask(OSCMessage("/tactus/locate", .int32(3), .int32(2)))
    let answers = try daemon.ask(OSCMessage("/tactus/position"))
    let place = answers.first { $0.address == "/tactus/position" }
    #expect(place?.arguments == [.int32(3), .int32(2)])
  }

  @Test(arguments: [SIGTERM, SIGINT])
  func `a signal ends a playing daemon with status 0`(signal: Int32) throws {
    let daemon = try DaemonProcess.ready(["3/4", "200"])
    #expect(try daemon.ask(OSCMessage("/tactus/meter")).first?.arguments == [.string("3/4")])
    #expect(daemon.end(by: signal) == 0)
  }

  @Test func `quit from this machine ends it with status 0`() throws {
    let daemon = try DaemonProcess.ready()
    daemon.send(OSCMessage("/tactus/quit"))
    #expect(daemon.waitForExit() == 0)
  }

  @Test func `bad values are refused with their range and change nothing that runs`() throws {
    let daemon = try DaemonProcess.ready(["120"])
    let bad: [(OSCMessage, String)] = [
      (OSCMessage("/tactus/tempo", .float(0)), "5 to 999"),
      (OSCMessage("/tactus/tempo", .float(-1)), "5 to 999"),
      (OSCMessage("/tactus/tempo", .float(.nan)), "5 to 999"),
      (OSCMessage("/tactus/tempo", .float(.infinity)), "5 to 999"),
      (OSCMessage("/tactus/tempo", .string("abc")), "abc"),
      (OSCMessage("/tactus/tempo", .double(1e9)), "5 to 999"),
      (OSCMessage("/tactus/meter", .string("0/4")), "1 to 64"),
      (OSCMessage("/tactus/meter", .string("4/0")), "1, 2, 4, 8, 16 and 32"),
      (OSCMessage("/tactus/meter", .string("5/7")), "1, 2, 4, 8, 16 and 32"),
      (OSCMessage("/tactus/pattern", .string("Xx")), "4 beats"),
    ]
    for (message, word) in bad {
      let answers = try daemon.ask(message)
      #expect(answers.map(\.address) == ["/tactus/error"], "\(message)")
      #expect(answers.first?.arguments.last?.text?.contains(word) == true, "\(answers)")
    }
    #expect(try daemon.ask(OSCMessage("/tactus/tempo")).first?.arguments.first == .float(120))
    #expect(try daemon.ask(OSCMessage("/tactus/meter")).first?.arguments.first == .string("4/4"))
    #expect(
      try daemon.ask(OSCMessage("/tactus/transport")).first?.arguments.first == .string("rolling"))
  }

  @Test func `malformed packets are survived and counted`() throws {
    let daemon = try DaemonProcess.ready(["120"])
    let zeros = [UInt8](repeating: 0, count: 8)
    let hostile: [[UInt8]] = [
      [], [0x2F], Array("#bundle".utf8) + [0] + zeros + [0xFF, 0xFF, 0xFF, 0xFF],
      Array("/abc".utf8), Array("/tactus/tempo\0\0\0,q\0\0".utf8),
      Array("/tactus/tempo\0\0\0,b\0\0".utf8) + [0x7F, 0xFF, 0xFF, 0xFF],
      [UInt8](repeating: 0x41, count: 60_000),
    ]
    for bytes in hostile { daemon.send(bytes) }
    let stats = try daemon.ask(OSCMessage("/tactus/stats"))
    let malformed = stats.first { $0.address == "/tactus/stats/osc/malformed" }
    // The empty datagram is one more or is not counted, as the kernel hands it over.
    guard case .int64(let count)? = malformed?.arguments.first else {
      Issue.record("no count in \(stats)")
      return
    }
    #expect(count >= 5)
  }

  @Test func `a fractional tempo comes back as it was given`() throws {
    let daemon = try DaemonProcess.ready(["120"])
    for value in [120.5, 99.95, 113.125] as [Float] {
      // The engine's answer comes when it has taken the command: before or after the pong.
      let answers = try daemon.ask(OSCMessage("/tactus/tempo", .float(value)))
      #expect(!answers.contains { $0.address == "/tactus/error" })
      let reported = try daemon.ask(OSCMessage("/tactus/tempo"))
      #expect(
        reported.first { $0.address == "/tactus/tempo" }?.arguments.first == .float(value))
    }
  }

  @Test func `an accepted start is answered with the instant at which it is heard`() throws {
    let daemon = try DaemonProcess.ready()
    daemon.send(OSCMessage("/tactus/start"))
    let answer = try daemon.receive().first
    #expect(answer?.address == "/tactus/effective")
    #expect(answer?.arguments.first == .string("/tactus/start"))
    #expect(answer?.arguments.last?.tag == "t")
  }

  @Test func `a preset's lamps are reported beside those of the command line`() throws {
    let lamp = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    defer { close(lamp) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(lamp, $0, length) == 0 && getsockname(lamp, $0, &length) == 0
      }
    }
    try #require(isBound)
    let port = UInt16(bigEndian: address.sin_port)
    // A lamp that is never told ends the test after ten seconds without one.
    var limit = timeval(tv_sec: 10, tv_usec: 0)
    setsockopt(lamp, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    try CommandRun.withFolder { folder in
      let presets = folder + "/presets"
      try FileManager.default.createDirectory(
        atPath: presets, withIntermediateDirectories: true)
      try """
      {"beats": [{"host": "127.0.0.1", "port": \(port), "profile": "gate", "address": "/preset"}]}
      """.write(toFile: presets + "/lamps.json", atomically: true, encoding: .utf8)
      let daemon = try DaemonProcess.ready([
        "240", "--folder", folder, "--preset", "lamps",
        "--beat-target", "127.0.0.1:\(port),gate,/typed",
      ])
      var reported: Set<String> = []
      var bytes = [UInt8](repeating: 0, count: 512)
      // At 240 a minute and two messages a beat: within the first hundred both have come.
      for _ in 0..<100 where reported.count < 2 {
        let count = recv(lamp, &bytes, bytes.count, 0)
        guard count > 0 else { break }
        reported.insert(String(decoding: bytes.prefix(count).prefix { $0 != 0 }, as: UTF8.self))
      }
      #expect(reported == ["/preset", "/typed"])
      #expect(daemon.end(by: SIGTERM) == 0)
    }
  }
}
