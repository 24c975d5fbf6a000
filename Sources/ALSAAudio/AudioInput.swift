public import MusicalTime
public import RealtimeHost
internal import Synchronization
public import ThreadCrossing

/// An input that records: a device and the thread that reads it, both for as long as a take or a
/// calibration lasts.
///
/// - Thread: `open`, `start`, `stop` on a worker or the disk thread, for they wait; the queue has one
///   consumer; `clock` and `status` may be read by any.
@safe public final class AudioInput: @unchecked Sendable {
  public let request: CaptureRequest
  public let configuration: PCMConfiguration
  /// Channels that are kept.
  public let channels: Int
  /// When each frame of the recording was captured.
  public let clock: LatestValue<FrameClock>
  private let cell = LatestValue(CaptureStatus())
  public let blocks: SPSCQueue<CaptureBlock>
  private let device: any CaptureDevice
  private let isStopping = Atomic<Bool>(false)
  private var thread: RealtimeThread?

  /// Seconds that the disk may stand still before frames are lost.
  private static let queueSeconds = 2
  /// Blocks at most: 4 MB.
  private static let mostBlocks = 2_048

  private init(_ device: any CaptureDevice, _ request: CaptureRequest) {
    self.device = device
    self.request = request
    configuration = device.configuration
    channels = min(request.channelCount, configuration.channelCount)
    clock = LatestValue(
      FrameClock(
        frame: FrameIndex(0), heardAt: MonotonicClock.now(),
        framesPerSecond: Int64(configuration.framesPerSecond)))
    let samples = configuration.framesPerSecond * channels * AudioInput.queueSeconds
    blocks = SPSCQueue(
      capacity: min(samples / CaptureBlock.sampleCapacity + 1, AudioInput.mostBlocks))
  }

  /// Opens an input; it does not run yet.
  public static func open(
    _ request: CaptureRequest, opener: any CaptureOpener = ALSACaptureOpener()
  ) throws(CaptureProblem) -> AudioInput {
    AudioInput(try opener.open(request), request)
  }

  /// Starts the device and the thread that reads it.
  ///
  /// - Returns: whether the thread got real-time scheduling.
  public func start() throws(RealtimeThread.Failure) -> RealtimeGrant {
    let started = try RealtimeThread.start(name: "tactus-capture", priority: .capture) {
      self.run()
    }
    thread = started
    return started.grant
  }

  /// Ends the thread and gives the device back; what is in the queue stays.
  public func stop() {
    isStopping.store(true, ordering: .releasing)
    thread?.join()
    thread = nil
    device.close()
  }

  public var status: CaptureStatus { cell.load() }

  private func run() {
    let loop = CaptureLoop(
      device: device, keptChannels: channels, host: SystemClock(), clockCell: clock.writer,
      statusCell: cell.writer, blocks: blocks.ends)
    loop.begin()
    while !isStopping.load(ordering: .acquiring), !loop.hasEnded { loop.turn() }
  }
}
