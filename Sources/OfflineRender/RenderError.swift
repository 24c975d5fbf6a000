public import SoundFiles

/// Why a render could not be made; the description names the thing, the value and the way out.
///
/// - Thread: any
public enum RenderError: Error, Equatable, CustomStringConvertible {
  /// A request was refused; `source` says where it was written.
  case refused(source: String, reason: String)
  case sound(SoundFileError)
  /// A file could not be written.
  case file(String, reason: String)
  /// Nothing ends the music.
  case endless
  /// So many bars last longer than `RenderPlan.longestSeconds`.
  case tooLong(bars: Int)
  /// Nothing is heard within the length.
  case empty
  /// More facts in one block than the queue holds.
  case overflow

  public var description: String {
    switch self {
    case .refused(let source, let reason): "\(source): \(reason)"
    case .sound(let error): error.description
    case .file(let name, let reason): "'\(name)': \(reason)"
    case .endless:
      "nothing ends the music: give --duration or --bars, or a map, timer or trainer that stops"
    case .tooLong(let bars):
      "\(bars) bars last longer than \(RenderPlan.longestSeconds / 3600) hours: give fewer bars"
    case .empty: "the music is stopped before its first frame: there is nothing to write"
    case .overflow: "more events in a block than the engine's queue holds: use a slower tempo"
    }
  }
}
