internal import CLinux
internal import CommandLineOptions
internal import Glibc
internal import MetronomeModel
internal import OSCProtocol
internal import OSCWire
internal import OptionTables
internal import RealtimeHost

/// `tactus-web`: what the network sees of the daemon beside OSC: the page for browsers, OSCQuery
/// for apps, and its name in the room.
///
/// A process of its own, so that neither a web request nor a name lookup can ever touch the
/// daemon's threads or its memory.
///
/// - Thread: the process's first one
public enum WebProgram {
  /// - Returns: the exit status.
  public static func main(_ arguments: [String]) -> Int32 {
    do throws(OptionError) {
      let parsed = try OptionParser.tactusWeb.parse(arguments)
      if parsed.has("help") {
        print(
          OptionParser.tactusWeb.helpText(width: Int(clinux_terminal_columns(1))), terminator: "")
        return 0
      }
      if parsed.has("version") {
        print("tactus-web \(ProgramVersion.text)")
        return 0
      }
      return try parsed.has("browse") ? BrowseProgram.run() : run(parsed)
    } catch {
      complain("\(error)")
      return 2
    }
  }

  private static func run(_ parsed: ParsedOptions) throws(OptionError) -> Int32 {
    let oscPort = try parsed.integer("osc-port", in: 1...65_535) ?? 9_700
    let webPort = try parsed.integer("port", in: 0...65_535) ?? Limits.webPort
    var access = NetworkAccess(
      allow: try networks("allow", parsed), observe: try networks("observe", parsed),
      admin: try networks("admin", parsed))
    access.readInterfaces()
    // Everything here may wait; the metronome may not.
    _ = nice(10)
    clinux_one_malloc_arena()
    let signals = clinux_signal_descriptor()
    let parent = clinux_parent_descriptor()
    let client: OSCClient
    do throws(OSCClient.Failure) {
      client = try OSCClient(peer: .loopback(port: UInt16(clamping: oscPort)))
    } catch {
      complain("\(error)")
      return 1
    }
    guard !parsed.has("no-serve") else {
      if !parsed.has("no-announce") { announce(oscPort: oscPort, webPort: 0) }
      waitForTheEnd(signals, parent)
      return 0
    }
    func open(_ port: Int) -> WebServer? {
      WebServer(
        port: port, mirror: DaemonMirror(client: client), hostname: hostname(), oscPort: oscPort,
        network: access, say: complain)
    }
    var server = open(webPort)
    if server == nil, webPort > 0 {
      complain("port \(webPort) is taken: another free one is used; choose one with --web-port")
      server = open(0)
    }
    guard let server else {
      complain("no port can be opened for HTTP")
      return 1
    }
    let port = server.host.webPort
    let addresses = WebAddress.all(port: port, hostname: hostname())
    print("page at \(addresses.joined(separator: " or "))")
    fflush(nil)
    client.send([OSCMessage("/tactus/page", addresses.prefix(4).map { .string($0) })])
    if !parsed.has("no-announce") { announce(oscPort: oscPort, webPort: port) }
    server.watch(signals)
    server.watch(parent)
    server.run { hasEnded(signals, parent) }
    return 0
  }

  private static func networks(
    _ option: String, _ parsed: ParsedOptions
  ) throws(OptionError) -> [AddressNetwork] {
    var networks: [AddressNetwork] = []
    for text in parsed.values(option) {
      guard let network = AddressNetwork(text) else {
        throw .value("--\(option)", given: text, allowed: "a network such as 192.168.1.0/24")
      }
      networks.append(network)
    }
    return networks
  }

  /// On a thread of its own: the library for mDNS has its own way of waiting.
  private static func announce(oscPort: Int, webPort: Int) {
    do throws(RealtimeThread.Failure) {
      _ = try RealtimeThread.start(name: "announcer", priority: nil) {
        let announcer = ServiceAnnouncer(
          name: "Tactus", oscPort: oscPort, webPort: webPort, say: complain)
        guard let announcer else {
          complain("not announced on the network: memory may be short")
          return
        }
        announcer.run()
      }
    } catch {
      complain("not announced on the network: \(error)")
    }
  }

  /// A signal came, or the program that started this one has ended.
  private static func hasEnded(_ signals: Int32, _ parent: Int32) -> Bool {
    guard clinux_signal_next(signals) == 0 else { return true }
    guard parent >= 0 else { return false }
    var ended = clinux_poll(descriptor: parent, wanted: 1, came: 0)
    return unsafe clinux_wait(&ended, 1, 0) > 0
  }

  private static func waitForTheEnd(_ signals: Int32, _ parent: Int32) {
    repeat {
      var waits = [
        clinux_poll(descriptor: signals, wanted: 1, came: 0),
        clinux_poll(descriptor: parent, wanted: 1, came: 0),
      ]
      _ = unsafe clinux_wait(&waits, 2, -1)
    } while !hasEnded(signals, parent)
  }

  static func hostname() -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard unsafe gethostname(&buffer, buffer.count - 1) == 0 else { return "localhost" }
    let bytes = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Sendable static func complain(_ text: String) {
    var line = "tactus-web: \(text)\n"
    line.withUTF8 { bytes in _ = unsafe write(2, bytes.baseAddress, bytes.count) }
  }
}
