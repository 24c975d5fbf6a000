/// Why a sound file could not be read or written; the description names the file, the value, the
/// allowed range and the way out.
///
/// - Thread: any
public enum SoundFileError: Error, Equatable, CustomStringConvertible {
  /// The system refused: the call, the file and its own words.
  case system(call: String, file: String, reason: String)
  /// libsndfile refused.
  case library(file: String, reason: String)
  case name(String)
  case symbolicLink(file: String)
  case notAFile(file: String)
  case kind(file: String)
  case channels(file: String, Int)
  case rate(file: String, Int)
  case length(file: String, limitSeconds: Double)
  case empty(file: String)
  case silent(file: String)
  case notFinite(file: String)
  case unknownSound(String, folder: String)
  case bankMemory(Int)
  case resampler(file: String, reason: String)
  case outputFormat(String)
  case tooLongForStream(frames: Int64)
  case wrongLength(file: String, announced: Int64, written: Int64)
  case closed(file: String)

  public var description: String {
    switch self {
    case .system(let call, let file, let reason):
      "'\(file)': \(call): \(reason)"
    case .library(let file, let reason):
      "'\(file)': \(reason)"
    case .name(let reason):
      "sound \(reason)"
    case .symbolicLink(let file):
      "'\(file)' is a symbolic link: sounds are read from their own folder only, copy the file there"
    case .notAFile(let file):
      "'\(file)' is not a regular file: name a WAV, FLAC or AIFF file"
    case .kind(let file):
      "'\(file)' is not WAV, FLAC or AIFF with PCM or float samples: convert it to one of these"
    case .channels(let file, let count):
      "'\(file)' has \(count) channels: allowed are \(SoundLimitsText.channels), mix it down"
    case .rate(let file, let rate):
      "'\(file)' has \(rate) frames a second: allowed are \(SoundLimitsText.rates), convert it"
    case .length(let file, let limit):
      "'\(file)' is longer than \(Int(limit)) s: a click may last up to that, cut it"
    case .empty(let file):
      "'\(file)' holds no frame: name a file with sound in it"
    case .silent(let file):
      "'\(file)' is silent throughout: use level silent ('.') or gain instead of an empty sound"
    case .notFinite(let file):
      "'\(file)' holds samples that are not numbers: export it again"
    case .unknownSound(let name, let folder):
      "sound '\(name)' is neither built in (\(SoundLimitsText.builtIn)) nor a file in '\(folder)'"
    case .bankMemory(let bytes):
      "the sounds need \(bytes >> 20) MiB: allowed are \(SoundLimitsText.bankMebibytes), use shorter files"
    case .resampler(let file, let reason):
      "'\(file)': resampling: \(reason)"
    case .outputFormat(let text):
      "output '\(text)' has no known ending: allowed are .wav and .flac"
    case .tooLongForStream(let frames):
      "\(frames) frames are more than a WAV stream can announce (4 GiB): write to a named file or as FLAC"
    case .wrongLength(let file, let announced, let written):
      "'\(file)': \(announced) frames were announced and \(written) written"
    case .closed(let file):
      "'\(file)' is closed already"
    }
  }
}
