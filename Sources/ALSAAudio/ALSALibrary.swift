internal import CALSA
internal import CLinux

/// alsa-lib as a whole: its voice and its cache.
enum ALSALibrary {
  /// alsa-lib's messages are kept for error reports instead of going to the terminal. The handler
  /// is the process's; setting it again changes nothing.
  static func captureErrors() {
    unsafe calsa_set_error_handler(clinux_alsa_error_handler())
    clinux_alsa_error_clear()
  }

  /// What alsa-lib said first on this thread since `captureErrors`, in one line; the messages
  /// after it only say which function passed it on.
  static func capturedText() -> String {
    let text = unsafe String(cString: clinux_alsa_error_text())
    let first = text.prefix { $0 != ";" }
    return String(first.prefix(120).map { $0 == "\n" ? " " : $0 })
  }

  /// Frees the parsed configuration (half a megabyte); the next open reads it again.
  static func freeConfiguration() { snd_config_update_free_global() }
}

extension SampleFormat {
  var alsa: snd_pcm_format_t {
    switch self {
    case .float32: SND_PCM_FORMAT_FLOAT_LE
    case .int32: SND_PCM_FORMAT_S32_LE
    case .int24: SND_PCM_FORMAT_S24_LE
    case .int24Packed: SND_PCM_FORMAT_S24_3LE
    case .int16: SND_PCM_FORMAT_S16_LE
    }
  }
}

extension PCMState {
  init(_ state: snd_pcm_state_t) {
    switch state {
    case SND_PCM_STATE_OPEN: self = .open
    case SND_PCM_STATE_SETUP: self = .setup
    case SND_PCM_STATE_PREPARED: self = .prepared
    case SND_PCM_STATE_RUNNING: self = .running
    case SND_PCM_STATE_XRUN: self = .xrun
    case SND_PCM_STATE_DRAINING: self = .draining
    case SND_PCM_STATE_PAUSED: self = .paused
    case SND_PCM_STATE_SUSPENDED: self = .suspended
    case SND_PCM_STATE_DISCONNECTED: self = .disconnected
    default: self = .unknown
    }
  }
}
