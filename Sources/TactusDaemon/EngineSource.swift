internal import ALSAAudio
internal import MetronomeModel
internal import RealtimeEngine
internal import RealtimeHost
internal import ThreadCrossing

/// The engine as the audio output plays it.
///
/// - Thread: audio; the consumers are woken only when there is something for them.
final class EngineSource: AudioSource {
  private let engine: Engine
  private let handle: EngineHandle
  private let queues: EngineQueues
  private let controlWakeUp: WakeUp
  private let midiWakeUp: WakeUp?
  private var news = 0
  private let keepAwake: KeepAwake
  private var noise = AwakeNoise()
  private let overlay: OverlayDesk
  private var mixer = OverlayMixer()
  private var supplyVersion: UInt64 = 0
  /// The first frame not yet rendered.
  private var frame: Int64 = 0

  init(
    engine: Engine, queues: EngineQueues, controlWakeUp: WakeUp, midiWakeUp: WakeUp?,
    keepAwake: KeepAwake = .off, overlay: OverlayDesk
  ) {
    self.keepAwake = keepAwake
    self.overlay = overlay
    self.engine = engine
    handle = engine.handle
    self.queues = queues
    self.controlWakeUp = controlWakeUp
    self.midiWakeUp = midiWakeUp
  }

  @_noAllocation @_noLocks
  func render(
    into output: UnsafeMutablePointer<Float>, channelStride: Int, channelCount: Int,
    frameCount: Int
  ) {
    unsafe handle.render(
      into: output, stride: channelStride, channelCount: channelCount, frameCount: frameCount)
    unsafe mixer.mix(
      at: frame, into: output, channelStride: channelStride, channelCount: channelCount,
      frameCount: frameCount)
    frame &+= Int64(frameCount)
    switch keepAwake {
    case .off: return
    case .leadIn where !handle.isRunning: return
    case .dither, .leadIn:
      unsafe noise.add(
        to: output, stride: channelStride, channelCount: channelCount, frameCount: frameCount)
    }
  }

  func skip(frameCount: Int64) {
    handle.skip(frameCount: frameCount)
    frame += frameCount
  }

  func skip(frameCount: Int64, past: Int64) {
    handle.skip(frameCount: frameCount, past: past)
    frame += frameCount
  }

  func didRender() {
    let version = overlay.supply.version
    if version != supplyVersion {
      mixer.use(overlay.supply.load())
      supplyVersion = version
      overlay.inUse.store(version)
    }
    if news != queues.news {
      news = queues.news
      midiWakeUp?.signal()
      controlWakeUp.signal()
    } else if !queues.clockEvents.isEmpty {
      // Pulses alone: the control thread takes them with the next beat, the MIDI thread when the
      // one that it waits for has left.
      midiWakeUp?.signalIfWanted()
    }
  }

  func changeRate(framesPerSecond: Int) -> Bool {
    handle.change(rate: Int64(framesPerSecond))
    controlWakeUp.signal()
    return true
  }
}
