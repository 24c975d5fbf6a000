internal import CLinux
internal import MusicalTime
internal import RealtimeHost

/// Waits for something to do: a fact from the audio thread, a card that comes or goes, a deadline.
///
/// - Thread: device
final class DeviceWatch {
  private let descriptor: Int32
  private let wakeUp: WakeUp
  private var watchesSound: Bool

  init(wakeUp: WakeUp) {
    self.wakeUp = wakeUp
    descriptor = clinux_watch_open()
    // The folder appears with the first card; until then its parent is watched for it.
    _ = unsafe clinux_watch_folder(descriptor, "/dev")
    watchesSound = unsafe clinux_watch_folder(descriptor, "/dev/snd") == 0
  }

  deinit { if descriptor >= 0 { clinux_close(descriptor) } }

  /// - Returns: whether device files changed.
  func wait(until deadline: MonotonicTime?) -> Bool {
    var milliseconds: Int32 = -1
    if let deadline {
      let left = deadline.nanoseconds(since: MonotonicClock.now())
      // Rounded up: a wait that ends just short of its deadline would spin.
      milliseconds = left <= 0 ? 0 : Int32(clamping: left / 1_000_000 + 1)
    }
    clinux_wait_readable(descriptor, wakeUp.descriptor, milliseconds)
    wakeUp.drain()
    let changed = clinux_watch_drain(descriptor) != 0
    if changed && !watchesSound {
      watchesSound = unsafe clinux_watch_folder(descriptor, "/dev/snd") == 0
    }
    return changed
  }
}
