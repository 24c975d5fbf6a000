internal import Glibc
internal import MusicalTime
internal import RealtimeHost

/// An input without a microphone: silence, as many frames as the host's clock says.
///
/// - Thread: as `CaptureDevice`
@safe final class SilentInput: CaptureDevice {
  let configuration: PCMConfiguration
  private var startedAt: MonotonicTime?
  private var readFrames: Int64 = 0

  init(_ request: CaptureRequest) {
    let rate = min(max(request.framesPerSecond, 8_000), 384_000)
    configuration = PCMConfiguration(
      framesPerSecond: rate, channelCount: min(max(request.channelCount, 1), 8),
      format: .int16, periodFrames: rate / 100, bufferFrames: rate / 4)
  }

  private var available: Int {
    guard let startedAt else { return 0 }
    let passed = MonotonicClock.now().nanoseconds(since: startedAt)
    let frames = Int128(passed) * Int128(configuration.framesPerSecond) / 1_000_000_000
    return Int(truncatingIfNeeded: frames - Int128(readFrames))
  }

  func prepare() -> Int32 {
    startedAt = nil
    readFrames = 0
    return 0
  }

  func start() -> Int32 {
    startedAt = MonotonicClock.now()
    return 0
  }

  func resume() -> Int32 { 0 }

  func wait(milliseconds: Int32) -> Int32 {
    let missing = configuration.periodFrames - available
    if missing > 0 {
      let nanoseconds = Int64(missing) * 1_000_000_000 / Int64(configuration.framesPerSecond)
      MonotonicClock.sleep(
        until: MonotonicClock.now().advanced(
          byNanoseconds: min(nanoseconds + 100_000, Int64(milliseconds) * 1_000_000)))
    }
    return available >= configuration.periodFrames ? 1 : 0
  }

  func read(_ frames: UnsafeMutableRawPointer, frameCount: Int) -> Int {
    guard available <= configuration.bufferFrames else { return -Int(EPIPE) }
    let count = min(frameCount, available)
    guard count > 0 else { return -Int(EAGAIN) }
    unsafe memset(frames, 0, count * configuration.bytesPerFrame)
    readFrames += Int64(count)
    return count
  }

  func status() -> PCMStatus {
    let frames = available
    return PCMStatus(
      code: 0, state: frames > configuration.bufferFrames ? .xrun : .running,
      time: MonotonicClock.now(), delayFrames: frames, availableFrames: frames)
  }

  func close() {}
}
