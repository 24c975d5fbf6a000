internal import CLinux
internal import CommandLineOptions
internal import Glibc
internal import LinkSession
internal import OptionTables

/// `tactus-link`: the daemon's place in a session of Ableton Link.
///
/// A process of its own: the library brings threads, locks and exceptions that the daemon must not
/// have, and reads packets of anybody on the network. Where it ends, the music goes on.
///
/// - Thread: the process's first one
public enum LinkProgram {
  /// - Returns: the exit status.
  public static func main(_ arguments: [String]) -> Int32 {
    do throws(OptionError) {
      let parsed = try OptionParser.tactusLink.parse(arguments)
      if parsed.has("help") {
        print(
          OptionParser.tactusLink.helpText(width: Int(clinux_terminal_columns(1))), terminator: "")
        return 0
      }
      if parsed.has("version") {
        print("tactus-link \(ProgramVersion.text)")
        return 0
      }
    } catch {
      complain("\(error)")
      return 2
    }
    guard LinkChannel.isChannel(0) else {
      complain("it is started by tactusd and has no use by itself: try `tactusd 120 --link lead`")
      return 2
    }
    let signals = clinux_signal_descriptor()
    switch LinkLoop(channel: LinkChannel(descriptor: 0)).run(signals: signals) {
    case .daemonEnded: return 0
    case .libraryFailed:
      complain("Ableton's library cannot be used: memory or descriptors may be short")
      return 1
    }
  }

  private static func complain(_ text: String) {
    var line = "tactus-link: \(text)\n"
    line.withUTF8 { bytes in _ = unsafe write(2, bytes.baseAddress, bytes.count) }
  }
}
