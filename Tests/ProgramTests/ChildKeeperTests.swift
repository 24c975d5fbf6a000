import CLinux
import Glibc
import MusicalTime
import Testing

@testable import TactusDaemon

@Suite struct ChildKeeperTests {
  func at(_ seconds: Double) -> MonotonicTime {
    MonotonicTime(nanoseconds: Int64(seconds * 1e9))
  }

  @Test func `a program that cannot be started is tried again after 1, 2, 4 and up to 60 seconds`()
  {
    var keeper = ChildKeeper(arguments: ["/nosuch"], now: at(0))
    var now = 0.0
    for delay in [1.0, 2, 4, 8, 16, 32, 60, 60] {
      let isDue = keeper.takeStart(at(now))
      #expect(isDue)
      // It is being started: not a second time.
      let isDueAgain = keeper.takeStart(at(now + 1_000))
      #expect(!isDueAgain)
      let problem = keeper.hasStarted(
        ChildKeeper.Started(process: -ENOENT, descriptor: -1), now: at(now))
      #expect(problem?.contains("errno 2") == true)
      let isEarly = keeper.takeStart(at(now + delay - 0.001))
      #expect(!isEarly)
      now += delay
    }
  }

  @Test func `a program that ends is reaped with its status and started again`() throws {
    var keeper = ChildKeeper(arguments: ["sh", "-c", "exit 7"], now: at(0))
    _ = keeper.takeStart(at(0))
    let started = ChildKeeper.start(keeper.arguments)
    try #require(started.process > 0 && started.descriptor >= 0)
    let problem = keeper.hasStarted(started, now: at(0))
    #expect(problem == nil)
    // Readable once it has ended.
    var end = pollfd(fd: keeper.descriptor, events: Int16(POLLIN), revents: 0)
    try #require(poll(&end, 1, 20_000) == 1)
    let taken = keeper.takeEnd()
    let (process, descriptor) = try #require(taken)
    #expect(ChildKeeper.reap(process, descriptor) == 7)
    // Nothing is left of it, not even for somebody to wait for.
    #expect(kill(process, 0) == -1 && errno == ESRCH)
    #expect(keeper.hasEnded(status: 7, now: at(5)).contains("ended with 7"))
    #expect(keeper.startAt == at(6))
    // One that lived for a minute is started again after a second.
    _ = keeper.takeStart(at(6))
    _ = keeper.hasStarted(started, now: at(6))
    _ = keeper.hasEnded(status: 0, now: at(66))
    #expect(keeper.startAt == at(67))
  }
}
