internal import CALSA
internal import Glibc
internal import MusicalTime

/// The system's PCMs.
public final class ALSAOpener: PCMOpener {
  public init() {}

  public func open(_ request: PCMRequest) throws(PCMProblem) -> any PCMDevice {
    try PCMHandle.open(request)
  }
}

/// An open playback PCM: the only code that calls snd_pcm_*.
///
/// - Thread: as `PCMDevice`
@safe final class PCMHandle: PCMDevice {
  let configuration: PCMConfiguration
  private let pcm: OpaquePointer
  /// Filled by every `status`; made once, so that the audio thread allocates nothing.
  private let statusRecord: OpaquePointer

  private init(pcm: OpaquePointer, statusRecord: OpaquePointer, configuration: PCMConfiguration) {
    unsafe self.pcm = pcm
    unsafe self.statusRecord = statusRecord
    self.configuration = configuration
  }

  deinit { unsafe snd_pcm_status_free(statusRecord) }

  /// Opens and sets up a PCM; it is then prepared and silent.
  static func open(_ request: PCMRequest) throws(PCMProblem) -> PCMHandle {
    ALSALibrary.captureErrors()
    defer { ALSALibrary.freeConfiguration() }
    let cards = SoundCard.present()
    var handle: OpaquePointer?
    let name = request.alsaName(cards: cards)
    // Without waiting: a busy card answers EBUSY at once, and writes never hold the thread.
    let code = unsafe snd_pcm_open(&handle, name, SND_PCM_STREAM_PLAYBACK, SND_PCM_NONBLOCK)
    guard code >= 0, let pcm = unsafe handle else {
      throw PCMProblem(
        device: request.device, call: "snd_pcm_open",
        code: SoundCard.areForbidden(cards) ? EACCES : code,
        detail: ALSALibrary.capturedText(), cards: cards)
    }
    var record: OpaquePointer?
    let recordCode = unsafe snd_pcm_status_malloc(&record)
    guard recordCode >= 0, let statusRecord = unsafe record else {
      unsafe snd_pcm_close(pcm)
      throw PCMProblem(device: request.device, call: "snd_pcm_status_malloc", code: recordCode)
    }
    do throws(PCMSetup.Refusal) {
      let configuration = try unsafe PCMSetup(pcm: pcm, request: request).apply()
      return unsafe PCMHandle(
        pcm: pcm, statusRecord: statusRecord, configuration: configuration)
    } catch {
      unsafe snd_pcm_status_free(statusRecord)
      unsafe snd_pcm_close(pcm)
      throw PCMProblem(
        device: request.device, call: error.call, code: error.code,
        detail: ALSALibrary.capturedText(), cards: cards)
    }
  }

  func prepare() -> Int32 { unsafe snd_pcm_prepare(pcm) }

  func start() -> Int32 { unsafe snd_pcm_start(pcm) }

  func resume() -> Int32 { unsafe snd_pcm_resume(pcm) }

  func wait(milliseconds: Int32) -> Int32 { unsafe snd_pcm_wait(pcm, milliseconds) }

  func write(_ frames: UnsafeRawPointer, frameCount: Int) -> Int {
    unsafe snd_pcm_writei(pcm, frames, snd_pcm_uframes_t(frameCount))
  }

  func status() -> PCMStatus {
    let code = unsafe snd_pcm_status(pcm, statusRecord)
    guard code >= 0 else {
      return PCMStatus(
        code: code, state: .unknown, time: MonotonicTime(nanoseconds: 0), delayFrames: 0,
        availableFrames: 0)
    }
    var stamp = snd_htimestamp_t()
    unsafe snd_pcm_status_get_htstamp(statusRecord, &stamp)
    let available = unsafe snd_pcm_status_get_avail(statusRecord)
    return PCMStatus(
      code: 0,
      state: unsafe PCMState(snd_pcm_status_get_state(statusRecord)),
      time: MonotonicTime(
        nanoseconds: Int64(stamp.tv_sec) &* 1_000_000_000 &+ Int64(stamp.tv_nsec)),
      delayFrames: unsafe Int(snd_pcm_status_get_delay(statusRecord)),
      availableFrames: Int(truncatingIfNeeded: available))
  }

  func available() -> Int { unsafe snd_pcm_avail_update(pcm) }

  func close() {
    unsafe snd_pcm_drop(pcm)
    // A card that is gone answers ENODEV here; the handle is freed all the same.
    unsafe snd_pcm_close(pcm)
  }
}
