import RealtimeHost
import Synchronization
import Testing

/// A door behind which a job waits until a test opens it.
private final class Door: Sendable {
  private let wakeUp = WakeUp()
  func open() { wakeUp.signal() }
  func pass() { wakeUp.wait() }
}

@Suite struct WorkerLaws {
  @Test("what jobs come to is taken in their order")
  func order() {
    let news = WakeUp()
    let worker = Worker<Int>(name: "law", capacity: 8, news: news)
    for number in 0..<8 { #expect(worker.submit { number * number }) }
    var taken: [Int] = []
    while taken.count < 8 {
      if let outcome = worker.take() { taken.append(outcome) } else { news.wait() }
    }
    #expect(taken == [0, 1, 4, 9, 16, 25, 36, 49])
    worker.end()
  }

  @Test("behind a job that hangs the owner goes on; more than the bound is refused and counted")
  func hung() {
    let news = WakeUp()
    let door = Door()
    let worker = Worker<Int>(name: "law", capacity: 4, news: news)
    for number in 0..<4 {
      #expect(
        worker.submit {
          door.pass()
          return number
        })
    }
    for _ in 0..<3 { #expect(!worker.submit { 9 }) }
    #expect(worker.refused == 3)
    #expect(worker.pending == 4)
    #expect(worker.take() == nil)
    // What is done makes room only once it has been taken.
    door.open()
    news.wait()
    #expect(!worker.submit { 9 })
    #expect(worker.take() == 0)
    #expect(worker.submit { 4 })
    for _ in 0..<3 {
      door.open()
      news.wait()
    }
    var rest: [Int] = []
    while rest.count < 4 {
      if let outcome = worker.take() { rest.append(outcome) } else { news.wait() }
    }
    #expect(rest == [1, 2, 3, 4])
    worker.end()
  }

  @Test("what was never taken is freed with the worker")
  func freed() {
    final class Counted: Sendable {
      static let alive = Atomic<Int>(0)
      init() { Counted.alive.wrappingAdd(1, ordering: .relaxed) }
      deinit { Counted.alive.wrappingSubtract(1, ordering: .relaxed) }
    }
    do {
      let news = WakeUp()
      let worker = Worker<Counted>(name: "law", capacity: 4, news: news)
      #expect(worker.submit { Counted() })
      news.wait()
      worker.end()
    }
    let alive = Counted.alive.load(ordering: .relaxed)
    #expect(alive == 0)
  }
}
