internal import CLinux
public import CommandLineOptions
internal import Glibc
internal import MusicalTime
internal import OSCProtocol
internal import OSCWire
internal import RealtimeHost

/// `tactus-discovery`: lets apps find the daemon and its addresses without typing.
///
/// A process of its own, so that neither a web request nor a name lookup can ever touch the
/// daemon's threads or its memory.
///
/// - Thread: the process's only one
public enum DiscoveryProgram {
  public static let parser = OptionParser(
    command: "tactus-discovery",
    summary: "Serve OSCQuery over HTTP and WebSocket, and announce the daemon on the network.",
    usage: "[OPTIONS]",
    options: [
      .value("osc-port", "PORT", "The daemon's OSC port on this machine; 9700 unless given."),
      .value("port", "PORT", "HTTP and WebSocket port; 0 for any free one, which is the default."),
      .value(
        "allow", "CIDR", "A network that may ask, besides the attached ones.", repeatable: true),
      .flag("no-announce", "Do not announce on the network."),
      .flag("no-query", "Do not serve OSCQuery."),
      .flag(
        "browse",
        "Only look for daemons on the network and write what is seen, a line each, while read."),
    ],
    exitCodes: [
      ExitCode(0, "Ended by a signal, or with the daemon."),
      ExitCode(1, "The port is taken, or the network library failed."),
      ExitCode(2, "An argument or option is malformed, unknown or out of range."),
    ])

  /// - Returns: the exit status.
  public static func main(_ arguments: [String]) -> Int32 {
    do throws(OptionError) {
      let parsed = try parser.parse(arguments)
      if parsed.has("help") {
        print(parser.helpText(width: Int(clinux_terminal_columns(1))), terminator: "")
        return 0
      }
      if parsed.has("version") {
        print("tactus-discovery \(ProgramVersion.text)")
        return 0
      }
      return try parsed.has("browse") ? browse() : run(parsed)
    } catch {
      complain("\(error)")
      return 2
    }
  }

  private static func run(_ parsed: ParsedOptions) throws(OptionError) -> Int32 {
    let oscPort = try parsed.integer("osc-port", in: 1...65_535) ?? 9_700
    let webPort = try parsed.integer("port", in: 0...65_535) ?? 0
    var networks: [AddressNetwork] = []
    for text in parsed.values("allow") {
      guard let network = AddressNetwork(text) else {
        throw .value("--allow", given: text, allowed: "a network such as 192.168.1.0/24")
      }
      networks.append(network)
    }
    // Everything here may wait; the metronome may not.
    _ = nice(10)
    let signals = clinux_signal_descriptor()
    let mirror: DaemonMirror
    do throws(OSCClient.Failure) {
      mirror = DaemonMirror(
        client: try OSCClient(peer: .loopback(port: UInt16(clamping: oscPort))))
    } catch {
      complain("\(error)")
      return 1
    }
    mirror.renew()
    guard
      let server = QueryServer(
        port: parsed.has("no-query") ? 0 : webPort, mirror: mirror, hostname: hostname(),
        oscPort: oscPort, network: NetworkAccess(allow: networks), say: complain)
    else {
      complain("port \(webPort) cannot be opened: choose another with --port, or 0 for any")
      return 1
    }
    let query = server.host.webPort
    if !parsed.has("no-query") { print("OSCQuery on port \(query)") }
    fflush(nil)
    let announcer =
      parsed.has("no-announce")
      ? nil
      : ServiceAnnouncer(name: "Tactus", oscPort: oscPort, webPort: query, say: complain)
    announcer?.start()
    let parent = getppid()
    var renewAt = MonotonicClock.now()
    server.run {
      announcer?.service()
      let now = MonotonicClock.now()
      if now >= renewAt {
        mirror.renew()
        renewAt = now.advanced(byNanoseconds: 20_000_000_000)
      }
      // A process whose parent ended has another one: there is nothing left to be found.
      return clinux_signal_next(signals) == 0 && (parent == 1 || getppid() == parent)
    }
    return 0
  }

  /// For a companion: it reads what is written here, and there is an end of it with the reader.
  private static func browse() -> Int32 {
    let signals = clinux_signal_descriptor()
    let browser = ServiceBrowser { sighting in
      var line = "\(sighting.line)\n"
      line.withUTF8 { bytes in _ = unsafe write(1, bytes.baseAddress, bytes.count) }
    }
    guard let browser else {
      complain("the network library gives no loop: memory may be short")
      return 1
    }
    browser.start()
    var retryAt = MonotonicClock.now()
    while clinux_signal_next(signals) == 0 {
      var reader = clinux_poll(descriptor: 1, wanted: 0, came: 0)
      // 8 is an error: nobody reads any more.
      guard unsafe clinux_wait(&reader, 1, 0) <= 0 || reader.came & 8 == 0 else { break }
      browser.service(milliseconds: 200)
      let now = MonotonicClock.now()
      if browser.isLost, now >= retryAt {
        retryAt = now.advanced(byNanoseconds: 5_000_000_000)
        browser.start()
      }
    }
    return 0
  }

  private static func hostname() -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard unsafe gethostname(&buffer, buffer.count - 1) == 0 else { return "localhost" }
    let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func complain(_ text: String) {
    var line = "tactus-discovery: \(text)\n"
    line.withUTF8 { bytes in _ = unsafe write(2, bytes.baseAddress, bytes.count) }
  }
}
