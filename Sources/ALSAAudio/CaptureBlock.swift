/// A piece of what was recorded, on its way from the capture thread to the one that writes.
///
/// - Thread: made by capture, read by the disk thread.
@frozen
public struct CaptureBlock: Sendable, BitwiseCopyable {
  /// Samples of a block at most: 10 ms of stereo at 24 kHz, so that a block is soon full.
  public static let sampleCapacity = 512

  /// Its first frame, counted since the input was started; what is missing between two blocks was
  /// lost, and is silence of that length.
  public var frame: Int64 = 0
  public var frameCount: Int32 = 0
  public var channelCount: Int32 = 1
  /// Interleaved, full scale 1.0.
  public var samples = InlineArray<512, Float>(repeating: 0)

  public init() {}
}

/// An input in figures, as last seen by the capture thread.
///
/// - Thread: stored by capture, read by any through a `LatestValue`.
public struct CaptureStatus: Sendable, BitwiseCopyable, Equatable {
  public enum State: UInt8, Sendable, BitwiseCopyable {
    /// Runs, but its clock has seen too little to be trusted.
    case settling
    case running
    /// The device failed: nothing more comes.
    case ended
  }

  public var state = State.settling
  /// A positive errno where it has ended.
  public var code: Int32 = 0
  /// The next frame to be read.
  public var frame: Int64 = 0
  /// Interruptions.
  public var xruns = 0
  /// Frames that are silence in the take, because of them or of a disk that did not keep up.
  public var missingFrames: Int64 = 0
  /// The input's rate against CLOCK_MONOTONIC, in parts per million.
  public var driftPPM = 0.0
  public var jitterNanoseconds = 0

  public init() {}
}
