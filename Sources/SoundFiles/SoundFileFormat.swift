import CSndfile

/// What a sound file is written as.
///
/// - Thread: any
public struct SoundFileFormat: Equatable, Sendable {
  public enum Container: String, Sendable, CaseIterable {
    case wav, flac
  }

  public enum Encoding: String, Sendable, CaseIterable {
    case pcm16, pcm24, float32

    public var byteCount: Int {
      switch self {
      case .pcm16: 2
      case .pcm24: 3
      case .float32: 4
      }
    }
  }

  public var container: Container
  /// FLAC holds no floating point; `float32` is written as 24 bits there.
  public var encoding: Encoding

  public init(_ container: Container, _ encoding: Encoding) {
    self.container = container
    self.encoding = container == .flac && encoding == .float32 ? .pcm24 : encoding
  }

  /// From the ending of a name; `-` is a WAV stream.
  public init(path: String, encoding: Encoding = .pcm24) throws(SoundFileError) {
    if path == "-" {
      self.init(.wav, encoding)
      return
    }
    let ending = path.split(separator: "/").last?.split(separator: ".").dropFirst().last
    switch ending?.lowercased() {
    case "wav", "wave": self.init(.wav, encoding)
    case "flac": self.init(.flac, encoding)
    default: throw .outputFormat(path)
    }
  }

  /// As libsndfile names it; above 4 GiB a WAV becomes RF64.
  func libraryFormat(needsLongSizes: Bool) -> Int32 {
    let type =
      switch container {
      case .wav: needsLongSizes ? SF_FORMAT_RF64 : SF_FORMAT_WAV
      case .flac: SF_FORMAT_FLAC
      }
    let coding =
      switch encoding {
      case .pcm16: SF_FORMAT_PCM_16
      case .pcm24: SF_FORMAT_PCM_24
      case .float32: SF_FORMAT_FLOAT
      }
    return Int32(Int(type) | Int(coding))
  }
}
