import Glibc
import MusicalTime

@testable import ALSAAudio

/// A microphone in simulated time, whose samples say which of its frames they are.
final class SimulatedInput: CaptureDevice {
  let configuration: PCMConfiguration
  let clock: SimulatedTime
  let driftPPM: Double
  /// Nanoseconds that stamps may be early or late, in turn.
  var stampJitter: Int64 = 0
  /// Gone from this instant on.
  var goneAt: MonotonicTime?
  private(set) var isClosed = false
  private(set) var starts = 0
  private let origin: MonotonicTime
  /// Frame of its crystal at which it was last started.
  private var startedAt: Int64?
  private var readSinceStart: Int64 = 0
  private var sign: Int64 = 1

  init(
    _ clock: SimulatedTime, framesPerSecond: Int = 48_000, driftPPM: Double = 0, channels: Int = 2
  ) {
    self.clock = clock
    self.driftPPM = driftPPM
    origin = clock.time
    configuration = PCMConfiguration(
      framesPerSecond: framesPerSecond, channelCount: channels, format: .int32,
      periodFrames: framesPerSecond / 100, bufferFrames: framesPerSecond / 4)
  }

  private var frameNanoseconds: Double {
    1e9 / (Double(configuration.framesPerSecond) * (1 + driftPPM / 1e6))
  }

  /// Frames of its crystal that have passed.
  private var position: Int64 {
    Int64(Double(clock.time.nanoseconds(since: origin)) / frameNanoseconds + 1e-6)
  }

  /// When a frame of its crystal is captured.
  func instant(of frame: Int64) -> MonotonicTime {
    origin.advanced(byNanoseconds: Int64((Double(frame) * frameNanoseconds).rounded()))
  }

  /// What the first channel holds at a frame of its crystal, and back.
  static func sample(_ frame: Int64) -> Int32 { Int32(truncatingIfNeeded: frame & 0x3F_FFFF) << 8 }
  static func frame(_ sample: Float) -> Int64 { Int64(sample * 8_388_608) }

  private var isGone: Bool { goneAt.map { $0 <= clock.time } ?? false }

  private var available: Int64 {
    guard let startedAt else { return 0 }
    return position - startedAt - readSinceStart
  }

  func prepare() -> Int32 {
    guard !isGone else { return -ENODEV }
    startedAt = nil
    readSinceStart = 0
    return 0
  }

  func start() -> Int32 {
    guard !isGone else { return -ENODEV }
    startedAt = position
    starts += 1
    return 0
  }

  func resume() -> Int32 { 0 }

  func wait(milliseconds: Int32) -> Int32 {
    guard !isGone else { return -ENODEV }
    let missing = Int64(configuration.periodFrames) - available
    if missing > 0 {
      // A wake-up comes a little after the frame.
      let due = instant(of: position + missing).advanced(byNanoseconds: 60_000)
      let limit = clock.time.advanced(byNanoseconds: Int64(milliseconds) * 1_000_000)
      clock.pass(until: min(due, limit))
    }
    return available >= Int64(configuration.periodFrames) ? 1 : 0
  }

  func read(_ frames: UnsafeMutableRawPointer, frameCount: Int) -> Int {
    guard !isGone else { return -Int(ENODEV) }
    guard let startedAt else { return -Int(EBADFD) }
    guard available <= Int64(configuration.bufferFrames) else { return -Int(EPIPE) }
    let count = min(frameCount, Int(available))
    guard count > 0 else { return -Int(EAGAIN) }
    for frame in 0..<count {
      for channel in 0..<configuration.channelCount {
        let value = SimulatedInput.sample(startedAt + readSinceStart + Int64(frame))
        frames.storeBytes(
          of: channel == 0 ? value : -value,
          toByteOffset: (frame * configuration.channelCount + channel) * 4, as: Int32.self)
      }
    }
    readSinceStart += Int64(count)
    return count
  }

  func status() -> PCMStatus {
    let frames = Int(available)
    sign = -sign
    return PCMStatus(
      code: isGone ? -ENODEV : 0, state: frames > configuration.bufferFrames ? .xrun : .running,
      time: instant(of: position).advanced(byNanoseconds: sign * stampJitter),
      delayFrames: frames, availableFrames: frames)
  }

  func close() { isClosed = true }
}
