import MusicalTime
import Synchronization
import Testing

@testable import TactusDaemon

@Suite("systemd is told what is true")
struct ServiceManagerTests {
  private final class Sent: Sendable {
    private let texts = Mutex<[String]>([])
    var all: [String] { texts.withLock { $0 } }
    func add(_ text: String) { texts.withLock { $0.append(text) } }
  }

  private func manager(_ environment: [String: String], _ sent: Sent) -> ServiceManager {
    ServiceManager(process: 7, environment: { environment[$0] }) { sent.add("\($0) \($1)") }
  }

  private func at(_ milliseconds: Int64) -> MonotonicTime {
    MonotonicTime(nanoseconds: milliseconds * 1_000_000)
  }

  @Test("the watchdog is fed three times within its limit, but only while periods are done")
  func watchdog() {
    let sent = Sent()
    var manager = manager(["NOTIFY_SOCKET": "/run/x", "WATCHDOG_USEC": "1500000"], sent)
    // 1500 ms by 3.
    #expect(manager.interval == 500_000_000)
    manager.service(now: at(0), count: 1)
    manager.service(now: at(499), count: 90)
    #expect(sent.all == ["/run/x WATCHDOG=1"])
    manager.service(now: at(500), count: 90)
    #expect(sent.all.count == 2)
    // The audio thread hangs: nothing is fed, however long the control thread lives.
    for time in stride(from: Int64(1_000), to: 60_000, by: 100) {
      manager.service(now: at(time), count: 90)
    }
    #expect(sent.all.count == 2)
    manager.service(now: at(60_000), count: 91)
    #expect(sent.all.count == 3)
  }

  @Test("a watchdog of another process, or of nobody, is not fed")
  func others() {
    let sent = Sent()
    for environment in [
      ["NOTIFY_SOCKET": "/run/x", "WATCHDOG_USEC": "1500000", "WATCHDOG_PID": "8"],
      ["WATCHDOG_USEC": "1500000"], ["NOTIFY_SOCKET": "/run/x"],
      ["NOTIFY_SOCKET": "/run/x", "WATCHDOG_USEC": "9223372036854775807"],
    ] {
      var manager = manager(environment, sent)
      manager.service(now: at(1), count: 1)
    }
    #expect(sent.all.isEmpty)
  }

  @Test("ready, status and stopping are lines of the protocol")
  func lines() {
    let sent = Sent()
    let manager = manager(["NOTIFY_SOCKET": "@abstract"], sent)
    manager.ready()
    manager.status("one\nREADY=0")
    manager.stopping()
    #expect(
      sent.all == ["@abstract READY=1", "@abstract STATUS=one READY=0", "@abstract STOPPING=1"])
    ServiceManager(process: 7, environment: { _ in nil }) { _, _ in sent.add("no") }.ready()
    #expect(sent.all.count == 3)
  }
}
