public import MetronomeModel

/// What the Conductor wants read or written: the edge does it where waiting does no harm, and
/// hands the answer back.
///
/// - Thread: any
public enum LibraryRequest: Equatable, Sendable {
  case preset(NameOrNumber)
  case setlist(NameOrNumber)
  case map(named: String)
  case presetNames
  case save(Preset, as: String)

  /// Answers from a library; reads and writes files, so it may block.
  ///
  /// - Parameter library: nil where there is none, which is a refusal.
  public func answer(from library: (any PresetLibrary)?) -> LibraryAnswer {
    guard let library else {
      return .refused(
        Refusal(.storage, "there is no folder of presets: give one at the start with --folder"))
    }
    do throws(Refusal) {
      switch self {
      case .preset(let wanted): return .preset(try library.preset(wanted))
      case .setlist(let wanted): return .setlist(try library.setlist(wanted))
      case .map(let name): return .map(try library.map(named: name))
      case .presetNames: return .names(library.presetNames)
      case .save(let preset, let name):
        try library.save(preset, as: name)
        return .saved
      }
    } catch { return .refused(error) }
  }
}

extension LibraryRequest: CustomStringConvertible {
  /// The file as it is named in messages.
  public var description: String {
    switch self {
    case .preset(.name(let name)), .save(_, let name): "preset '\(name)'"
    case .preset(.number(let number)): "preset \(number)"
    case .setlist(.name(let name)): "setlist '\(name)'"
    case .setlist(.number(let number)): "setlist \(number)"
    case .map(let name): "map '\(name)'"
    case .presetNames: "the list of presets"
    }
  }
}

/// What a library said to a request.
///
/// - Thread: any
public enum LibraryAnswer: Sendable {
  case preset(NamedPreset)
  case setlist(NamedSetlist)
  case map(NamedMap)
  case names([String])
  case saved
  case refused(Refusal)
}
