public import MetronomeModel
public import ScoreFormats

/// Presets, setlists and songs in the user's folders and in those that came with the program.
///
/// - Thread: conductor; reads and writes files.
public struct FolderLibrary: PresetLibrary {
  public let presets: PresetStore

  public init(presets: PresetStore) {
    self.presets = presets
  }

  public var presetNames: [String] { presets.names }

  public func preset(_ wanted: NameOrNumber) throws(Refusal) -> NamedPreset {
    do throws(StoreError) {
      let found = try presets.load(wanted)
      return NamedPreset(name: found.name, preset: found.preset)
    } catch { throw Refusal(error) }
  }

  public func preset(from present: String?, step: Int) throws(Refusal) -> NamedPreset {
    do throws(StoreError) {
      let found = try presets.load(from: present, step: step)
      return NamedPreset(name: found.name, preset: found.preset)
    } catch { throw Refusal(error) }
  }

  public func save(_ preset: Preset, as name: String) throws(Refusal) {
    do throws(StoreError) { try presets.save(preset, as: name) } catch { throw Refusal(error) }
  }

  public func setlist(_ wanted: NameOrNumber) throws(Refusal) -> NamedSetlist {
    throw Refusal(.storage, "there is no folder of setlists")
  }

  public func map(named name: String) throws(Refusal) -> NamedMap {
    throw Refusal(.storage, "there is no folder of songs")
  }
}

extension Refusal {
  /// A store's error as a person is told it.
  init(_ error: StoreError) {
    switch error {
    case .name, .notFound, .number, .empty: self.init(.name, error.description)
    case .symbolicLink, .notAFile, .tooLarge, .full, .system, .format:
      self.init(.storage, error.description)
    }
  }
}
