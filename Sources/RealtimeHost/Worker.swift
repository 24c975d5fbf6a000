internal import MusicalTime
internal import Synchronization
internal import ThreadCrossing

/// A thread of its own for what may block: files, name lookup, sounds, children, the terminal.
///
/// Jobs are done one after the other; what each comes to is taken in the same order. Both ways
/// are bounded: where `capacity` jobs are on their way, the next one is refused and counted. The
/// thread starts with the first job.
///
/// - Thread: all from the owner, which is woken by `news`; jobs run on the worker's thread.
public final class Worker<Outcome: Sendable> {
  public typealias Job = @Sendable () -> Outcome

  public let name: String
  public let capacity: Int
  /// Jobs that found no room, or no thread.
  public private(set) var refused = 0
  private var submitted = 0
  private var taken = 0
  private let desk: Desk
  private var thread: RealtimeThread?

  /// What both threads know.
  private final class Desk: Sendable {
    let jobs: ParcelQueue<Job>
    let outcomes: ParcelQueue<Outcome>
    let wakeUp = WakeUp()
    let news: WakeUp
    let isEnding = Atomic<Bool>(false)

    init(capacity: Int, news: WakeUp) {
      jobs = ParcelQueue(capacity: capacity)
      // As many as there are jobs on their way, so that no outcome ever finds it full.
      outcomes = ParcelQueue(capacity: capacity)
      self.news = news
    }

    func run() {
      while !isEnding.load(ordering: .acquiring) {
        guard let job = jobs.pop() else {
          wakeUp.wait()
          continue
        }
        let outcome = job()
        // There is room for as many as are on their way; were there none, the owner makes some.
        while !outcomes.push(outcome) {
          news.signal()
          MonotonicClock.sleep(until: MonotonicClock.now().advanced(byNanoseconds: 1_000_000))
        }
        news.signal()
      }
    }
  }

  /// - Parameters:
  ///   - name: of the thread, 15 bytes at most.
  ///   - capacity: jobs on their way at the most.
  ///   - news: signalled after each job.
  public init(name: String, capacity: Int, news: WakeUp) {
    self.name = name
    self.capacity = capacity
    desk = Desk(capacity: capacity, news: news)
  }

  /// Jobs that are not yet taken back by `take`.
  public var pending: Int { submitted - taken }

  /// - Returns: false, and counts, where too many jobs wait or the system gives no thread.
  public func submit(_ job: @escaping Job) -> Bool {
    guard pending < capacity, hasThread(), desk.jobs.push(job) else {
      refused += 1
      return false
    }
    submitted += 1
    desk.wakeUp.signal()
    return true
  }

  /// What the oldest finished job came to; nil where none has finished.
  public func take() -> Outcome? {
    guard let outcome = desk.outcomes.pop() else { return nil }
    taken += 1
    return outcome
  }

  /// Ends the thread after the job in hand, and waits for it: where that one hangs, for ever.
  public func end() {
    desk.isEnding.store(true, ordering: .releasing)
    desk.wakeUp.signal()
    thread?.join()
    thread = nil
  }

  private func hasThread() -> Bool {
    if thread != nil { return true }
    let desk = desk
    // Sound files and nested JSON go deeper than a real-time thread; untouched pages cost nothing.
    do throws(RealtimeThread.Failure) {
      thread = try RealtimeThread.start(
        name: name, priority: nil, stackBytes: 1024 * 1024, body: { desk.run() })
    } catch { return false }
    return true
  }
}
