public import MetronomeModel
public import ScoreFormats

/// Presets, setlists and songs in the user's folders and in those that came with the program.
///
/// - Thread: control; reads and writes files.
public struct FolderLibrary: PresetLibrary {
  public let presets: PresetStore
  public let setlists: SetlistStore?
  public let songs: SongStore?

  public init(
    presets: PresetStore, setlists: SetlistStore? = nil, songs: SongStore? = nil
  ) {
    self.presets = presets
    self.setlists = setlists
    self.songs = songs
  }

  public var presetNames: [String] { presets.names }
  public var setlistNames: [String] { setlists?.names ?? [] }
  public var mapNames: [String] { songs?.names ?? [] }

  public func preset(_ wanted: NameOrNumber) throws(Refusal) -> NamedPreset {
    do throws(StoreError) {
      let found = try presets.load(wanted)
      return NamedPreset(name: found.name, preset: found.preset)
    } catch { throw Refusal(error) }
  }

  public func save(_ preset: Preset, as name: String) throws(Refusal) {
    do throws(StoreError) { try presets.save(preset, as: name) } catch { throw Refusal(error) }
  }

  public func setlist(_ wanted: NameOrNumber) throws(Refusal) -> NamedSetlist {
    guard let setlists else { throw Refusal(.storage, "there is no folder of setlists") }
    do throws(StoreError) {
      let found = try setlists.load(wanted)
      return NamedSetlist(name: found.name, setlist: found.setlist)
    } catch { throw Refusal(error) }
  }

  public func map(named name: String) throws(Refusal) -> NamedMap {
    guard let songs else { throw Refusal(.storage, "there is no folder of songs") }
    do throws(StoreError) {
      let found = try songs.load(name)
      return NamedMap(name: name, map: found.map, notes: found.notes)
    } catch { throw Refusal(error) }
  }
}

extension Refusal {
  /// A store's error as a person is told it.
  init(_ error: StoreError) {
    switch error {
    case .name, .notFound, .number, .empty: self.init(.name, error.description)
    case .symbolicLink, .notAFile, .tooLarge, .full, .system, .format, .writtenByHand:
      self.init(.storage, error.description)
    }
  }
}
