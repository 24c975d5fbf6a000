internal import CALSA
internal import Glibc
internal import MusicalTime

/// The system's inputs.
public final class ALSACaptureOpener: CaptureOpener {
  public init() {}

  public func open(_ request: CaptureRequest) throws(CaptureProblem) -> any CaptureDevice {
    request.isSilent ? SilentInput(request) : try CaptureHandle.open(request)
  }
}

/// An open capture PCM.
///
/// - Thread: as `CaptureDevice`
@safe final class CaptureHandle: CaptureDevice {
  let configuration: PCMConfiguration
  private let pcm: OpaquePointer
  /// Filled by every `status`; made once, so that the capture thread allocates nothing.
  private let statusRecord: OpaquePointer

  private init(pcm: OpaquePointer, statusRecord: OpaquePointer, configuration: PCMConfiguration) {
    unsafe self.pcm = pcm
    unsafe self.statusRecord = statusRecord
    self.configuration = configuration
  }

  deinit { unsafe snd_pcm_status_free(statusRecord) }

  static func open(_ request: CaptureRequest) throws(CaptureProblem) -> CaptureHandle {
    ALSALibrary.captureErrors()
    defer { ALSALibrary.freeConfiguration() }
    var handle: OpaquePointer?
    let name = request.alsaName(cards: SoundCard.present())
    let code = unsafe snd_pcm_open(&handle, name, SND_PCM_STREAM_CAPTURE, SND_PCM_NONBLOCK)
    guard code >= 0, let pcm = unsafe handle else {
      throw CaptureProblem(
        device: request.device, call: "snd_pcm_open", code: code,
        detail: ALSALibrary.capturedText(), cards: SoundCard.recording())
    }
    var record: OpaquePointer?
    let recordCode = unsafe snd_pcm_status_malloc(&record)
    guard recordCode >= 0, let statusRecord = unsafe record else {
      unsafe snd_pcm_close(pcm)
      throw CaptureProblem(device: request.device, call: "snd_pcm_status_malloc", code: recordCode)
    }
    do throws(PCMSetup.Refusal) {
      let configuration = try unsafe CaptureSetup(pcm: pcm, request: request).apply()
      return unsafe CaptureHandle(
        pcm: pcm, statusRecord: statusRecord, configuration: configuration)
    } catch {
      unsafe snd_pcm_status_free(statusRecord)
      unsafe snd_pcm_close(pcm)
      throw CaptureProblem(
        device: request.device, call: error.call, code: error.code,
        detail: ALSALibrary.capturedText(), cards: SoundCard.recording())
    }
  }

  func prepare() -> Int32 { unsafe snd_pcm_prepare(pcm) }

  func start() -> Int32 { unsafe snd_pcm_start(pcm) }

  func resume() -> Int32 { unsafe snd_pcm_resume(pcm) }

  func wait(milliseconds: Int32) -> Int32 { unsafe snd_pcm_wait(pcm, milliseconds) }

  func read(_ frames: UnsafeMutableRawPointer, frameCount: Int) -> Int {
    unsafe snd_pcm_readi(pcm, frames, snd_pcm_uframes_t(frameCount))
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
    let available = unsafe Int(truncatingIfNeeded: snd_pcm_status_get_avail(statusRecord))
    let delay = unsafe Int(snd_pcm_status_get_delay(statusRecord))
    return PCMStatus(
      code: 0,
      state: unsafe PCMState(snd_pcm_status_get_state(statusRecord)),
      time: MonotonicTime(
        nanoseconds: Int64(stamp.tv_sec) &* 1_000_000_000 &+ Int64(stamp.tv_nsec)),
      // A plug-in may leave the delay at 0: at least what waits to be read has been captured.
      delayFrames: delay > available ? delay : available, availableFrames: available)
  }

  func close() {
    unsafe snd_pcm_drop(pcm)
    unsafe snd_pcm_close(pcm)
  }
}

extension SoundCard {
  /// Ids of the cards that can record.
  static func recording() -> [String] {
    var capturing: Set<Int> = []
    for line in SoundCard.text(of: "/proc/asound/pcm").split(separator: "\n")
    where line.contains(": capture ") {
      if let index = Int(line.prefix { $0 != "-" }) { capturing.insert(index) }
    }
    return present().filter { capturing.contains($0.index) }.map(\.id)
  }

  private static func text(of path: String) -> String {
    let descriptor = unsafe Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { Glibc.close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 16_384)
    let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
  }
}
