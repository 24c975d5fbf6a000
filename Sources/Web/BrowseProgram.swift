internal import CLinux
internal import Glibc
internal import OSCProtocol
internal import OSCWire
internal import RealtimeHost

/// `tactus-web --browse`: for a companion, which reads what is written here.
///
/// - Thread: the process's first one waits for the end, another for what is seen
enum BrowseProgram {
  static func run() -> Int32 {
    let signals = clinux_signal_descriptor()
    do throws(RealtimeThread.Failure) {
      _ = try RealtimeThread.start(name: "browser", priority: nil) { browse() }
    } catch {
      WebProgram.complain("\(error)")
      return 1
    }
    // Nothing is wanted of the reader but to hear of its end, which is told unasked.
    var waits = [
      clinux_poll(descriptor: signals, wanted: 1, came: 0),
      clinux_poll(descriptor: 1, wanted: 0, came: 0),
    ]
    while unsafe clinux_wait(&waits, 2, -1) == 0 {}
    return 0
  }

  private static func browse() {
    let browser = ServiceBrowser { sighting in
      var line = "\(sighting.line)\n"
      line.withUTF8 { bytes in _ = unsafe write(1, bytes.baseAddress, bytes.count) }
    }
    guard let browser else {
      WebProgram.complain("the network library gives no loop: memory may be short")
      exit(1)
    }
    browser.start()
    while true {
      browser.service(milliseconds: browser.isLost ? 5_000 : -1)
      if browser.isLost { browser.start() }
    }
  }
}
