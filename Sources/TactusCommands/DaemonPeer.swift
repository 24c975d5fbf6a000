import CommandLineOptions
import MetronomeModel
import OSCProtocol
import OSCWire

/// The daemon that a command speaks to.
enum DaemonPeer {
  static let hostOption = OptionDeclaration.value(
    "host", "HOST[:PORT]",
    "The daemon; this machine, port \(Limits.oscPort), unless given here or in TACTUS_HOST.")
  static let timeoutOption = OptionDeclaration.value(
    "timeout", "MS", "Longest wait for an answer, 10 to 60000; 1000 unless given.")

  static func client(_ parsed: ParsedOptions) throws(CommandFailure) -> OSCClient {
    let text = parsed.value("host") ?? Console.environment("TACTUS_HOST") ?? "127.0.0.1"
    guard let peer = SocketAddress(resolving: text, defaultPort: Limits.oscPort) else {
      throw CommandFailure(
        .misused,
        "--host '\(OptionError.excerpt(text))' cannot be found: write HOST, HOST:PORT or [IPv6]:PORT"
      )
    }
    do throws(OSCClient.Failure) { return try OSCClient(peer: peer) } catch {
      throw failure(error)
    }
  }

  static func timeout(_ parsed: ParsedOptions) throws(CommandFailure) -> Int64 {
    do throws(OptionError) {
      return Int64(try parsed.integer("timeout", in: 10...60_000, unit: "ms") ?? 1_000)
    } catch { throw CommandFailure(error) }
  }

  static func failure(_ error: OSCClient.Failure) -> CommandFailure {
    switch error {
    case .unknownHost: CommandFailure(.misused, error.description)
    case .socket: CommandFailure(.failed, error.description)
    case .refused, .noAnswer: CommandFailure(.noAnswer, error.description)
    }
  }
}
