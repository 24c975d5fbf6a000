internal import ALSAAudio
internal import CLinux
internal import Glibc
internal import MusicalTime
internal import RealtimeHost
internal import ScoreFormats
internal import Synchronization
internal import TakeRecorder
internal import ThreadCrossing

/// The thread that opens an input, writes what it hears to disk and closes it: it lives as long as a
/// take or a calibration.
///
/// - Thread: the control thread orders and takes reports; everything else is this thread's.
@safe final class ListenThread: @unchecked Sendable {
  enum Order: Sendable {
    case finish
    case discard
    case sheet(TakeSheet)
    case begin(Beginning)
  }

  /// A take that begins.
  struct Beginning: Sendable {
    /// Frame of the input that is frame 0.
    var zero: Int64
    var sheet: TakeSheet
  }

  enum Report: Sendable {
    /// The input runs and its clock can be trusted.
    case ready(ReadyInput)
    /// The take's file has been made.
    case began(name: String)
    /// Nothing was recorded.
    case refused(String)
    case note(String)
    /// Steps done and steps in all, and words for a person.
    case progress(done: Int, total: Int, words: String)
    case measured([CalibrationRun.Outcome])
    /// The thread has ended.
    case finished(Finish)
  }

  struct ReadyInput: Sendable {
    var configuration: PCMConfiguration
    var channels: Int
    var clock: LatestValue<FrameClock>
    var isRealtime: Bool
  }

  struct Finish: Sendable {
    var name: String
    var frames: Int64
    var rate: Int
    var gapFrames: Int64
    var clipped: Int
    /// Why it ended, or what could not be written; nil where it was asked to.
    var problem: String?
    var isDiscarded = false
  }

  /// Where the take stands, for a meter.
  struct Level: BitwiseCopyable, Sendable {
    var frames: Int64 = 0
    /// Largest sample since the level before; full scale 1.0.
    var peak: Float = 0
    var clipped: Int64 = 0
    var xruns: Int64 = 0
    var missingFrames: Int64 = 0
  }

  let level = LatestValue(Level())
  let request: CaptureRequest
  private let orders = ParcelQueue<Order>(capacity: 64)
  private let reports = ParcelQueue<Report>(capacity: 64)
  private let news: WakeUp
  private let opener: any CaptureOpener
  private let isCancelled = Atomic<Bool>(false)
  private var thread: RealtimeThread?

  init(_ request: CaptureRequest, news: WakeUp, opener: any CaptureOpener) {
    self.request = request
    self.news = news
    self.opener = opener
  }

  /// Starts the thread with what it is to do.
  func start(_ body: @escaping @Sendable (ListenThread) -> Void) throws(RealtimeThread.Failure) {
    thread = try RealtimeThread.start(
      name: "tactus-listen", priority: nil, stackBytes: 512 * 1024
    ) { body(self) }
  }

  // MARK: on the control thread

  /// - Returns: false where the thread does not take its orders.
  func send(_ order: Order) -> Bool { orders.push(order) }

  func take() -> Report? { reports.pop() }

  /// Ends what is being done, wherever it is.
  func cancel() { isCancelled.store(true, ordering: .releasing) }

  // MARK: on its own thread

  var wasCancelled: Bool { isCancelled.load(ordering: .acquiring) }

  func next() -> Order? { orders.pop() }

  func tell(_ report: Report) {
    while !reports.push(report) { pause(5) }
    news.signal()
  }

  func pause(_ milliseconds: Int64) {
    MonotonicClock.sleep(
      until: MonotonicClock.now().advanced(byNanoseconds: milliseconds * 1_000_000))
  }

  /// Opens and starts the input, and waits until its clock has settled.
  ///
  /// - Returns: nil where that failed, which has been told.
  func openInput() -> AudioInput? {
    let input: AudioInput
    do throws(CaptureProblem) { input = try AudioInput.open(request, opener: opener) } catch {
      tell(.refused(error.description))
      return nil
    }
    do throws(RealtimeThread.Failure) {
      if let warning = try input.start().warning(thread: "capture") { tell(.note(warning)) }
    } catch {
      tell(.refused("\(error)"))
      input.stop()
      return nil
    }
    let begin = MonotonicClock.now()
    while input.status.state == .settling {
      while input.blocks.pop() != nil {}
      guard !wasCancelled else {
        input.stop()
        return nil
      }
      guard MonotonicClock.now().nanoseconds(since: begin) < 10_000_000_000 else {
        tell(.refused("input '\(request.device)' gives no sound: is another program using it?"))
        input.stop()
        return nil
      }
      pause(10)
    }
    guard input.status.state == .running else {
      tell(
        .refused(
          "input '\(request.device)' failed (errno \(input.status.code)): "
            + "connect it, or name another with --capture"))
      input.stop()
      return nil
    }
    return input
  }

  func ready(_ input: AudioInput) -> ReadyInput {
    ReadyInput(
      configuration: input.configuration, channels: input.channels, clock: input.clock,
      isRealtime: true)
  }
}
