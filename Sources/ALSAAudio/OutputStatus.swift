/// What an output is doing at the moment.
public enum OutputState: UInt8, Sendable, BitwiseCopyable {
  /// No sound is wanted: the clock runs on the host's time.
  case freeRunning
  /// The device is being opened, or its position is being measured before sound joins in.
  case opening
  case playing
  /// The device is not there or refuses; the clock runs on, the device is tried again.
  case waiting
  /// The machine has put the card to sleep.
  case suspended
}

/// An output in figures, as last seen by the audio thread.
///
/// - Thread: stored by audio, read by any through a `LatestValue`.
public struct OutputStatus: Sendable, BitwiseCopyable, Equatable {
  public var state: OutputState
  /// What the open device is set to; nil while none is open.
  public var configuration: PCMConfiguration?
  /// Frames a second that the engine runs at.
  public var framesPerSecond: Int
  /// Interruptions of a playing stream.
  public var xruns: Int
  /// Frames of music that were not heard because of them.
  public var missingFrames: Int
  /// Times that a card vanished or gave up.
  public var losses: Int
  /// Time stamps that could not be believed; the time of the call was taken.
  public var doubtfulStamps: Int
  /// The card's rate against CLOCK_MONOTONIC, in parts per million; positive runs fast.
  public var driftPPM: Double
  /// Mean size of the difference between time stamps and frame clock, in nanoseconds.
  public var jitterNanoseconds: Int
  /// How far an instant of the frame clock may be from the truth, in nanoseconds.
  public var uncertaintyNanoseconds: Int64
  /// Frames from the next one written to the one heard.
  public var delayFrames: Int
  /// Periods rendered since the thread began; a watchdog sees it rise.
  public var periods: Int
  /// Page faults of the audio thread since it started.
  public var pageFaults: Int64
  public var isRealtime: Bool

  public init(framesPerSecond: Int) {
    state = .opening
    configuration = nil
    self.framesPerSecond = framesPerSecond
    xruns = 0
    missingFrames = 0
    losses = 0
    doubtfulStamps = 0
    driftPPM = 0
    jitterNanoseconds = 0
    uncertaintyNanoseconds = 0
    delayFrames = 0
    periods = 0
    pageFaults = 0
    isRealtime = false
  }
}
