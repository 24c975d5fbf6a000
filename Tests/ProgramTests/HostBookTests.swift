import MusicalTime
import OSCWire
import Testing

@testable import TactusDaemon

@Suite struct HostBookTests {
  let lamp = HostName(host: "lamp.example", port: 9_000)
  let number = HostName(host: "192.0.2.7", port: 9_000)

  func at(_ seconds: Double) -> MonotonicTime {
    MonotonicTime(nanoseconds: Int64(seconds * 1e9))
  }

  func address(_ text: String) throws -> SocketAddress {
    try #require(SocketAddress(numeric: text, port: 9_000))
  }

  @Test func `a number is known at once and nobody is asked for it`() throws {
    var book = HostBook()
    book.need([number], now: at(0))
    #expect(book.address(of: number) == (try address("192.0.2.7")))
    #expect(book.takeDue(at(1_000)).isEmpty)
    #expect(book.nextDeadline == nil)
  }

  @Test func `an unknown host is reported once and tried again after 1, 2, 4 and up to 60 seconds`()
  {
    var book = HostBook()
    book.need([lamp], now: at(0))
    var now = 0.0
    // Each delay is twice the one before, and never over a minute.
    for (index, delay) in [1.0, 2, 4, 8, 16, 32, 60, 60].enumerated() {
      #expect(book.takeDue(at(now)) == [lamp])
      // It is being asked for: not a second time.
      #expect(book.takeDue(at(now + 1_000)).isEmpty)
      #expect(book.nextDeadline == nil)
      let news = book.take(lamp, nil, now: at(now))
      #expect(news == (index == 0 ? .unknown(lamp) : nil))
      #expect(book.takeDue(at(now + delay - 0.001)).isEmpty)
      now += delay
    }
  }

  @Test func `a host that is found is looked up again each minute and followed where it goes`()
    throws
  {
    var book = HostBook()
    book.need([lamp], now: at(0))
    _ = book.takeDue(at(0))
    let first = try address("192.0.2.1")
    #expect(book.take(lamp, first, now: at(0)) == .found(lamp, first))
    #expect(book.takeDue(at(59)).isEmpty)
    #expect(book.takeDue(at(60)) == [lamp])
    #expect(book.take(lamp, first, now: at(60)) == nil)
    _ = book.takeDue(at(120))
    // A name server that is away does not make the lamp unknown.
    #expect(book.take(lamp, nil, now: at(120)) == nil)
    #expect(book.address(of: lamp) == first)
    #expect(book.takeDue(at(121)) == [lamp])
    let second = try address("192.0.2.2")
    #expect(book.take(lamp, second, now: at(121)) == .moved(lamp, second))
    #expect(book.address(of: lamp) == second)
  }

  @Test func `what nobody needs any more is forgotten, also while it is asked for`() throws {
    var book = HostBook()
    book.need([lamp, number], now: at(0))
    _ = book.takeDue(at(0))
    book.need([number], now: at(1))
    #expect(book.take(lamp, try address("192.0.2.1"), now: at(2)) == nil)
    #expect(book.address(of: lamp) == nil)
    #expect(book.nextDeadline == nil)
  }
}
