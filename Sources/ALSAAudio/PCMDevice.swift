public import MusicalTime

/// What a PCM is doing, as ALSA names it.
public enum PCMState: UInt8, Sendable, BitwiseCopyable {
  case open, setup, prepared, running, xrun, draining, paused, suspended, disconnected, unknown
}

/// Where a PCM is and when that was: the raw material of the frame clock.
public struct PCMStatus: Sendable, BitwiseCopyable {
  /// 0, or a negative errno: then nothing else holds.
  public var code: Int32
  public var state: PCMState
  /// The instant that `delayFrames` and `availableFrames` belong to; 0 or stale on some devices.
  public var time: MonotonicTime
  /// Frames from the next one written to the one that is heard now.
  public var delayFrames: Int
  /// Frames that can be written.
  public var availableFrames: Int

  public init(
    code: Int32, state: PCMState, time: MonotonicTime, delayFrames: Int, availableFrames: Int
  ) {
    self.code = code
    self.state = state
    self.time = time
    self.delayFrames = delayFrames
    self.availableFrames = availableFrames
  }
}

/// The one gate to a playback PCM; a recording fake that can fail stands behind the same protocol.
///
/// Results are ALSA's: 0 or a count, or a negative errno. Nothing here throws or allocates.
///
/// - Thread: audio, except `close`, which follows on the device thread.
public protocol PCMDevice: AnyObject {
  var configuration: PCMConfiguration { get }
  func prepare() -> Int32
  func start() -> Int32
  func resume() -> Int32
  /// Waits until a period can be written.
  ///
  /// - Returns: 1 ready, 0 timed out, or a negative errno.
  func wait(milliseconds: Int32) -> Int32
  /// Writes interleaved frames without waiting.
  ///
  /// - Returns: frames taken, or a negative errno.
  func write(_ frames: UnsafeRawPointer, frameCount: Int) -> Int
  func status() -> PCMStatus
  /// Frames that can be written, or a negative errno: all that most turns need to know, for a
  /// tenth of what `status` costs.
  func available() -> Int
  /// Drops what has not been played and gives the card back.
  func close()
}

/// Opens PCMs: the system's, or a test's.
///
/// - Thread: device
public protocol PCMOpener: AnyObject, Sendable {
  func open(_ request: PCMRequest) throws(PCMProblem) -> any PCMDevice
}
