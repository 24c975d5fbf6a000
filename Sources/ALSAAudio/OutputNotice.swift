internal import Glibc

/// What a person is told about an output, once for each change.
///
/// - Thread: given on the device thread.
public enum OutputNotice: Sendable, Equatable, CustomStringConvertible {
  /// Sound comes out: at first, and again after a loss.
  case playing(device: String, PCMConfiguration)
  /// The device cannot be opened: the clock runs on without sound, the device is tried again.
  case waiting(PCMProblem)
  case lost(device: String, code: Int32)
  case rateRefused(device: String)
  case suspended(device: String)
  case resumed(device: String)
  /// The device plays, but a mixer control keeps it silent.
  case mixer(MixerWarning)

  public var description: String {
    switch self {
    case .playing(let device, let configuration):
      "audio: '\(device)' plays at \(configuration.summary)"
    case .waiting(let problem):
      "audio: waiting for '\(problem.device)': \(problem)"
    case .lost(let device, let code):
      "audio: lost '\(device)' (\(errorText(code))); beats and MIDI go on, sound returns with it"
    case .rateRefused(let device):
      "audio: '\(device)' cannot play at the running rate; start again, or name it through plughw:"
    case .suspended(let device):
      "audio: '\(device)' was put to sleep"
    case .resumed(let device):
      "audio: '\(device)' is awake"
    case .mixer(let warning):
      "audio: \(warning)"
    }
  }

  /// Whether something is amiss, as opposed to news.
  public var isWarning: Bool {
    switch self {
    case .waiting, .lost, .rateRefused, .suspended, .mixer: true
    case .playing, .resumed: false
    }
  }

  private func errorText(_ code: Int32) -> String {
    // The errno's own words mean something else here.
    if code == EPIPE { return "its buffer ran empty again and again" }
    if code == EIO { return "it stopped taking sound" }
    guard let text = unsafe strerror(code) else { return "errno \(code)" }
    return unsafe String(cString: text)
  }
}
