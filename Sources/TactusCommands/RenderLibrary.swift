import CommandLineOptions
import Conductor
import MetronomeModel
import ScoreFormats

/// Presets and songs for a render: by name as the daemon finds them, or the file that the command
/// line names.
struct RenderLibrary: PresetLibrary {
  private let presets: PresetStore
  private let setlists: SetlistStore
  private let songs: SongStore
  private var givenPreset: NamedPreset?
  private var givenMap: NamedMap?
  /// What had to be changed to read the song.
  private(set) var notes: [String] = []

  init(_ folders: ProgramFolders) {
    presets = PresetStore(userFolder: folders.presets, shippedFolders: folders.shippedPresets)
    setlists = SetlistStore(
      userFolder: folders.setlists, shippedFolders: folders.shippedSetlists)
    songs = SongStore(userFolder: folders.maps, shippedFolders: folders.shippedMaps)
  }

  /// Whether a person means a file rather than a name.
  private static func isPath(_ text: String, endings: [String]) -> Bool {
    text.contains("/") || endings.contains { text.hasSuffix($0) }
  }

  /// Takes `--preset`.
  mutating func take(preset text: String) throws(OptionError) -> NameOrNumber {
    guard RenderLibrary.isPath(text, endings: [".json"]) else { return .name(text) }
    let bytes: [UInt8]
    do throws(TextFileError) {
      bytes = try TextFile.bytes(text, input: -1, limit: 1 << 20)
    } catch { throw .text("--preset \(error)") }
    do throws(FormatError) {
      givenPreset = NamedPreset(name: text, preset: try PresetFormat.read(bytes, file: text))
    } catch { throw .text("--preset \(error)") }
    return .name(text)
  }

  /// Takes `--map`.
  ///
  /// - Returns: the label of each section, or its number.
  mutating func take(map text: String) throws(OptionError) -> [String] {
    do throws(StoreError) {
      let found =
        RenderLibrary.isPath(text, endings: [".json", ".klick", ".mid", ".txt"])
        ? try SongFile.read(path: text) : try songs.load(text)
      notes += found.notes
      givenMap = NamedMap(name: text, map: found.map)
      return found.map.sections.enumerated().map { $0.element.label ?? "\($0.offset + 1)" }
    } catch { throw .text("--map \(error)") }
  }

  // MARK: PresetLibrary

  var presetNames: [String] { presets.names }

  func preset(_ wanted: NameOrNumber) throws(Refusal) -> NamedPreset {
    if let givenPreset, wanted == .name(givenPreset.name) { return givenPreset }
    do throws(StoreError) {
      let found = try presets.load(wanted)
      return NamedPreset(name: found.name, preset: found.preset)
    } catch { throw Refusal(.storage, error.description) }
  }

  func save(_ preset: Preset, as name: String) throws(Refusal) {
    throw Refusal(.storage, "a render saves no presets")
  }

  func setlist(_ wanted: NameOrNumber) throws(Refusal) -> NamedSetlist {
    do throws(StoreError) {
      let found = try setlists.load(wanted)
      return NamedSetlist(name: found.name, setlist: found.setlist)
    } catch { throw Refusal(.storage, error.description) }
  }

  func map(named name: String) throws(Refusal) -> NamedMap {
    if let givenMap, name == givenMap.name { return givenMap }
    do throws(StoreError) {
      return NamedMap(name: name, map: try songs.load(name).map)
    } catch { throw Refusal(.storage, error.description) }
  }
}
