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
  /// The device's buffer ran empty again and again; it is opened again with a longer period.
  case lengthened(device: String, fromFrames: Int, toFrames: Int, framesPerSecond: Int)
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
    case .lengthened(let device, let from, let to, let rate):
      "audio: '\(device)' ran empty again and again at a period of \(period(from, rate)): opening "
        + "it again with \(period(to, rate)); --period \(to) asks for that from the start"
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
    case .waiting, .lost, .lengthened, .rateRefused, .suspended, .mixer: true
    case .playing, .resumed: false
    }
  }

  private func period(_ frames: Int, _ framesPerSecond: Int) -> String {
    let tenths = (frames * 10_000 + framesPerSecond / 2) / max(framesPerSecond, 1)
    return "\(frames) frames (\(tenths / 10).\(tenths % 10) ms)"
  }

  private func errorText(_ code: Int32) -> String {
    // The errno's own words mean something else here.
    if code == EPIPE { return "its buffer ran empty again and again" }
    if code == EIO { return "it stopped taking sound" }
    guard let text = unsafe strerror(code) else { return "errno \(code)" }
    return unsafe String(cString: text)
  }
}
