/// The one gate to a capture PCM; a simulated one stands behind the same protocol.
///
/// Results are ALSA's: 0 or a count, or a negative errno. Nothing here throws or allocates.
///
/// - Thread: capture, except `close`, which follows when that has ended.
public protocol CaptureDevice: AnyObject {
  var configuration: PCMConfiguration { get }
  func prepare() -> Int32
  func start() -> Int32
  func resume() -> Int32
  /// Waits until a period can be read.
  ///
  /// - Returns: 1 ready, 0 timed out, or a negative errno.
  func wait(milliseconds: Int32) -> Int32
  /// Reads interleaved frames without waiting.
  ///
  /// - Returns: frames read, or a negative errno.
  func read(_ frames: UnsafeMutableRawPointer, frameCount: Int) -> Int
  /// As for playback, but that `delayFrames` counts from the next frame to be read to the one that
  /// is captured now, and `availableFrames` those that can be read.
  func status() -> PCMStatus
  func close()
}

/// Opens inputs: the system's, or a test's.
///
/// - Thread: a worker; opening may take as long as it takes.
public protocol CaptureOpener: AnyObject, Sendable {
  func open(_ request: CaptureRequest) throws(CaptureProblem) -> any CaptureDevice
}
